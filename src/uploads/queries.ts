import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, FilePartTable, FileTable } from '../db/schema.ts'

export type File = Selectable<FileTable>
export type Part = Pick<FilePartTable, 'number' | 'size' | 'etag' | 'crc32'>

/** What a file's reservation is counted from. */
export type NamedFile = Pick<File, 'size' | 'name' | 'pendingName'>

/** The size and number of a share's files, and the length of their names. */
export interface FileTotals {
  /** Bytes. */
  size: number
  files: number
  /** Bytes of UTF-8 of the names together. */
  nameBytes: number
}

/**
 * Counts files and reserves their bytes for a share that accepts uploads, unless this would exceed
 * `max`. One statement, so files announced at the same time can't exceed it together. Returns
 * whether it succeeded.
 */
export async function reserve(
  db: Db,
  uid: string,
  { size, files, nameBytes, max, now }: FileTotals & { max: FileTotals; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set({
      reserved: sql`reserved + ${size}::bigint`,
      reservedFiles: sql`reserved_files + ${files}::integer`,
      reservedNameBytes: sql`reserved_name_bytes + ${nameBytes}::integer`,
      activeAt: now,
    })
    .where('uid', '=', uid)
    .where('uploadOpen', '=', true)
    .where(sql<boolean>`reserved + ${size}::bigint <= ${max.size}::bigint`)
    .where(sql<boolean>`(${files}::integer = 0 or reserved_files + ${files}::integer <= ${max.files}::integer)`)
    .where(sql<boolean>`(${nameBytes}::integer = 0 or reserved_name_bytes + ${nameBytes}::integer <= ${max.nameBytes}::integer)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Releases the bytes, the count and the name of one file. */
export async function releaseFile(db: Db, uid: string, { size, name, pendingName }: NamedFile): Promise<void> {
  await db
    .updateTable('share')
    .set({
      reserved: sql`reserved - ${size}::bigint`,
      reservedFiles: sql`greatest(reserved_files - 1, 0)`,
      reservedNameBytes: sql`greatest(reserved_name_bytes - ${Buffer.byteLength(pendingName ?? name)}::integer, 0)`,
    })
    .where('uid', '=', uid)
    .execute()
}

/** Records upload activity, so that the share does not count as abandoned. */
export async function recordActivity(db: Db, uid: string, now: Date): Promise<void> {
  await db.updateTable('share').set({ activeAt: now }).where('uid', '=', uid).execute()
}

/** Inserts files in one statement. */
export async function insertFiles(db: Db, files: Insertable<FileTable>[]): Promise<void> {
  await db.insertInto('file').values(files).execute()
}

/**
 * Records the store's ID of the upload. Returns false if the file was deleted or already has one.
 */
export async function recordUploadId(db: Db, fileId: string, uploadId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('file')
    .set({ uploadId })
    .where('id', '=', fileId)
    .where('uploadId', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Finds a file of this share. */
export function fileOf(db: Db, shareId: string, fileId: string): Promise<File | undefined> {
  return db.selectFrom('file').selectAll().where('id', '=', fileId).where('shareId', '=', shareId).executeTakeFirst()
}

/** Finds a file and locks its row until the transaction ends. */
export function lockFile(db: Db, fileId: string): Promise<File | undefined> {
  return db.selectFrom('file').selectAll().where('id', '=', fileId).forUpdate().executeTakeFirst()
}

/** Deletes a file of this share. A trigger queues its object for deletion. */
export function deleteFile(
  db: Db,
  shareId: string,
  fileId: string,
): Promise<(NamedFile & Pick<File, 'published' | 'removedAt'>) | undefined> {
  return db
    .deleteFrom('file')
    .where('id', '=', fileId)
    .where('shareId', '=', shareId)
    .returning(['size', 'name', 'pendingName', 'published', 'removedAt'])
    .executeTakeFirst()
}

/** Deletes a file that visitors don't see, and releases its reservation. */
export async function dropFile(tx: Db, share: { id: string; uid: string }, fileId: string): Promise<void> {
  const deleted = await deleteFile(tx, share.id, fileId)
  if (deleted && !deleted.removedAt) await releaseFile(tx, share.uid, deleted)
}

/**
 * Marks a file for deletion when the edits are saved. Returns undefined if it is already marked.
 */
export function markRemoved(db: Db, fileId: string, now: Date): Promise<NamedFile | undefined> {
  return db
    .updateTable('file')
    .set({ removedAt: now })
    .where('id', '=', fileId)
    .where('removedAt', 'is', null)
    .returning(['size', 'name', 'pendingName'])
    .executeTakeFirst()
}

/** Removes the mark for deletion. Returns undefined if the file is not marked. */
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

/** Returns the bytes of all file names of a share together, with its unsaved changes. */
export async function nameBytesOf(db: Db, shareId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('file')
    .select(sql<number>`coalesce(sum(octet_length(coalesce(pending_name, name))), 0)::integer`.as('bytes'))
    .where('shareId', '=', shareId)
    .where('removedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Renames a file: now, or with `pendingName` when the edits are saved. */
export async function renameFile(db: Db, fileId: string, name: { name: string } | { pendingName: string | null }): Promise<void> {
  await db.updateTable('file').set(name).where('id', '=', fileId).execute()
}

/**
 * Records a part that has arrived completely, and replaces an earlier one of that number. Returns
 * false if the file was deleted or its parts are being joined. The lock makes it wait for a
 * concurrent deletion of the file.
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

/** Returns the ledger of a file: the parts that have arrived, in ascending order. */
export function partsOf(db: Db, fileId: string): Promise<Part[]> {
  return db.selectFrom('filePart').select(['number', 'size', 'etag', 'crc32']).where('fileId', '=', fileId).orderBy('number').execute()
}

/** Returns how many parts of a file have arrived. */
export async function countParts(db: Db, fileId: string): Promise<number> {
  const { count } = await db
    .selectFrom('filePart')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('fileId', '=', fileId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the etag of a part in the ledger; undefined if it has not arrived. */
export async function etagOf(db: Db, fileId: string, number: number): Promise<string | undefined> {
  const part = await db.selectFrom('filePart').select('etag').where('fileId', '=', fileId).where('number', '=', number).executeTakeFirst()
  return part?.etag
}

/** Closes the ledger: the parts are final, and the file has this CRC-32. */
export async function closeLedger(db: Db, fileId: string, crc32: number): Promise<void> {
  await db.updateTable('file').set({ crc32 }).where('id', '=', fileId).execute()
}

/**
 * Empties the ledger, so that it accepts the parts of a new upload. Returns false if the file was
 * deleted or completed, or already has another upload.
 */
export function reopenLedger(db: Db, fileId: string, uploadId: string, newUploadId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('file')
      .set({ crc32: null, uploadId: newUploadId })
      .where('id', '=', fileId)
      .where('uploadId', '=', uploadId)
      .where('completedAt', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await tx.deleteFrom('filePart').where('fileId', '=', fileId).execute()
    return true
  })
}

/** Marks a file complete and deletes its ledger. Returns false if the file was deleted. */
export async function markComplete(db: Db, fileId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('file')
    .set({ completedAt: sql`coalesce(completed_at, ${now})`, uploadId: null })
    .where('id', '=', fileId)
    .executeTakeFirst()
  await db.deleteFrom('filePart').where('fileId', '=', fileId).execute()
  return numUpdatedRows === 1n
}
