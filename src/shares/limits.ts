/** Matches a share's link: letters, digits, underscores and hyphens. */
export const linkPattern = '^[A-Za-z0-9_-]+$'
export const linkMinLength = 3
export const linkMaxLength = 50
/** Links that would hide calls of the API. */
export const reservedLinks = ['all', 'isShareIdAvailable']
export const nameMaxLength = 100
/** One line: no control characters. */
export const namePattern = '^[^\\u0000-\\u001f\\u007f]*$'
export const descriptionMaxLength = 512
/** Several lines, but no NUL, which PostgreSQL can't store. */
export const descriptionPattern = '^[^\\u0000]*$'
export const sharePasswordMinLength = 3
export const sharePasswordMaxLength = 128
export const recipientsMax = 100
/** Shares that a search of all shares counts and pages at most. */
export const countedMax = 10_000
export const emailMaxLength = 254
/** The sender's message to the receiver of a share. */
export const messageMaxLength = 2000
export const maxViewsMax = 1_000_000_000
export const maxDownloadsMax = 1_000_000_000
/** Links of one share, the first included, but not those of its recipients. */
export const linksMax = 100
/** Attempts to find a random link that is free. */
export const idAttempts = 10
/** One segment of a file name, in UTF-16 code units, which Windows and macOS count too. */
export const segmentMaxLength = 255
/** A file name with its folders, in bytes of UTF-8. */
export const fileNameMaxBytes = 4096
/**
 * All file names of a share together have at most this many bytes of UTF-8 for each file allowed.
 */
export const nameBytesPerFile = 400
/** The least that this limit comes to, for shares of few files. */
export const leastNameBytes = 100_000
/** The plan of an archive with at least so many files is kept, because it takes long to compute. */
export const plannedZipFiles = 1_000
/** Shares that one account, or one IP address without an account, can upload at once. */
export const openSharesMax = 100
/**
 * Unfinished files that one account, or one IP address without an account, can have in all shares.
 */
export const openFilesMax = 1000
/** Seconds until a caller with too many open uploads can retry. */
export const openUploadsRetryAfter = 60
/** Milliseconds without activity until an unfinished upload counts as abandoned. */
export const abandonedAfter = 86_400_000
/** Shares that one call can delete, restore or extend. */
export const idsMax = 200
/** Milliseconds in which a deletion can be undone. */
export const undoFor = 30_000
const hour = 3_600_000 // ms
const spans: Record<string, number> = { minute: 60_000, hour, day: 24 * hour, week: 168 * hour }

/**
 * Adds minutes, hours, days, weeks, months or years to a time, in UTC.
 * Months and years follow the calendar; a day that the month doesn't have becomes its last day.
 */
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
