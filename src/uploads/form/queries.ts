import type { Insertable } from 'kysely'
import type { Db, FileTable } from '../../db/schema.ts'
import type { File } from '../queries.ts'

/**
 * Records the size in bytes and the CRC-32 of a file that came in one piece, and that it is
 * complete. Returns false if the file has been deleted.
 */
export async function recordWholeFile(
  db: Db,
  fileId: string,
  { size, crc32, now }: { size: number; crc32: number; now: Date },
): Promise<boolean> {
  const values = { size, crc32, partSize: Math.max(1, size), partCount: size > 0 ? 1 : 0, completedAt: now }
  const { numUpdatedRows } = await db.updateTable('file').set(values).where('id', '=', fileId).executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Inserts a file that arrives in chunks. Returns undefined if its ID is already used. */
export function insertChunked(db: Db, file: Insertable<FileTable>): Promise<File | undefined> {
  return db
    .insertInto('file')
    .values(file)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Records the size of a file that arrives in chunks, including the current chunk. */
export function recordGrowth(db: Db, fileId: string, values: Pick<File, 'size' | 'partCount'>): Promise<File> {
  return db.updateTable('file').set(values).where('id', '=', fileId).returningAll().executeTakeFirstOrThrow()
}
