import { later } from '../../../src/shares/limits.ts'

export const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type Unit = (typeof units)[number]

export interface Expiration {
  never: boolean
  /** null while the field is empty. */
  count: number | null
  unit: Unit
}

/** The form field with a share's expiration. */
export interface ExpirationValues {
  /** In the format of the API (`never` or `7-days`), or the last day: `2026-12-24`. */
  expiration: string
}

/** The server's rules for expirations. */
export interface ExpirationRules {
  /** In the format of the API. */
  preset: string
  /** The longest duration in hours; 0 is unlimited. */
  maxHours: number
}

const hour = 3_600_000 // ms
const minute = 60_000 // ms
const usualChoices = ['1-days', '7-days', '30-days']
const day = /^\d{4}-\d{2}-\d{2}$/
const maxCount = 999_999

/**
 * Returns the latest allowed expiration of a share that is created now; null if there is no limit.
 */
export function latestExpiration({ maxHours }: ExpirationRules, now: Date): Date | null {
  return maxHours > 0 ? new Date(now.getTime() + maxHours * hour) : null
}

/** Returns an expiration in the format of the API: `never` or `7-days`. */
export function expirationText({ never, count, unit }: Expiration): string {
  return never ? 'never' : `${count}-${unit}s`
}

/** Parses an expiration in the format of the API: `never` or `7-days`. */
export function parseExpiration(text: string): Expiration {
  const [count, plural = ''] = text.split('-')
  const unit = units.find((unit) => `${unit}s` === plural || unit === plural)
  return unit ? { never: false, count: Number(count), unit } : { never: text === 'never', count: 7, unit: 'day' }
}

/** Returns whether a value of the form is a day instead of a duration. */
export function isDay(value: string): boolean {
  return day.test(value)
}

/**
 * Returns when a share that is created now would expire; null for never. A chosen day ends at
 * 23:59 in the user's time zone, or at the latest allowed time of that day. Returns undefined
 * without a valid value, for times in the past and after the year 9999.
 */
export function endOf(value: string, rules: ExpirationRules, now: Date): Date | null | undefined {
  if (value === 'never') return null
  if (value === '') return undefined
  const end = isDay(value) ? endOfDay(value, rules, now) : endOfDuration(parseExpiration(value), now)
  return end && end > now && end.getUTCFullYear() <= 9999 ? end : undefined
}

/** Returns the expiration for the request: a chosen day becomes the time that is left until then. */
export function requestedExpiration(value: string, rules: ExpirationRules, now = new Date()): string {
  const end = isDay(value) ? endOfDay(value, rules, now) : undefined
  if (!end) return value
  const minutes = Math.max(1, Math.floor((end.getTime() - now.getTime()) / minute))
  return minutes <= maxCount ? `${minutes}-minutes` : `${Math.floor(minutes / 60)}-hours`
}

/**
 * Returns the durations that the form offers, shortest first: 1, 7 and 30 days, the configured
 * default, and `never`, as far as they are allowed. If one is not, the maximum is offered too.
 */
export function expirationChoices(rules: ExpirationRules, now: Date): string[] {
  const latest = latestExpiration(rules, now)
  const timeOf = (value: string) => endOf(value, rules, now)?.getTime() ?? Number.POSITIVE_INFINITY
  const isAllowed = (value: string) => !latest || timeOf(value) <= latest.getTime()
  const wanted = [rules.preset, 'never', ...usualChoices] // where two are equal, the last one is kept
  const maximum = wanted.every(isAllowed) ? [] : [maximumText(rules)]
  const byTime = new Map([...maximum, ...wanted].filter(isAllowed).map((value) => [timeOf(value), value]))
  return [...byTime].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}

/**
 * Returns the initial value of the form: the configured default, or the maximum if that is shorter.
 */
export function initialExpiration(rules: ExpirationRules, now = new Date()): string {
  const preset = endOf(rules.preset, rules, now)
  const latest = latestExpiration(rules, now)
  const wanted = latest && (!preset || preset > latest) ? latest : preset
  const choices = expirationChoices(rules, now)
  return choices.find((value) => endOf(value, rules, now)?.getTime() === wanted?.getTime()) ?? rules.preset
}

/** Returns a time's day in the user's time zone: `2026-12-24`. */
export function dayOf(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()]
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}

function maximumText({ maxHours }: ExpirationRules): string {
  return maxHours % 24 === 0 ? `${maxHours / 24}-days` : `${maxHours}-hours`
}

function endOfDuration({ count, unit }: Expiration, now: Date): Date | undefined {
  return count ? later(now, count, unit) : undefined
}

function endOfDay(value: string, rules: ExpirationRules, now: Date): Date | undefined {
  const end = new Date(`${value}T23:59:59`) // in the user's time zone
  if (Number.isNaN(end.getTime())) return undefined
  const latest = latestExpiration(rules, now)
  return latest && end > latest && value === dayOf(latest) ? latest : end
}
