import { usage } from './failure.ts'

const sizeUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
const expiryUnits: Record<string, string> = { m: 'minutes', min: 'minutes', h: 'hours', d: 'days', w: 'weeks', mo: 'months', y: 'years' }

/** Formats bytes: `12.3 MB`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(sizeUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  return power === 0 ? `${bytes} B` : `${(bytes / 1000 ** power).toFixed(1)} ${sizeUnits[power]}`
}

/** Formats seconds: `1 h 05 min`, `3 min 20 s`, `12 s`. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [h, min, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  if (h > 0) return `${h} h ${String(min).padStart(2, '0')} min`
  return min > 0 ? `${min} min ${String(s).padStart(2, '0')} s` : `${s} s`
}

/** Formats the expiry of a share in local time. */
export function expiryText(expiration: string): string {
  return new Date(expiration).getTime() === 0 ? 'never' : dateText(expiration)
}

/** Formats a time in local time, such as `2026-12-24 18:00`. */
export function dateText(iso: string): string {
  const time = new Date(iso)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}

/**
 * Converts `7d`, `12h`, `30min`, `2w`, `1mo`, `1y` or `never` to the server's form (`7-days`),
 * which it accepts too.
 */
export function expirationOf(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})(m|min|h|d|w|mo|y)$/.exec(text) ?? []
  if (count) return `${count}-${expiryUnits[unit]}`
  if (text === 'never' || /^\d{1,6}-(minute|hour|day|week|month|year)s?$/.test(text)) return text
  throw usage(`"${text}" is not an expiry. Write never, or a number and a unit: 30min, 12h, 7d, 2w, 1mo, 1y.`)
}

/**
 * Replaces control characters, which a terminal would interpret, and bidirectional marks in
 * untrusted text.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?')
}

export const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

/** Returns the number of an option that limits something. @throws Failure `usage` */
export function limitOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit <= 0) throw usage(`${option} is a whole number from 1.`)
  return limit
}

/** Formats rows with their columns below each other. */
export function table(rows: readonly string[][]): string[] {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
