import type { Db } from '../db/schema.ts'

/** Notes the size in bytes and the CRC-32 of a file that came as one piece, and is whole in the store. */
export async function noteWhole(db: Db, fileId: string, { size, crc32 }: { size: number; crc32: number }): Promise<void> {
  const values = { size, crc32, partSize: Math.max(1, size), partCount: size > 0 ? 1 : 0 }
  await db.updateTable('file').set(values).where('id', '=', fileId).execute()
}
