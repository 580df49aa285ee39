import { later } from '../../../src/shares/limits.ts'
import { settings } from '../../start.ts'

export const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type Unit = (typeof units)[number]

export interface Expiration {
  never: boolean
  /** Null while the field is empty. */
  count: number | null
  unit: Unit
}

const hour = 3_600_000 // ms

/** The latest moment at which a share made now may end; null when any will do. */
export function latestExpiration(now: Date): Date | null {
  const hours = settings['share.maxExpiration']
  return hours > 0 ? new Date(now.getTime() + hours * hour) : null
}

/** When a share made now would end: null for never, undefined while that is not said or beyond all calendars. */
export function expiresAt({ never, count, unit }: Expiration, now: Date): Date | null | undefined {
  if (never) return null
  const end = count ? later(now, count, unit) : undefined
  return end && end.getUTCFullYear() <= 9999 ? end : undefined
}

/** As the API wants it: `never`, or `7-days`. */
export function expirationText({ never, count, unit }: Expiration): string {
  return never ? 'never' : `${count}-${unit}s`
}

/** What the form starts with: the configured default, or the most that is allowed. */
export function initialExpiration(now: Date): Expiration {
  const preset = parseExpiration(settings['share.defaultExpiration'])
  const latest = latestExpiration(now)
  const end = expiresAt(preset, now)
  if (!latest || (end && end <= latest)) return preset
  const hours = settings['share.maxExpiration']
  return hours % 24 === 0 ? { never: false, count: hours / 24, unit: 'day' } : { never: false, count: hours, unit: 'hour' }
}

/** Reads what the API says: `never`, or `7-days`. */
export function parseExpiration(text: string): Expiration {
  const [count, unit = ''] = text.split('-')
  const known = units.find((one) => one === unit.replace(/s$/, ''))
  return known ? { never: false, count: Number(count), unit: known } : { never: text === 'never', count: 7, unit: 'day' }
}
