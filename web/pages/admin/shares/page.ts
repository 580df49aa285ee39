import { queryOptions } from '@tanstack/react-query'
import type { Output } from '../../../../src/http/contract.ts'
import type { SortKey, sharesContract } from '../../../../src/shares/contract.ts'
import { call } from '../../../api.ts'

export type AnyShare = Output<(typeof sharesContract)['GET /api/shares/all']>[number]
export type { SortKey }
export interface Sort {
  sort: SortKey
  order: 'asc' | 'desc'
}

export const newestFirst: Sort = { sort: 'createdAt', order: 'desc' }
export const pageSize = 25
/**
 * What the shares can be sorted by, in the order of the columns, each with the direction of the
 * first click.
 */
export const sortKeys: { sort: SortKey; first: Sort['order'] }[] = [
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
  sort: Sort
}

/** Reads one page of all shares and the number of shares on all pages. */
export function sharesPage({ page, search, sort }: PageQuery) {
  return queryOptions({
    queryKey: ['shares', 'all', search, sort, page],
    queryFn: async () => {
      const { data, headers } = await call('GET /api/shares/all', {
        querystring: { page, limit: pageSize, ...sort, ...(search && { search }) },
      })
      return { rows: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
  })
}
