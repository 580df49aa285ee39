import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, FilePartTable, FileTable } from '../db/schema.ts'

export type File = Selectable<FileTable>
export type Part = Pick<FilePartTable, 'number' | 'size' | 'etag' | 'crc32'>

/** What a share's files may have together. */
export interface Room {
  /** Bytes. */
  size: number
  files: number
}

/**
 * Reserves bytes and places of files for a share that takes uploads, unless all its files would then exceed `max`. One statement, so files that are announced
 * at once cannot exceed it together. Returns whether it did.
 */
export async function reserve(db: Db, uid: string, { size, files, max, now }: Room & { max: Room; now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set({ reserved: sql`reserved + ${size}::bigint`, reservedFiles: sql`reserved_files + ${files}::integer`, activeAt: now })
    .where('uid', '=', uid)
    .where('uploadOpen', '=', true)
    .where(sql<boolean>`reserved + ${size}::bigint <= ${max.size}::bigint`)
    .where(sql<boolean>`(${files}::integer = 0 or reserved_files + ${files}::integer <= ${max.files}::integer)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Releases the bytes and the place of one file. */
export async function releaseFile(db: Db, uid: string, size: number): Promise<void> {
  await db
    .updateTable('share')
    .set({ reserved: sql`reserved - ${size}::bigint`, reservedFiles: sql`greatest(reserved_files - 1, 0)` })
    .where('uid', '=', uid)
    .execute()
}

/** Notes that somebody is uploading, so that the share does not count as abandoned. */
export async function recordActivity(db: Db, uid: string, now: Date): Promise<void> {
  await db.updateTable('share').set({ activeAt: now }).where('uid', '=', uid).execute()
}

/** Inserts files in one statement. */
export async function insertFiles(db: Db, files: Insertable<FileTable>[]): Promise<void> {
  await db.insertInto('file').values(files).execute()
}

/** Notes the store's name for the upload; false when the file is gone, or another one was noted. */
export async function recordUploadId(db: Db, fileId: string, uploadId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('file')
    .set({ uploadId })
    .where('id', '=', fileId)
    .where('uploadId', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** A file of this share, and no other's. */
export function fileOf(db: Db, shareId: string, fileId: string): Promise<File | undefined> {
  return db.selectFrom('file').selectAll().where('id', '=', fileId).where('shareId', '=', shareId).executeTakeFirst()
}

/** The row as it is now, locked until the transaction ends. */
export function lockFile(db: Db, fileId: string): Promise<File | undefined> {
  return db.selectFrom('file').selectAll().where('id', '=', fileId).forUpdate().executeTakeFirst()
}

/** Deletes a file of this share; a trigger leaves word of its bytes. */
export function deleteFile(db: Db, shareId: string, fileId: string): Promise<Pick<File, 'size' | 'published' | 'removedAt'> | undefined> {
  return db
    .deleteFrom('file')
    .where('id', '=', fileId)
    .where('shareId', '=', shareId)
    .returning(['size', 'published', 'removedAt'])
    .executeTakeFirst()
}

/** Deletes a file that visitors don't see, with what is reserved for it. */
export async function dropFile(tx: Db, share: { id: string; uid: string }, fileId: string): Promise<void> {
  const deleted = await deleteFile(tx, share.id, fileId)
  if (deleted && !deleted.removedAt) await releaseFile(tx, share.uid, deleted.size)
}

/** Notes that a file goes when the share is saved; undefined when that was noted already. */
export function markRemoved(db: Db, fileId: string, now: Date): Promise<Pick<File, 'size'> | undefined> {
  return db
    .updateTable('file')
    .set({ removedAt: now })
    .where('id', '=', fileId)
    .where('removedAt', 'is', null)
    .returning('size')
    .executeTakeFirst()
}

/** Takes back that a file goes when the share is saved; undefined when nothing is noted of that. */
export function unmarkRemoved(db: Db, shareId: string, fileId: string): Promise<File | undefined> {
  return db
    .updateTable('file')
    .set({ removedAt: null })
    .where('id', '=', fileId)
    .where('shareId', '=', shareId)
    .where('removedAt', 'is not', null)
    .returningAll()
    .executeTakeFirst()
}

/** Names a file anew: at once, or (`pendingName`) when the share is saved. */
export async function renameFile(db: Db, fileId: string, name: { name: string } | { pendingName: string | null }): Promise<void> {
  await db.updateTable('file').set(name).where('id', '=', fileId).execute()
}

/**
 * Notes a part that has arrived whole, in place of an earlier one of that number; false when the file is gone or its parts are being joined. The lock
 * makes it wait for whoever is deleting the file.
 */
export async function recordPart(db: Db, fileId: string, { number, size, etag, crc32 }: Part): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('filePart')
    .columns(['fileId', 'number', 'size', 'etag', 'crc32'])
    .expression((eb) =>
      eb
        .selectFrom(eb.selectFrom('file').select('id').where('id', '=', fileId).where('crc32', 'is', null).forKeyShare().as('open'))
        .select([
          'open.id',
          sql<number>`${number}::integer`.as('number'),
          sql<number>`${size}::bigint`.as('size'),
          sql<string>`${etag}::text`.as('etag'),
          sql<number>`${crc32}::bigint`.as('crc32'),
        ]),
    )
    .onConflict((conflict) => conflict.columns(['fileId', 'number']).doUpdateSet({ size, etag, crc32 }))
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** The ledger of a file: its parts that have arrived, in ascending order. */
export function partsOf(db: Db, fileId: string): Promise<Part[]> {
  return db.selectFrom('filePart').select(['number', 'size', 'etag', 'crc32']).where('fileId', '=', fileId).orderBy('number').execute()
}

/** How many parts of a file have arrived. */
export async function countParts(db: Db, fileId: string): Promise<number> {
  const { count } = await db
    .selectFrom('filePart')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('fileId', '=', fileId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The etag by which the ledger has a part; undefined while it has not arrived. */
export async function etagOf(db: Db, fileId: string, number: number): Promise<string | undefined> {
  const part = await db.selectFrom('filePart').select('etag').where('fileId', '=', fileId).where('number', '=', number).executeTakeFirst()
  return part?.etag
}

/** Closes the ledger: from now on the file is what these parts make, whose CRC-32 is given. */
export async function closeLedger(db: Db, fileId: string, crc32: number): Promise<void> {
  await db.updateTable('file').set({ crc32 }).where('id', '=', fileId).execute()
}

/** Empties the ledger and takes parts again. */
export async function reopenLedger(db: Db, fileId: string): Promise<void> {
  await db.updateTable('file').set({ crc32: null }).where('id', '=', fileId).where('completedAt', 'is', null).execute()
  await db.deleteFrom('filePart').where('fileId', '=', fileId).execute()
}

/** Notes that the file is whole in the store; false when it is gone. The ledger has done its work. */
export async function markComplete(db: Db, fileId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('file')
    .set({ completedAt: sql`coalesce(completed_at, ${now})`, uploadId: null })
    .where('id', '=', fileId)
    .executeTakeFirst()
  await db.deleteFrom('filePart').where('fileId', '=', fileId).execute()
  return numUpdatedRows === 1n
}
