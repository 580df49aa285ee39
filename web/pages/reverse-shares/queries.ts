import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'

const queryKey = ['reverse-shares']

/** The user's reverse shares with what has come, asked for again whenever the page is looked at. */
export function useReverseShares() {
  return useQuery({ queryKey, queryFn: () => api('GET /api/reverseShares'), refetchOnWindowFocus: 'always' })
}

/** Has the lists read anew that a change here shows in. */
export function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => Promise.all([queries.invalidateQueries({ queryKey }), queries.invalidateQueries({ queryKey: ['shares'] })])
}
