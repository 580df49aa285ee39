/** A share's link: letters, digits, underscores and hyphens. */
export const linkPattern = '^[A-Za-z0-9_-]+$'
export const linkMinLength = 3
export const linkMaxLength = 50
/** Links that are calls of the API themselves. */
export const reservedLinks = ['all', 'isShareIdAvailable']
export const nameMaxLength = 100
/** One line: no control characters. */
export const namePattern = '^[^\\u0000-\\u001f\\u007f]*$'
export const descriptionMaxLength = 512
/** Several lines, but no NUL, which PostgreSQL does not store. */
export const descriptionPattern = '^[^\\u0000]*$'
export const sharePasswordMinLength = 3
export const sharePasswordMaxLength = 128
export const recipientsMax = 100
export const emailMaxLength = 254
/** What a sender says to who receives a share. */
export const messageMaxLength = 2000
export const maxViewsMax = 1_000_000_000
/** Bytes of UTF-8 in one segment of a file's name. */
export const segmentMaxBytes = 255
/** Bytes of UTF-8 in a file's whole name with its folders. */
export const fileNameMaxBytes = 4096
/** Shares that one account, or one address without an account, may be uploading at once. */
export const openSharesMax = 100
/** Unfinished files that one account, or one address without an account, may have in all its shares. */
export const openFilesMax = 1000
/** Seconds after which a caller with too many open uploads may try again. */
export const openUploadsRetryAfter = 60
/** Milliseconds without a byte after which an upload that was not finished is given up. */
export const abandonedAfter = 86_400_000
/** `never`, or a number and a unit. */
export const expirationPattern = '^(never|[0-9]{1,6}-(minute|hour|day|week|month|year)s?)$'
const hour = 3_600_000 // ms
const spans: Record<string, number> = { minute: 60_000, hour, day: 24 * hour, week: 168 * hour }

/** The moment so many minutes, hours, days, weeks, months or years later, in UTC; a day that the month lacks becomes its last one. */
export function later(from: Date, count: number, unit: string): Date {
  const span = spans[unit]
  return span ? new Date(from.getTime() + count * span) : addMonths(from, unit === 'year' ? count * 12 : count)
}

function addMonths(from: Date, months: number): Date {
  const result = new Date(from)
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)).getUTCDate()
  result.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return result
}
