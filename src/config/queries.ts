import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** The settings that were set. */
export function changedSettings(db: Db) {
  return db.selectFrom('setting').select(['key', 'value', 'updatedAt']).execute()
}

/** One setting as it was set; undefined when it was not. */
export async function storedSetting(db: Db, key: string): Promise<unknown> {
  return (await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value
}

/** Stores one setting, replacing what was there. */
export async function storeSetting(db: Db, key: string, value: unknown, now: Date): Promise<void> {
  const json = JSON.stringify(value)
  await db
    .insertInto('setting')
    .values({ key, value: json, updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json, updatedAt: now }))
    .execute()
}

/** Stores a setting that was never set; false when it was. One statement: of many at once one is told true. */
export async function storeIfUnset(db: Db, key: string, value: unknown, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('setting')
    .values({ key, value: JSON.stringify(value), updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Forgets settings, so that their defaults are in force. */
export async function resetSettings(db: Db, keys: string[]): Promise<void> {
  if (keys.length > 0) await db.deleteFrom('setting').where('key', 'in', keys).execute()
}

/** Makes others that change settings wait until this transaction has ended, so that each sees what the one before has left. */
export async function lockSettings(transaction: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('razorbill settings'))`.execute(transaction)
}
