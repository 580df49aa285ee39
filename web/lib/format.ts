import { intlLocale } from './intl-locale.ts'

const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const
const kept = new Map<string, unknown>()

/** Making a formatter takes far longer than using it: a long list would be slow to show. */
function formatter<T>(name: string, make: () => T): T {
  const key = `${intlLocale} ${name}`
  const known = (kept.get(key) as T | undefined) ?? make()
  kept.set(key, known)
  return known
}

const never = 0 // ms since 1970: what the compatible calls say for "never"

/** A number of bytes in decimal units: `0 B`, `25 kB`, `1.5 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let power = 0
  while (value >= 999.95 && power < units.length) {
    value /= 1000
    power++
  }
  const unit = units[power - 1]
  if (!unit) return `${formatNumber(bytes)} B`
  const maximumFractionDigits = value < 100 ? 1 : 0
  const make = () => new Intl.NumberFormat(intlLocale, { style: 'unit', unit, maximumFractionDigits })
  return formatter(`${unit} ${maximumFractionDigits}`, make).format(value)
}

export function formatNumber(value: number): string {
  return formatter('number', () => new Intl.NumberFormat(intlLocale)).format(value)
}

/** A part of a whole from 0 to 1: `40%`. */
export function formatPercent(part: number): string {
  return formatter('percent', () => new Intl.NumberFormat(intlLocale, { style: 'percent' })).format(part)
}

/** A moment in the reader's time zone, to the minute. */
export function formatTime(iso: string): string {
  const make = () => new Intl.DateTimeFormat(intlLocale, { dateStyle: 'medium', timeStyle: 'short' })
  return formatter('time', make).format(new Date(iso))
}

/** A moment with its day of the week and the name of the reader's time zone. */
export function formatTimeFully(iso: string): string {
  const make = () =>
    new Intl.DateTimeFormat(intlLocale, {
      weekday: 'long',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'long',
    })
  return formatter('time, fully', make).format(new Date(iso))
}

const spans = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const slack = 0.02 // of a unit

/** How far a moment is from now: `in 6 days`. Part of a unit does not count, unless it is nearly one: seven days less the moment since are seven days. */
export function formatDistance(iso: string, now = Date.now()): string {
  const distance = Date.parse(iso) - now
  const [unit, length] = spans.find(([, length]) => Math.abs(distance) >= length) ?? ['minute', 60_000]
  const make = () => new Intl.RelativeTimeFormat(intlLocale, { numeric: 'auto' })
  return formatter('distance', make).format(Math.trunc(distance / length + Math.sign(distance) * slack), unit)
}

/** Whether an expiration means that the share stays. */
export function isNever(expiration: string): boolean {
  return Date.parse(expiration) === never
}
