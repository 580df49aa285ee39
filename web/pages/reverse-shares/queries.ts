import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { pageSize as activityPageSize } from '../../components/activity/queries.ts'
import { untilRefused } from '../../lib/polling.ts'

const queryKey = ['reverse-shares']
const pageSize = 10
/** Received shares of each reverse share that are shown before the user asks for all. */
const previewSize = 5
/** Received shares on a page. */
export const receivedPageSize = 20
/** File names that are shown of each received share. */
export const namedFiles = 3

/**
 * Loads a page of the user's reverse shares with the last received shares, again whenever the
 * window gets the focus.
 */
export function useReverseShares(page: number) {
  const querystring = { page, limit: pageSize, shares: previewSize, files: namedFiles }
  return useQuery({
    queryKey: [...queryKey, page],
    queryFn: async () => {
      const { data, headers } = await call('GET /api/reverseShares', { querystring })
      const total = Number(headers.get('x-total-count') ?? data.length)
      return { rows: data, total, pages: Math.max(1, Math.ceil(total / pageSize)) }
    },
    refetchOnWindowFocus: 'always',
    placeholderData: keepPreviousData,
  })
}

/** Loads a page of the shares received through a reverse share; loads nothing if `page` is null. */
export function useReceivedShares(id: string, page: number | null) {
  const querystring = { page: page ?? 1, limit: receivedPageSize, files: namedFiles }
  return useQuery({
    queryKey: [...queryKey, id, page],
    queryFn: async () => (await call('GET /api/reverseShares/:id/shares', { params: { id }, querystring })).data,
    enabled: page !== null,
    placeholderData: keepPreviousData,
  })
}

/** Reads one page of an upload link's activity, again and again while the page is visible. */
export function activityOf(id: string, page: number) {
  const querystring = { page, limit: activityPageSize }
  return queryOptions({
    queryKey: ['upload-link-activity', id, page],
    queryFn: async () => {
      const { data, headers } = await call('GET /api/reverseShares/:id/activity', { params: { id }, querystring })
      return { entries: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: untilRefused,
  })
}

/** Returns a function that loads the lists of shares and reverse shares again. */
export function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => Promise.all([queries.invalidateQueries({ queryKey }), queries.invalidateQueries({ queryKey: ['shares'] })])
}
