import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { defaultTexts } from '../mail/default-texts.ts'
import type { Variable } from './contract.ts'
import type { FixedSettings } from './environment.ts'
import { changedSettings, storedSetting } from './queries.ts'
import {
  defaults,
  isSecret,
  isSettingKey,
  type PublicSettings,
  publicKeys,
  type SecretKey,
  type SettingKey,
  type Settings,
  typeOf,
} from './settings.ts'

/** What settings are read from; in a transaction its `db`. */
export type SettingsSource = Pick<Context, 'env'> & { db: Db }

/**
 * The settings in force now, but no secrets: what the environment fixes, else what was set, else the defaults. Read at each use and never cached: one small
 * query, and every replica obeys a change at its next request.
 */
export async function readSettings({ db, env }: SettingsSource): Promise<Settings> {
  const set = (await changedSettings(db)).map(({ key, value }) => [key, value] as const)
  const known = [...set, ...Object.entries(fixedSettings(env))].filter(([key]) => isSettingKey(key) && !isSecret(key))
  const chosen: Partial<Settings> = Object.fromEntries(known)
  return { ...defaults, ...defaultTexts(chosen['general.language'] ?? defaults['general.language']), ...chosen }
}

/** A secret in clear; empty while there is none, and while it cannot be opened with this SECRET_KEY. */
export async function readSecret(
  { db, env, sealer, log }: Pick<Context, 'env' | 'sealer' | 'log'> & { db: Db },
  key: SecretKey,
): Promise<string> {
  const fixed = env.settings[key]
  if (fixed) return fixed
  const sealed = await storedSetting(db, key)
  return typeof sealed === 'string' ? openSecret({ sealer, log }, key, sealed) : ''
}

/** What a stored secret says; empty, with a line in the log, when it was sealed with another SECRET_KEY. */
export function openSecret({ sealer, log }: Pick<Context, 'sealer' | 'log'>, key: SecretKey, sealed: string): string {
  try {
    return sealer.open(sealed)
  } catch (err) {
    log.error({ err, key }, 'a secret setting cannot be opened with this SECRET_KEY and counts as not set; set it again')
    return ''
  }
}

/** The settings that the environment fixes; APP_URL fixes the address too. */
export function fixedSettings({ appUrl, settings }: Pick<Context['env'], 'appUrl' | 'settings'>): FixedSettings {
  return appUrl === null ? settings : { ...settings, 'general.appUrl': appUrl }
}

/** The part of the settings that every visitor's browser may see. */
export async function readPublicSettings(source: SettingsSource): Promise<PublicSettings> {
  return publicPart(await readSettings(source))
}

export function publicPart(settings: Settings): PublicSettings {
  return Object.fromEntries(publicKeys.map((key) => [key, settings[key]])) as PublicSettings
}

/** The public settings as the compatible call gives them: every value as text beside its type. */
export async function publicVariables(source: SettingsSource): Promise<Variable[]> {
  const values = await readPublicSettings(source)
  return publicKeys.map((key) => ({ key, value: String(values[key]), type: typeOf(key as SettingKey) }))
}
