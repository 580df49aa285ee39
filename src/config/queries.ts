import { sql } from 'kysely'
import type { Reader } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import type { SettingKey } from './settings.ts'

/** Returns the settings that have been changed. */
export function changedSettings(db: Db) {
  return db.selectFrom('setting').select(['key', 'value', 'updatedAt']).execute()
}

/** Returns the settings that have been changed, by a prepared statement. */
export function changedSettingsBy(reader: Reader) {
  return reader.query<{ key: string; value: unknown }>('changed settings', 'select key, value from setting', [])
}

/** Returns the stored value of a setting; undefined if it was never set. */
export async function storedSetting(db: Db, key: string): Promise<unknown> {
  return (await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value
}

/** Stores the value of a setting. */
export async function storeSetting(db: Db, key: string, value: unknown, now: Date): Promise<void> {
  const json = JSON.stringify(value)
  await db
    .insertInto('setting')
    .values({ key, value: json, updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json, updatedAt: now }))
    .execute()
}

/**
 * Stores a setting that was never set; false if it was. One statement, so only one of several
 * callers gets true.
 */
export async function storeIfUnset(db: Db, key: string, value: unknown, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('setting')
    .values({ key, value: JSON.stringify(value), updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes the stored values, so that the defaults apply. */
export async function resetSettings(db: Db, keys: string[]): Promise<void> {
  if (keys.length > 0) await db.deleteFrom('setting').where('key', 'in', keys).execute()
}

/**
 * Locks the settings until this transaction ends, so that concurrent changes are checked one after
 * another.
 */
export async function lockSettings(transaction: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('razorbill settings'))`.execute(transaction)
}

/**
 * Returns SQL for whether a setting is stored as true, for statements that run at every request.
 * The environment may fix another value.
 */
export function isStoredTrue(key: SettingKey): string {
  return `coalesce((select value::text = 'true' from setting where key = '${key}'), false)`
}
