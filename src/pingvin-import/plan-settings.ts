import { changedSettings } from '../config/queries.ts'
import { conflictOf } from '../config/rules.ts'
import { fixedSettings } from '../config/service.ts'
import { type AllSettings, allDefaults, isSettingKey, type SettingKey, typeOf } from '../config/settings.ts'
import { normalize, problemOf } from '../config/values.ts'
import type { Pingvin } from './pingvin.ts'
import type { Plan, Planning } from './plan.ts'

/** Pingvin's time spans (`3 months`) in hours. */
const hours: Record<string, number> = { minute: 1 / 60, hour: 1, day: 24, week: 168, month: 730, year: 8760 }
const inHours: SettingKey[] = ['share.maxExpiration', 'general.sessionDuration']
const localhost = /^https?:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/

type Value = string | number | boolean

/** Which settings are taken: those that exist here, are allowed here, go together, and were not set here. */
export async function planSettings(ctx: Planning, { settings }: Pingvin, plan: Plan): Promise<void> {
  const leave = (name: string, why: string) => plan.left.push({ kind: 'settings', name, why })
  const set = new Map((await changedSettings(ctx.db)).map(({ key, value }) => [key, value]))
  const fixed = fixedSettings(ctx.env)
  const chosen = new Map<SettingKey, Value>()
  for (const { key, value: text } of settings) {
    if (key === 'internal.jwtSecret' || text === '') continue
    if (!isSettingKey(key)) {
      leave(key, 'there is no such setting here')
      continue
    }
    const value = normalize(key, readValue(key, text)) as Value
    const why = reasonAgainst(key, value)
    if (set.has(key) || key in fixed) plan.here.settings++
    else if (why) leave(key, why)
    else if (value !== allDefaults()[key]) chosen.set(key, value)
  }
  const others = { ...allDefaults(), ...Object.fromEntries(set), ...fixed }
  dropConflicts(others as AllSettings, chosen, leave)
  plan.settings = [...chosen].map(([key, value]) => ({ key, value }))
}

function readValue(key: SettingKey, text: string): Value {
  const type = typeOf(key)
  if (type === 'boolean') return text === 'true'
  if (type !== 'number') return text
  const [, count, unit] = /^(\d+) (minute|hour|day|week|month|year)s?$/.exec(text) ?? []
  return inHours.includes(key) && count ? Math.ceil(Number(count) * hours[unit!]!) : Number(text)
}

function reasonAgainst(key: SettingKey, value: Value): string | null {
  if (key === 'general.appUrl' && localhost.test(String(value))) return 'leads to this machine only'
  if (key === 'email.inviteMessage' && String(value).includes('{password}')) return 'invitations carry a link here, and no password'
  const problem = problemOf(key, value)
  return problem && `${problem.must} here`
}

/** Takes out what others would need, until all that is left goes together. */
function dropConflicts(others: AllSettings, chosen: Map<SettingKey, Value>, leave: (name: string, why: string) => void): void {
  for (;;) {
    const conflict = conflictOf({ ...others, ...Object.fromEntries(chosen) }, new Set(chosen.keys()))
    if (!conflict) return
    const key = chosen.has(conflict.key) ? conflict.key : conflict.needs
    if (!key || !chosen.delete(key)) return
    leave(key, conflict.must)
  }
}
