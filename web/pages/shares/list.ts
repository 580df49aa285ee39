import { queryOptions } from '@tanstack/react-query'
import type { OwnShare, OwnSortKey, ShareFilter } from '../../../src/shares/contract.ts'
import { call } from '../../api.ts'
import type { Sort, SortKeys } from '../../components/sorting/sort.ts'

export const pageSize = 25
/** Pictures that stand for a share. */
const picturesMax = 4
export const filters: ShareFilter[] = ['active', 'expiring', 'expired', 'ended', 'password', 'received']
export const sortKeys: SortKeys<OwnSortKey> = [
  { sort: 'name', first: 'asc' },
  { sort: 'views', first: 'desc' },
  { sort: 'size', first: 'desc' },
  { sort: 'expiration', first: 'asc' },
  { sort: 'createdAt', first: 'desc' },
]

/** What the list shows. */
export interface View extends Sort<OwnSortKey> {
  search: string
  filter: ShareFilter | null
  page: number
}

export const initialView: View = { search: '', filter: null, sort: 'createdAt', order: 'desc', page: 1 }

/** Reads one page of the user's shares and the number of shares on all pages. */
export function ownShares({ search, filter, ...rest }: View) {
  return queryOptions({
    queryKey: ['shares', 'own', search, filter, rest],
    queryFn: async (): Promise<{ rows: OwnShare[]; total: number }> => {
      const querystring = { ...rest, limit: pageSize, files: picturesMax, ...(search && { search }), ...(filter && { filter }) }
      const { data, headers } = await call('GET /api/shares', { querystring })
      return { rows: data, total: Number(headers.get('x-total-count') ?? data.length) }
    },
  })
}
