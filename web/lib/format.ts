import { formatByteSize } from '../../src/byte-sizes.ts'
import { intlLocale } from './intl-locale.ts'

const formatters = new Map<string, unknown>()

/**
 * Caches formatters: creating one takes far longer than using it, which would make long lists slow.
 */
function formatter<T>(name: string, create: () => T): T {
  const key = `${intlLocale} ${name}`
  const cached = (formatters.get(key) as T | undefined) ?? create()
  formatters.set(key, cached)
  return cached
}

const never = 0 // ms since 1970: the compatible API's value for "never"

/** Formats a number of bytes in decimal units: `0 B`, `25 kB`, `1.5 GB`. */
export function formatBytes(bytes: number): string {
  return formatByteSize(bytes, intlLocale)
}

/** Formats a number with the separators of the page's language. */
export function formatNumber(value: number): string {
  return formatter('number', () => new Intl.NumberFormat(intlLocale)).format(value)
}

/** Formats a fraction from 0 to 1: `40%`. */
export function formatPercent(part: number): string {
  return formatter('percent', () => new Intl.NumberFormat(intlLocale, { style: 'percent' })).format(part)
}

/** Formats a duration such as `30 days`. */
export function formatDuration(count: number, unit: string): string {
  const create = () => new Intl.NumberFormat(intlLocale, { style: 'unit', unit, unitDisplay: 'long' })
  return formatter(`duration in ${unit}`, create).format(count)
}

/** Formats the day of a time in the reader's time zone. */
export function formatDay(iso: string): string {
  const create = () => new Intl.DateTimeFormat(intlLocale, { dateStyle: 'medium' })
  return formatter('day', create).format(new Date(iso))
}

/** Formats a time in the reader's time zone, to the minute. */
export function formatTime(iso: string): string {
  const create = () => new Intl.DateTimeFormat(intlLocale, { dateStyle: 'medium', timeStyle: 'short' })
  return formatter('time', create).format(new Date(iso))
}

/** Formats a time with the day of the week and the name of the reader's time zone. */
export function formatTimeFully(iso: string): string {
  const create = () =>
    new Intl.DateTimeFormat(intlLocale, {
      weekday: 'long',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'long',
    })
  return formatter('time, fully', create).format(new Date(iso))
}

/**
 * Formats a time in the near future with the day of the week: `Sat, Dec 5, 9:12 PM`. The year is
 * included unless it is that of `now`.
 */
export function formatExpiration(iso: string, now = new Date()): string {
  const time = new Date(iso)
  const year = time.getFullYear() === now.getFullYear() ? undefined : 'numeric'
  const create = () =>
    new Intl.DateTimeFormat(intlLocale, { weekday: 'short', year, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
  return formatter(`expiration ${year}`, create).format(time)
}

const hour = 3_600_000 // ms
const day = 24 * hour
/**
 * Units with the smallest distance that is shown in them, so that rounding down never loses half of
 * it.
 */
const scale = [
  ['year', 365.25 * day, 2 * 365.25 * day],
  ['month', 30.4375 * day, 90 * day],
  ['day', day, 2 * day],
  ['hour', hour, 2 * hour],
  ['minute', 60_000, 0],
] as const
const slack = 60_000 // ms

/**
 * Formats the distance of a time from now: `in 6 days`. Rounds down to whole units, so that no one
 * comes too late. A minute of slack keeps an expiration that was just set at seven days.
 */
export function formatDistance(iso: string, now = Date.now()): string {
  const distance = Date.parse(iso) - now
  const length = Math.abs(distance) + slack
  const [unit, unitLength] = scale.find(([, , from]) => length >= from) ?? scale[4]
  const count = Math.floor(unit === 'minute' ? Math.abs(distance) / unitLength : length / unitLength)
  const create = () => new Intl.RelativeTimeFormat(intlLocale, { numeric: count === 0 ? 'auto' : 'always' })
  return formatter(count === 0 ? 'this minute' : 'distance', create).format(Math.sign(distance) * count, unit)
}

/** Returns whether an expiration means that the share never expires. */
export function isNever(expiration: string): boolean {
  return Date.parse(expiration) === never
}
