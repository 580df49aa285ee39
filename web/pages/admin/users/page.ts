import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api.ts'

export const pageSize = 25

/** Reads one page of the users, sorted by name, and the number of users on all pages. */
export function usersPage(search: string, page: number) {
  return queryOptions({
    queryKey: ['users', search, page],
    queryFn: async () => {
      const { data, headers } = await call('GET /api/users', { querystring: { page, limit: pageSize, ...(search && { search }) } })
      return { rows: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
  })
}
