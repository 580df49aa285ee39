import { queryOptions } from '@tanstack/react-query'
import type { Output } from '../../../../src/http/contract.ts'
import type { SortKey, sharesContract } from '../../../../src/shares/contract.ts'
import { countedMax } from '../../../../src/shares/limits.ts'
import { call } from '../../../api.ts'
import type { Sort, SortKeys } from '../../../components/sorting/sort.ts'

export type AnyShare = Output<(typeof sharesContract)['GET /api/shares/all']>[number]
export type { SortKey }

export const newestFirst: Sort<SortKey> = { sort: 'createdAt', order: 'desc' }
export const pageSize = 25
export const sortKeys: SortKeys<SortKey> = [
  { sort: 'name', first: 'asc' },
  { sort: 'creator', first: 'asc' },
  { sort: 'views', first: 'desc' },
  { sort: 'size', first: 'desc' },
  { sort: 'expiration', first: 'asc' },
  { sort: 'createdAt', first: 'desc' },
]

interface PageQuery {
  page: number
  search: string
  sort: Sort<SortKey>
}

/**
 * Reads one page of all shares and the number of shares on all pages. `isMore`: a search found more
 * than these.
 */
export function sharesPage({ page, search, sort }: PageQuery) {
  return queryOptions({
    queryKey: ['shares', 'all', search, sort, page],
    queryFn: async () => {
      const { data, headers } = await call('GET /api/shares/all', {
        querystring: { page, limit: pageSize, ...sort, ...(search && { search }) },
      })
      const count = Number(headers.get('x-total-count') ?? data.length)
      const isMore = search !== '' && count > countedMax
      return { rows: data, total: isMore ? countedMax : count, isMore }
    },
  })
}
