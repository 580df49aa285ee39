import { sql } from 'kysely'
import type { Db } from './schema.ts'

// What is to be removed from the object store. A row is due once its `deletedAt` has passed; one that lies in the future is spoken for: by a clean-up
// that is removing the object, or by whoever is writing it and removes the row when it is in use. Whoever dies on the way leaves a row that falls due.

interface DeletedObject {
  key: string
  uploadId: string | null
}

/** Takes up to `limit` due objects for removal until `until`; two clean-ups never get the same ones. Those of a share whose archive is being sent wait. */
export function claimDeleted(db: Db, { now, until, limit }: { now: Date; until: Date; limit: number }): Promise<DeletedObject[]> {
  return db
    .updateTable('deletedObject')
    .set({ deletedAt: until })
    .where('key', 'in', (eb) =>
      eb
        .selectFrom('deletedObject')
        .select('key')
        .where('deletedAt', '<=', now)
        .where(sql<boolean>`not exists (select from running_zip where share_uid::text = split_part(key, '/', 2) and until > ${now})`)
        .orderBy('deletedAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['key', 'uploadId'])
    .execute()
}

/** Forgets removed objects that were claimed until `until`. */
export async function deleteRemovedObjects(db: Db, keys: string[], until: Date): Promise<void> {
  if (keys.length === 0) return
  await db.deleteFrom('deletedObject').where('key', 'in', keys).where('deletedAt', '=', until).execute()
}

/** Notes that an object is about to be written which goes unless it is in use by `until`; takes the place of an earlier note. */
export async function reserveObject(db: Db, key: string, until: Date): Promise<void> {
  await db
    .insertInto('deletedObject')
    .values({ key, deletedAt: until })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ deletedAt: until }))
    .execute()
}

/** Moves the end of a reservation; false when somebody else has taken the object since. */
export async function extendReservation(db: Db, key: string, from: Date, until: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deletedObject')
    .set({ deletedAt: until })
    .where('key', '=', key)
    .where('deletedAt', '=', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The object is in use from now on; false when somebody else has taken it since, who may be removing it. */
export async function keepObject(db: Db, key: string, until: Date): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('deletedObject').where('key', '=', key).where('deletedAt', '=', until).executeTakeFirst()
  return numDeletedRows === 1n
}
