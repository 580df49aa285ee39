import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'

const queryKey = ['reverse-shares']
const pageSize = 10
/** Of what came through a link: what is shown at first, and on a page of it. */
export const arrivals = { first: 5, pageSize: 20 }
/** File names of each share that are shown. */
export const namedFiles = 3

/** A page of the user's reverse shares with what has come last, asked for again whenever the page is looked at. */
export function useReverseShares(page: number) {
  const querystring = { page, limit: pageSize, shares: arrivals.first, files: namedFiles }
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

/** A page of what has come through one reverse share; null: not asked for. */
export function useArrivals(id: string, page: number | null) {
  const querystring = { page: page ?? 1, limit: arrivals.pageSize, files: namedFiles }
  return useQuery({
    queryKey: [...queryKey, id, page],
    queryFn: async () => (await call('GET /api/reverseShares/:id/shares', { params: { id }, querystring })).data,
    enabled: page !== null,
    placeholderData: keepPreviousData,
  })
}

/** Has the lists read anew that a change here shows in. */
export function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => Promise.all([queries.invalidateQueries({ queryKey }), queries.invalidateQueries({ queryKey: ['shares'] })])
}
