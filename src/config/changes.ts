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
import { normalize, type Problem, problemOf } from './values.ts'

type Changing = Pick<Context, 'db' | 'env' | 'sealer' | 'log' | 'now' | 'queue'>
type Value = string | number | boolean
/** null: back to the default. */
type Changes = Map<SettingKey, Value | null>

/**
 * Changes settings, all or none of them. Whoever switches e-mail on before the application has an address gives it theirs, `ownUrl`: links in e-mails never
 * come from a request that anybody can make. Throws `config_not_found` with `key`, `config_invalid` with `key` and `reason`.
 */
export async function changeSettings(ctx: Changing, wanted: ConfigChange[], ownUrl: string): Promise<SettingKey[]> {
  const changes = checked(ctx, wanted)
  await ctx.db.transaction().execute(async (db) => {
    await lockSettings(db)
    const after = merged(await valuesNow({ ...ctx, db }), changes)
    if (changes.get('smtp.enabled') === true && !after['general.appUrl']) {
      changes.set('general.appUrl', ownUrl)
      after['general.appUrl'] = ownUrl
    }
    const conflict = conflictOf(after, new Set(changes.keys()))
    if (conflict) throw invalid(conflict.key, { reason: conflict.reason, must: conflict.must, details: { needs: conflict.needs } })
    await store({ ...ctx, db }, changes)
  })
  if (touches(changes, 'smtp.')) await ctx.queue.add('clean-up', {}, 'clean-up')
  return [...changes.keys()]
}

/** Settings that decide where sign-ins and password links go: whoever changes them can take over accounts. */
const signInSettings = /^(smtp\.|oauth\.|general\.appUrl$)/

/**
 * Keeps API tokens from changing settings that would hand them accounts.
 * @throws AppError `forbidden`
 */
export function requireSettingsRight({ scopes }: Caller, wanted: ConfigChange[]): void {
  const key = wanted.map(({ key }) => key).find((key) => signInSettings.test(key))
  if (scopes && key !== undefined) throw new AppError('forbidden', { message: `No API token may change ${key}: sign in.` })
}

function checked({ env }: Changing, wanted: ConfigChange[]): Changes {
  const fixed = fixedSettings(env)
  const changes: Changes = new Map()
  for (const { key, value } of wanted) {
    if (!isSettingKey(key) || (settings[key] as Definition).internal) throw new AppError('config_not_found', { key })
    if (changes.has(key)) throw invalid(key, { reason: 'given_twice', must: 'must be given once' })
    if (key in fixed) {
      const variable = key === 'general.appUrl' && env.appUrl !== null ? 'APP_URL' : variableOf(key)
      throw invalid(key, { reason: 'fixed', must: `is fixed by ${variable}`, details: { variable } })
    }
    changes.set(key, checkedValue(key, value))
  }
  return changes
}

function checkedValue(key: SettingKey, value: ConfigChange['value']): Value | null {
  if (value === null || value === '') return null
  if ((settings[key] as Definition).ownCall) throw invalid(key, { reason: 'own_call', must: 'has a call of its own' })
  const tidied = normalize(key, value)
  const problem = problemOf(key, tidied)
  if (problem) throw invalid(key, problem)
  return tidied === '' ? null : (tidied as Value)
}

function invalid(key: SettingKey, { reason, must, details = {} }: Problem): AppError {
  return new AppError('config_invalid', { key, reason, ...details, message: `The value of ${key} ${must}.` })
}

/** Every setting as it is in force; a secret that cannot be opened is none. */
async function valuesNow({ db, env, ...keys }: Pick<Context, 'env' | 'sealer' | 'log'> & { db: Db }): Promise<AllSettings> {
  const set = (await changedSettings(db)).flatMap(({ key, value }) => {
    if (!isSettingKey(key)) return []
    return [[key, isSecret(key) ? openSecret(keys, key, String(value)) : value] as const]
  })
  return { ...allDefaults, ...Object.fromEntries(set), ...fixedSettings(env) }
}

function merged(values: AllSettings, changes: Changes): AllSettings {
  const changed = [...changes].map(([key, value]) => [key, value ?? allDefaults[key]] as const)
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
