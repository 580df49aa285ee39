import type { Activity } from '../../../src/shares/activity/contract.ts'

/** What happened on one day in the user's time zone. */
export interface Day {
  /** Its first moment. */
  start: Date
  visits: number
  downloads: number
}

const kindCounts = { opened: 'visits', downloaded: 'downloads', 'handed-out': 'downloads' } as const

/** Counts visits and downloads on each of the last `count` days, the oldest first. */
export function daysOf(entries: readonly Pick<Activity, 'at' | 'kind'>[], count: number, now: Date): Day[] {
  const days = Array.from({ length: count }, (_, index): Day => {
    const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index))
    return { start, visits: 0, downloads: 0 }
  })
  for (const { at, kind } of entries) {
    const time = new Date(at)
    const day = days.findLast(({ start }) => start <= time)
    if (day && kind in kindCounts) day[kindCounts[kind as keyof typeof kindCounts]]++
  }
  return days
}
