import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { defaultTexts } from '../mail/default-texts.ts'
import type { Variable } from './contract.ts'
import type { FixedSettings } from './environment.ts'
import { changedSettings, changedSettingsBy, storedSetting } from './queries.ts'
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

/** Where settings are read from. In a transaction, `db` is the transaction. */
export type SettingsSource = Pick<Context, 'env'> & { db: Db }

/**
 * Returns the current settings without secrets: the value of the environment, the stored value or
 * the default. They are never cached: it is one small query, and every replica applies a change at
 * its next request.
 */
export async function readSettings({ db, env }: SettingsSource): Promise<Settings> {
  return settingsFrom(await changedSettings(db), env)
}

/** Returns the same as `readSettings` for pages, in a fifth of the time. Not for transactions. */
export async function readSettingsOfPage({ reader, env }: Pick<Context, 'reader' | 'env'>): Promise<Settings> {
  return settingsFrom(await changedSettingsBy(reader), env)
}

function settingsFrom(changed: { key: string; value: unknown }[], env: Context['env']): Settings {
  const stored = changed.map(({ key, value }) => [key, value] as const)
  const entries = [...stored, ...Object.entries(fixedSettings(env))].filter(([key]) => isSettingKey(key) && !isSecret(key))
  const chosen: Partial<Settings> = Object.fromEntries(entries)
  const initial = defaults()
  return { ...initial, ...defaultTexts(chosen['general.language'] ?? initial['general.language']), ...chosen }
}

/** Returns a decrypted secret; empty if it isn't set or can't be decrypted with this SECRET_KEY. */
export async function readSecret(
  { db, env, sealer, log }: Pick<Context, 'env' | 'sealer' | 'log'> & { db: Db },
  key: SecretKey,
): Promise<string> {
  const fixed = env.settings[key]
  if (fixed) return fixed
  const sealed = await storedSetting(db, key)
  return typeof sealed === 'string' ? openSecret({ sealer, log }, key, sealed) : ''
}

/**
 * Decrypts a stored secret. Logs an error and returns an empty string if it was encrypted with
 * another SECRET_KEY.
 */
export function openSecret({ sealer, log }: Pick<Context, 'sealer' | 'log'>, key: SecretKey, sealed: string): string {
  try {
    return sealer.open(sealed)
  } catch (err) {
    log.error({ err, key }, 'secret setting cannot be decrypted with this SECRET_KEY and counts as not set; set it again')
    return ''
  }
}

/** Whether users must verify a new email address. Without email they couldn't. */
export function requiresVerifiedEmail(settings: Settings): boolean {
  return settings['share.requireVerifiedEmail'] && settings['smtp.enabled']
}

/** Returns the settings that the environment fixes. APP_URL fixes `general.appUrl`. */
export function fixedSettings({ appUrl, settings }: Pick<Context['env'], 'appUrl' | 'settings'>): FixedSettings {
  return appUrl === null ? settings : { ...settings, 'general.appUrl': appUrl }
}

/** Returns the settings that every visitor's browser may see. */
async function readPublicSettings(source: SettingsSource): Promise<PublicSettings> {
  return publicPart(await readSettings(source))
}

/** Selects the settings that every visitor's browser may see. */
export function publicPart(settings: Settings): PublicSettings {
  return Object.fromEntries(publicKeys.map((key) => [key, settings[key]])) as PublicSettings
}

/**
 * Returns the public settings as the compatible call does: each value as a string with its type.
 */
export async function publicVariables(source: SettingsSource): Promise<Variable[]> {
  const values = await readPublicSettings(source)
  return publicKeys.map((key) => ({ key, value: String(values[key]), type: typeOf(key as SettingKey) }))
}
