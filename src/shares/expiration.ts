import { expirationPattern } from '../config/limits.ts'
import { AppError } from '../errors.ts'
import { later } from './limits.ts'

const pattern = new RegExp(expirationPattern)
const latestYear = 9999
const hour = 3_600_000 // ms

/**
 * Returns when a share created at `now` expires; null for `never`.
 * `text` is `never`, or a number from 1 and a unit such as `7-days`; see `later` for months and
 * years.
 * @throws {AppError} expiration_invalid: also for a time after the year 9999
 */
export function parseExpiration(text: string, now: Date): Date | null {
  if (text === 'never') return null
  const [count = '', unit = ''] = pattern.test(text) ? text.split('-') : []
  const number = Number(count)
  const expires = number > 0 ? later(now, number, unit.replace(/s$/, '')) : null
  if (!expires || !(expires.getUTCFullYear() <= latestYear)) throw new AppError('expiration_invalid')
  return expires
}

/**
 * Checks that `expires` is at most `hours` after `now`. 0 hours mean no limit; null never expires.
 * @throws {AppError} expiration_exceeds_maximum: with `max` (ISO 8601)
 */
export function checkMaximum(expires: Date | null, hours: number, now: Date): void {
  const latest = latestExpiration(hours, now)
  if (latest && (!expires || expires > latest)) throw new AppError('expiration_exceeds_maximum', { max: latest.toISOString() })
}

/** Returns the default expiration, limited to the maximum of `hours`. 0 hours mean no limit. */
export function defaultExpiration(text: string, hours: number, now: Date): Date | null {
  const latest = latestExpiration(hours, now)
  const expires = parseExpiration(text, now)
  return latest && (!expires || expires > latest) ? latest : expires
}

function latestExpiration(hours: number, now: Date): Date | null {
  return hours > 0 ? new Date(now.getTime() + hours * hour) : null
}

/** Returns the earlier one of two expirations, of which null is never. */
export function earlier(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other < one) ? other : one
}
