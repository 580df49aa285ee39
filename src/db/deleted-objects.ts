import { sql } from 'kysely'
import type { Db } from './schema.ts'

// Objects to remove from the object store. A row is due when `deletedAt` has passed. A later
// `deletedAt` is a claim: by a clean-up that is removing the object, or by a writer that deletes
// the row once the object is in use. If either dies, the row becomes due.

interface DeletedObject {
  key: string
  uploadId: string | null
}

/**
 * Claims up to `limit` due objects for removal until `until`. Two clean-ups never get the same
 * objects. Objects of a share whose zip is being sent are skipped.
 */
export function claimDeleted(db: Db, { now, until, limit }: { now: Date; until: Date; limit: number }): Promise<DeletedObject[]> {
  const due = db
    .selectFrom('deletedObject')
    .select('key')
    .where('deletedAt', '<=', now)
    .where(sql<boolean>`not exists (select from running_zip where share_uid::text = split_part(key, '/', 2) and until > ${now})`)
    .orderBy('deletedAt')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .updateTable('deletedObject')
    .set({ deletedAt: until })
    .where(sql<boolean>`key = any(array(${due}))`) // an array lets PostgreSQL find the rows by their keys
    .returning(['key', 'uploadId'])
    .execute()
}

/** Deletes the rows of removed objects that were claimed until `until`. */
export async function deleteRemovedObjects(db: Db, keys: string[], until: Date): Promise<void> {
  if (keys.length === 0) return
  await db.deleteFrom('deletedObject').where('key', 'in', keys).where('deletedAt', '=', until).execute()
}

/**
 * Schedules an object's removal at `until`, before it is written. Replaces an earlier reservation.
 */
export async function reserveObject(db: Db, key: string, until: Date): Promise<void> {
  await db
    .insertInto('deletedObject')
    .values({ key, deletedAt: until })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ deletedAt: until }))
    .execute()
}

/** Moves the end of a reservation from `from`. Returns false when another process holds it. */
export async function extendReservation(db: Db, key: string, from: Date, until: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deletedObject')
    .set({ deletedAt: until })
    .where('key', '=', key)
    .where('deletedAt', '=', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Cancels an object's removal. Returns false when another process holds the row and may remove it.
 */
export async function keepObject(db: Db, key: string, until: Date): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('deletedObject').where('key', '=', key).where('deletedAt', '=', until).executeTakeFirst()
  return numDeletedRows === 1n
}
