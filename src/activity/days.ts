/** Days that one call counts. */
export const daysMax = 90

/** A day as it begins in a time zone. */
export interface DayStart {
  /** `2026-12-24` */
  day: string
  start: Date
}

/** Returns whether a name such as `Europe/Berlin` is a known time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/**
 * Returns the last `count` days in a time zone, today included, the oldest first. Where a day begins
 * with a change of the clocks, its start can be off by that change.
 * @throws {RangeError} the time zone is unknown
 */
export function lastDays(count: number, timeZone: string, now: Date): DayStart[] {
  const clock = clockOf(timeZone)
  const today = new Date(clock(now)).setUTCHours(0, 0, 0, 0)
  return Array.from({ length: count }, (_, index) => {
    const midnight = new Date(today)
    midnight.setUTCDate(midnight.getUTCDate() - (count - 1 - index))
    const wanted = midnight.getTime()
    const offsetAt = (time: number) => clock(new Date(time)) - time
    return { day: midnight.toISOString().slice(0, 10), start: new Date(wanted - offsetAt(wanted - offsetAt(wanted))) }
  })
}

/** Returns a function that reads the clock of a time zone, as if it were one of UTC. */
function clockOf(timeZone: string): (time: Date) => number {
  const options = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-hc-h23', { ...options, timeZone })
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
}
