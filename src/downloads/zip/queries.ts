import type { Insertable } from 'kysely'
import type { Db, ZipLeaseTable, ZipPlanSummary } from '../../db/schema.ts'

interface Zip {
  shareId: string
  revision: number
}

/**
 * Finds the share whose zip must still be built at this revision, and locks it until the
 * transaction ends. Returns undefined if the zip was built or failed, or the share was changed or
 * deleted.
 */
export function lockPreparingZip(db: Db, { shareId, revision }: Zip) {
  return db
    .selectFrom('share')
    .select('uid')
    .where('id', '=', shareId)
    .where('revision', '=', revision)
    .where('zipState', '=', 'preparing')
    .where('deletedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Records the progress of a zip (0 to 1). Returns false if it is no longer needed. */
export async function recordZipProgress(db: Db, zip: Zip, progress: number): Promise<boolean> {
  return leavePreparing(db, zip, { zipProgress: progress })
}

/** Marks a zip of `size` bytes ready. Returns false if it is no longer needed. */
export async function markZipReady(db: Db, zip: Zip, size: number): Promise<boolean> {
  return leavePreparing(db, zip, { zipState: 'ready', zipRevision: zip.revision, zipProgress: 1, zipSize: size })
}

/** Marks a zip failed. Its files can still be downloaded one by one. */
export async function markZipFailed(db: Db, zip: Zip): Promise<void> {
  await leavePreparing(db, zip, { zipState: 'failed' })
}

/** Records that no zip has to be built, because the API streams it. */
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
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Records what is known of the archive of a share's files, unless these have changed. */
export async function recordZipPlan(db: Db, shareId: string, zipPlan: ZipPlanSummary): Promise<void> {
  await db.updateTable('share').set({ zipPlan }).where('id', '=', shareId).where('revision', '=', zipPlan.revision).execute()
}

/** Deletes what was recorded of the archive of a share's revision. */
export async function deleteZipPlan(db: Db, { id, revision }: { id: string; revision: number }): Promise<void> {
  await db.updateTable('share').set({ zipPlan: null }).where('id', '=', id).where('revision', '=', revision).execute()
}

/** Returns the shares whose zips wait to be built, in order, starting after the uid `after`. */
export function waitingZips(db: Db, after: string, limit: number) {
  return db
    .selectFrom('share')
    .selectAll()
    .where('zipState', '=', 'preparing')
    .where('deletedAt', 'is', null)
    .where('uid', '>', after)
    .orderBy('uid')
    .limit(limit)
    .execute()
}

/**
 * Creates the lease of a running archive download until `until`, or extends the one with the same
 * ID.
 */
export async function renewZipLease(db: Db, lease: Insertable<ZipLeaseTable>): Promise<void> {
  await db
    .insertInto('runningZip')
    .values(lease)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ until: lease.until }))
    .execute()
}

/** Deletes the lease of a download that has ended. */
export async function deleteZipLease(db: Db, id: string): Promise<void> {
  await db.deleteFrom('runningZip').where('id', '=', id).execute()
}

/** Deletes leases that crashed processes left. */
export async function deleteExpiredZipLeases(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('runningZip').where('until', '<=', now).execute()
}
