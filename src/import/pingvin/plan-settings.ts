import { changedSettings } from '../../config/queries.ts'
import { conflictOf } from '../../config/rules.ts'
import { fixedSettings } from '../../config/service.ts'
import { type AllSettings, allDefaults, isSettingKey, type SettingKey, typeOf } from '../../config/settings.ts'
import { normalize, problemOf } from '../../config/values.ts'
import type { Plan, PlanContext } from '../core/plan.ts'

/** The units of Pingvin Share's time spans such as `3 months`, in hours. */
const hours: Record<string, number> = { minute: 1 / 60, hour: 1, day: 24, week: 168, month: 730, year: 8760 }
const inHours: SettingKey[] = ['share.maxExpiration', 'general.sessionDuration']
const localhost = /^https?:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/

/** A setting that an administrator changed. */
export interface PingvinSetting {
  key: string
  value: string
}

type Value = string | number | boolean

/**
 * Plans the import of settings that exist here, are valid here, don't conflict, and weren't changed
 * here.
 */
export async function planSettings(ctx: PlanContext, settings: PingvinSetting[], plan: Plan): Promise<void> {
  const skip = (name: string, why: string) => plan.skipped.push({ kind: 'settings', name, why })
  const stored = new Map((await changedSettings(ctx.db)).map(({ key, value }) => [key, value]))
  const fixed = fixedSettings(ctx.env)
  const chosen = new Map<SettingKey, Value>()
  for (const { key, value: text } of settings) {
    if (key === 'internal.jwtSecret' || text === '') continue
    if (!isSettingKey(key)) {
      skip(key, 'does not exist here')
      continue
    }
    const value = normalize(key, readValue(key, text)) as Value
    const why = reasonToSkip(key, value)
    if (stored.has(key) || key in fixed) plan.existing.settings++
    else if (why) skip(key, why)
    else if (value !== allDefaults()[key]) chosen.set(key, value)
  }
  const current = { ...allDefaults(), ...Object.fromEntries(stored), ...fixed }
  dropConflicts(current as AllSettings, chosen, skip)
  plan.settings = [...chosen].map(([key, value]) => ({ key, value }))
}

function readValue(key: SettingKey, text: string): Value {
  const type = typeOf(key)
  if (type === 'boolean') return text === 'true'
  if (type !== 'number') return text
  const [, count, unit] = /^(\d+) (minute|hour|day|week|month|year)s?$/.exec(text) ?? []
  return inHours.includes(key) && count && unit ? Math.ceil(Number(count) * (hours[unit] ?? Number.NaN)) : Number(text)
}

function reasonToSkip(key: SettingKey, value: Value): string | null {
  if (key === 'general.appUrl' && localhost.test(String(value))) return 'is reachable only from this machine'
  if (key === 'email.inviteMessage' && String(value).includes('{password}')) return 'invitations contain a link here, not a password'
  const problem = problemOf(key, value)
  return problem && `${problem.must} here`
}

/** Skips settings until the remaining ones don't conflict. */
function dropConflicts(current: AllSettings, chosen: Map<SettingKey, Value>, skip: (name: string, why: string) => void): void {
  for (;;) {
    const conflict = conflictOf({ ...current, ...Object.fromEntries(chosen) }, new Set(chosen.keys()))
    if (!conflict) return
    const key = chosen.has(conflict.key) ? conflict.key : conflict.needs
    if (!key || !chosen.delete(key)) return
    skip(key, conflict.must)
  }
}
