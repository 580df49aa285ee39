import type { Static } from 'typebox'
import type { Db } from '../db/schema.ts'
import type { Variable } from './contract.ts'
import { changedSettings } from './queries.ts'
import { type Definition, defaults, type PublicSettings, publicKeys, type SettingKey, type Settings, settings } from './settings.ts'

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

/** The public settings as the compatible call gives them: every value as text beside its type. */
export async function publicVariables(db: Db): Promise<Static<typeof Variable>[]> {
  const values = await readPublicSettings(db)
  return publicKeys.map((key) => ({ key, value: String(values[key]), type: typeOf(key) }))
}

/** The type of a setting on the wire. */
function typeOf(key: SettingKey): Static<typeof Variable>['type'] {
  const { default: value, multiline }: Definition = settings[key]
  if (typeof value === 'string') return multiline ? 'text' : 'string'
  return typeof value === 'number' ? 'number' : 'boolean'
}
