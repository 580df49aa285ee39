import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import { api, call } from '../../api.ts'
import { untilRefused } from '../../lib/polling.ts'

export const pageSize = 20
/** Days that the chart shows. Its text for screen readers names them. */
const chartDays = 14

interface ActivityPage {
  entries: Activity[]
  total: number
}

/** Reads one page of a share's activity, the newest first, again and again while the page is visible. */
export function activityOf(shareId: string, page: number) {
  return queryOptions({
    queryKey: ['activity', shareId, page],
    queryFn: async (): Promise<ActivityPage> => {
      const querystring = { page, limit: pageSize }
      const { data, headers } = await call('GET /api/shares/:id/activity', { params: { id: shareId }, querystring })
      return { entries: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: untilRefused,
  })
}

/**
 * Reads how much happened on each of the last days in the user's time zone, again and again while
 * the page is visible.
 */
export function activityDaysOf(shareId: string) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return queryOptions({
    queryKey: ['activity-days', shareId],
    queryFn: () => api('GET /api/shares/:id/activity/days', { params: { id: shareId }, querystring: { days: chartDays, timeZone } }),
    refetchInterval: untilRefused,
  })
}
