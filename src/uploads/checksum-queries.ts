import type { Db } from '../db/schema.ts'

// Files whose parts went straight to the store: their CRC-32 is not known until it has been read back.

/** A complete file whose CRC-32 is not known; undefined when it is, or the file is gone. */
export function fileWithoutChecksum(db: Db, fileId: string) {
  return db
    .selectFrom('file')
    .select('objectKey')
    .where('id', '=', fileId)
    .where('completedAt', 'is not', null)
    .where('crc32', 'is', null)
    .executeTakeFirst()
}

/** Notes a file's CRC-32. */
export async function recordChecksum(db: Db, fileId: string, crc32: number): Promise<void> {
  await db.updateTable('file').set({ crc32 }).where('id', '=', fileId).where('crc32', 'is', null).execute()
}

/** The ids of files whose CRC-32 is still to be found, after the file `after`. */
export async function filesWithoutChecksum(db: Db, after: string, limit: number): Promise<string[]> {
  const files = await db
    .selectFrom('file')
    .select('id')
    .where('completedAt', 'is not', null)
    .where('crc32', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return files.map(({ id }) => id)
}
