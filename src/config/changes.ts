import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'
import { expediteMails } from '../mail/queries.ts'
import type { ConfigChange } from './contract.ts'
import { variableOf } from './environment.ts'
import { releaseLogo } from './logo.ts'
import { changedSettings, lockSettings, resetSettings, storeSetting } from './queries.ts'
import { conflictOf } from './rules.ts'
import { fixedSettings, openSecret } from './service.ts'
import { type AllSettings, allDefaults, type Definition, isSecret, isSettingKey, type SettingKey, settings } from './settings.ts'
import { normalize, type Problem, parseText, problemOf } from './values.ts'

type Changing = Pick<Context, 'db' | 'env' | 'sealer' | 'log' | 'now' | 'queue'>
type Value = string | number | boolean
/** null resets a setting to its default. */
type Changes = Map<SettingKey, Value | null>

/**
 * Changes settings, all or none of them, and returns their keys.
 * @throws {AppError} config_not_found: with `key`
 * @throws {AppError} config_invalid: with `key` and `reason`
 */
export async function changeSettings(ctx: Changing, requested: ConfigChange[]): Promise<SettingKey[]> {
  const changes = checkChanges(ctx, requested)
  await ctx.db.transaction().execute(async (db) => {
    await lockSettings(db)
    const after = merge(await currentValues({ ...ctx, db }), changes)
    const conflict = conflictOf(after, new Set(changes.keys()))
    if (conflict) throw invalid(conflict.key, { reason: conflict.reason, must: conflict.must, details: { needs: conflict.needs } })
    await store({ ...ctx, db }, changes)
  })
  if (touches(changes, 'smtp.')) await ctx.queue.add('clean-up', {}, 'clean-up')
  return [...changes.keys()]
}

/**
 * Settings that decide where sign-ins and password links lead, or what a sign-in requires. Changing
 * them allows taking over accounts.
 */
const signInSettings =
  /^(smtp\.|oauth\.|general\.(appUrl|requireAdminSecondFactor)$|share\.requireVerifiedEmail$|email\.(resetPassword|invite))/

/**
 * Returns whether changes need a confirmation, because they allow taking over accounts.
 * @throws {AppError} forbidden: they do, and the caller is an API token
 */
export function needConfirmation({ scopes }: Caller, requested: ConfigChange[]): boolean {
  const key = requested.map(({ key }) => key).find((key) => signInSettings.test(key))
  if (scopes && key !== undefined) throw new AppError('forbidden', { message: `API tokens can't change ${key}. Sign in instead.` })
  return key !== undefined
}

/** Returns a change whose text is parsed into the setting's type. Other values are unchanged. */
export function parseChange({ key, value }: ConfigChange): ConfigChange {
  return { key, value: typeof value === 'string' && isSettingKey(key) ? parseText(key, value) : value }
}

function checkChanges({ env }: Changing, requested: ConfigChange[]): Changes {
  const fixed = fixedSettings(env)
  const changes: Changes = new Map()
  for (const { key, value } of requested) {
    if (!isSettingKey(key) || (settings[key] as Definition).internal) throw new AppError('config_not_found', { key })
    if (changes.has(key)) throw invalid(key, { reason: 'given_twice', must: 'must be listed only once' })
    if (key in fixed) {
      const variable = key === 'general.appUrl' && env.appUrl !== null ? 'APP_URL' : variableOf(key)
      throw invalid(key, { reason: 'fixed', must: `is fixed by ${variable}`, details: { variable } })
    }
    changes.set(key, checkValue(key, value))
  }
  return changes
}

function checkValue(key: SettingKey, value: ConfigChange['value']): Value | null {
  if (value === null || value === '') return null
  if ((settings[key] as Definition).ownCall) throw invalid(key, { reason: 'own_call', must: 'is changed by a separate call' })
  const normalized = normalize(key, value)
  const problem = problemOf(key, normalized)
  if (problem) throw invalid(key, problem)
  return normalized === '' ? null : (normalized as Value)
}

function invalid(key: SettingKey, { reason, must, details = {} }: Problem): AppError {
  return new AppError('config_invalid', { key, reason, ...details, message: `The value of ${key} ${must}.` })
}

/** Returns the current value of every setting. A secret that can't be decrypted is empty. */
async function currentValues({ db, env, ...keys }: Pick<Context, 'env' | 'sealer' | 'log'> & { db: Db }): Promise<AllSettings> {
  const stored = (await changedSettings(db)).flatMap(({ key, value }) => {
    if (!isSettingKey(key)) return []
    return [[key, isSecret(key) ? openSecret(keys, key, String(value)) : value] as const]
  })
  return { ...allDefaults(), ...Object.fromEntries(stored), ...fixedSettings(env) }
}

function merge(values: AllSettings, changes: Changes): AllSettings {
  const changed = [...changes].map(([key, value]) => [key, value ?? allDefaults()[key]] as const)
  return { ...values, ...Object.fromEntries(changed) }
}

async function store(ctx: Pick<Changing, 'sealer' | 'now'> & { db: Db }, changes: Changes): Promise<void> {
  const now = ctx.now()
  if (changes.has('general.logo')) await releaseLogo(ctx.db)
  await resetSettings(
    ctx.db,
    [...changes].filter(([, value]) => value === null).map(([key]) => key),
  )
  for (const [key, value] of changes) {
    if (value !== null) await storeSetting(ctx.db, key, isSecret(key) ? ctx.sealer.seal(String(value)) : value, now)
  }
  if (touches(changes, 'smtp.')) await expediteMails(ctx.db, now)
}

function touches(changes: Changes, prefix: string): boolean {
  return [...changes.keys()].some((key) => key.startsWith(prefix))
}
