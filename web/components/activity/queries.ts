import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import { call } from '../../api.ts'
import { untilRefused } from '../../lib/polling.ts'

export const pageSize = 20
/** Entries that the chart counts. */
const chartEntries = 200

interface ActivityPage {
  entries: Activity[]
  total: number
}

/** Reads one page of a share's activity, the newest first, again and again while the page is visible. */
export function activityOf(shareId: string, page: number, limit = pageSize) {
  return queryOptions({
    queryKey: ['activity', shareId, limit, page],
    queryFn: async (): Promise<ActivityPage> => {
      const { data, headers } = await call('GET /api/shares/:id/activity', { params: { id: shareId }, querystring: { page, limit } })
      return { entries: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: untilRefused,
  })
}

/** Reads the newest entries of a share's activity for the chart. */
export const recentActivityOf = (shareId: string) => activityOf(shareId, 1, chartEntries)
