import type { Db } from '../db/schema.ts'

/** The settings that differ from their defaults. */
export function changedSettings(db: Db) {
  return db.selectFrom('setting').select(['key', 'value']).execute()
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
