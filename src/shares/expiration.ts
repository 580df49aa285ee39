import { AppError } from '../errors.ts'
import { expirationPattern, later } from './limits.ts'

const pattern = new RegExp(expirationPattern)
const latestYear = 9999
const hour = 3_600_000 // ms

/**
 * When a share expires that is made at `now` with the expiration `text`: `never` (null), or a number from 1 and a unit, such as `7-days`. In UTC; months and
 * years are the calendar's, and a day that the month lacks becomes its last one. Throws `expiration_invalid`, also for what lies beyond the year 9999.
 */
export function parseExpiration(text: string, now: Date): Date | null {
  if (text === 'never') return null
  const [count = '', unit = ''] = pattern.test(text) ? text.split('-') : []
  const number = Number(count)
  const expires = number > 0 ? later(now, number, unit.replace(/s$/, '')) : null
  if (!expires || !(expires.getUTCFullYear() <= latestYear)) throw new AppError('expiration_invalid')
  return expires
}

/** Throws `expiration_exceeds_maximum` with `max` (ISO 8601) when `expires` lies further ahead than `hours`; 0 is no limit, null never expires. */
export function checkMaximum(expires: Date | null, hours: number, now: Date): void {
  const latest = latestExpiration(hours, now)
  if (latest && (!expires || expires > latest)) throw new AppError('expiration_exceeds_maximum', { max: latest.toISOString() })
}

/** The expiration that is meant when none is asked for: the default, but no later than the maximum allows. */
export function defaultExpiration(text: string, hours: number, now: Date): Date | null {
  const latest = latestExpiration(hours, now)
  const expires = parseExpiration(text, now)
  return latest && (!expires || expires > latest) ? latest : expires
}

function latestExpiration(hours: number, now: Date): Date | null {
  return hours > 0 ? new Date(now.getTime() + hours * hour) : null
}
