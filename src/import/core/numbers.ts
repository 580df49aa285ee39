const integerMax = 2_147_483_647 // of PostgreSQL

/** Returns a count within PostgreSQL's limits for integers; 0 if a damaged row has none. */
export function storableCount(count: number): number {
  return Math.min(integerMax, Math.max(0, Math.ceil(count) || 0))
}

/** Returns a limit in bytes that PostgreSQL and JavaScript can hold. */
export function storableBytes(bytes: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, bytes)
}

/**
 * Whether a date can be stored. A damaged row, or an expiry after the year 275760, has an invalid
 * one.
 */
export function isStorable(date: Date): boolean {
  return !Number.isNaN(date.getTime())
}
