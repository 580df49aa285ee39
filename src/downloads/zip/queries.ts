import type { Insertable } from 'kysely'
import type { Db, ZipLeaseTable } from '../../db/schema.ts'

interface Zip {
  shareId: string
  revision: number
}

/**
 * The share of a zip that is still to be built at this revision, locked until the transaction ends; undefined when it is built or failed, or of a share
 * that changed or is gone.
 */
export function lockWantedZip(db: Db, { shareId, revision }: Zip) {
  return db
    .selectFrom('share')
    .select('uid')
    .where('id', '=', shareId)
    .where('revision', '=', revision)
    .where('zipState', '=', 'preparing')
    .forUpdate()
    .executeTakeFirst()
}

/** Notes how far a zip is (0 to 1); false when it is no longer wanted. */
export async function recordZipProgress(db: Db, zip: Zip, progress: number): Promise<boolean> {
  return leavePreparing(db, zip, { zipProgress: progress })
}

/** The zip is there, `size` bytes long; false when it is no longer wanted. */
export async function markZipReady(db: Db, zip: Zip, size: number): Promise<boolean> {
  return leavePreparing(db, zip, { zipState: 'ready', zipRevision: zip.revision, zipProgress: 1, zipSize: size })
}

/** The zip cannot be made; the files can still be taken one by one. */
export async function markZipFailed(db: Db, zip: Zip): Promise<void> {
  await leavePreparing(db, zip, { zipState: 'failed' })
}

/** Nothing has to be built: the API streams it. */
export async function markZipUnneeded(db: Db, zip: Zip): Promise<void> {
  await leavePreparing(db, zip, { zipState: 'none' })
}

interface ZipChange {
  zipState?: 'none' | 'ready' | 'failed'
  zipRevision?: number
  zipProgress?: number
  zipSize?: number
}

async function leavePreparing(db: Db, { shareId, revision }: Zip, change: ZipChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set(change)
    .where('id', '=', shareId)
    .where('revision', '=', revision)
    .where('zipState', '=', 'preparing')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Shares whose zips wait to be built, after the share `after`. */
export function waitingZips(db: Db, after: string, limit: number) {
  return db
    .selectFrom('share')
    .selectAll()
    .where('zipState', '=', 'preparing')
    .where('uid', '>', after)
    .orderBy('uid')
    .limit(limit)
    .execute()
}

/** Notes that a share's archive is being sent until `until` at the longest; again with the same id to go on. */
export async function renewZipLease(db: Db, running: Insertable<ZipLeaseTable>): Promise<void> {
  await db
    .insertInto('runningZip')
    .values(running)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ until: running.until }))
    .execute()
}

/** It has been sent, or not. */
export async function deleteZipLease(db: Db, id: string): Promise<void> {
  await db.deleteFrom('runningZip').where('id', '=', id).execute()
}

/** Forgets what was being sent by processes that are gone. */
export async function deleteExpiredZipLeases(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('runningZip').where('until', '<=', now).execute()
}
