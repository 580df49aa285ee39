import { intlLocale } from '../../lib/intl-locale.ts'

/** How long something still takes, as coarse as such a guess is: `40 sec`, `3 min`, `2 hr`. */
export function formatDuration(seconds: number): string {
  if (seconds < 55) return inUnit(Math.max(5, Math.ceil(seconds / 5) * 5), 'second')
  if (seconds < 55 * 60) return inUnit(Math.round(seconds / 60), 'minute')
  if (seconds < 36 * 3600) return inUnit(Math.round(seconds / 1800) / 2, 'hour')
  return inUnit(Math.round(seconds / 86_400), 'day')
}

function inUnit(value: number, unit: 'second' | 'minute' | 'hour' | 'day'): string {
  return new Intl.NumberFormat(intlLocale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }).format(value)
}
