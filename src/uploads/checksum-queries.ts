import type { Db } from '../db/schema.ts'

// Files uploaded directly to the store. Their CRC-32 is unknown until the object has been read.

/** Finds a complete file without a CRC-32; undefined if it has one or was deleted. */
export function fileWithoutChecksum(db: Db, fileId: string) {
  return db
    .selectFrom('file')
    .select('objectKey')
    .where('id', '=', fileId)
    .where('completedAt', 'is not', null)
    .where('crc32', 'is', null)
    .executeTakeFirst()
}

/** Records a file's CRC-32. */
export async function recordChecksum(db: Db, fileId: string, crc32: number): Promise<void> {
  await db.updateTable('file').set({ crc32 }).where('id', '=', fileId).where('crc32', 'is', null).execute()
}

/** Returns the IDs of complete files without a CRC-32, in order, starting after the ID `after`. */
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
