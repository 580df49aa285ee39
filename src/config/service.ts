import type { Db } from '../db/schema.ts'
import { changedSettings } from './queries.ts'
import { defaults, type PublicSettings, publicKeys, type Settings } from './settings.ts'

/**
 * The settings in force now. Read at each use and never cached: one small query, and every replica obeys a change at its next request.
 */
export async function readSettings(db: Db): Promise<Settings> {
  const changed = await changedSettings(db)
  return { ...defaults, ...Object.fromEntries(changed.map(({ key, value }) => [key, value])) }
}

/** The part of the settings that every visitor's browser may see. */
export async function readPublicSettings(db: Db): Promise<PublicSettings> {
  const all = await readSettings(db)
  return Object.fromEntries(publicKeys.map((key) => [key, all[key]])) as PublicSettings
}
