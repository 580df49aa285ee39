import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api.ts'

export const pageSize = 25

/** One page of the users by name, and how many there are on all pages. */
export function usersPage(search: string, page: number) {
  return queryOptions({
    queryKey: ['users', search, page],
    queryFn: async () => {
      const { data, headers } = await call('GET /api/users', { querystring: { page, limit: pageSize, ...(search && { search }) } })
      return { rows: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
  })
}
