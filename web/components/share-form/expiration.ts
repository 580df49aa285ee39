import { later } from '../../../src/shares/limits.ts'
import { settings } from '../../start.ts'

export const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type Unit = (typeof units)[number]

export interface Expiration {
  never: boolean
  /** null while the field is empty. */
  count: number | null
  unit: Unit
}

const hour = 3_600_000 // ms

/**
 * Returns the latest allowed expiration of a share that is created now; null if there is no limit.
 */
export function latestExpiration(now: Date): Date | null {
  const hours = settings['share.maxExpiration']
  return hours > 0 ? new Date(now.getTime() + hours * hour) : null
}

/**
 * Returns when a share that is created now would expire; null for never.
 * Returns undefined while the number is missing and for dates after the year 9999.
 */
export function expiresAt({ never, count, unit }: Expiration, now: Date): Date | null | undefined {
  if (never) return null
  const end = count ? later(now, count, unit) : undefined
  return end && end.getUTCFullYear() <= 9999 ? end : undefined
}

/** Returns an expiration in the format of the API: `never` or `7-days`. */
export function expirationText({ never, count, unit }: Expiration): string {
  return never ? 'never' : `${count}-${unit}s`
}

/**
 * Returns the initial value of the form: the configured default, or the maximum if that is shorter.
 */
export function initialExpiration(now: Date): Expiration {
  const preset = parseExpiration(settings['share.defaultExpiration'])
  const latest = latestExpiration(now)
  const end = expiresAt(preset, now)
  if (!latest || (end && end <= latest)) return preset
  const hours = settings['share.maxExpiration']
  return hours % 24 === 0 ? { never: false, count: hours / 24, unit: 'day' } : { never: false, count: hours, unit: 'hour' }
}

/** Parses an expiration in the format of the API: `never` or `7-days`. */
export function parseExpiration(text: string): Expiration {
  const [count, plural = ''] = text.split('-')
  const unit = units.find((unit) => `${unit}s` === plural || unit === plural)
  return unit ? { never: false, count: Number(count), unit } : { never: text === 'never', count: 7, unit: 'day' }
}
