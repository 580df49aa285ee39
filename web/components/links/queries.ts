import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** Milliseconds until a visible page reads what was used of the links again. */
const interval = 10_000

/** Reads the links of a share, the first one first, again and again while the page is visible. */
export function linksOf(shareId: string) {
  return queryOptions({
    queryKey: ['links', shareId],
    queryFn: () => api('GET /api/shares/:id/links', { params: { id: shareId } }),
    refetchInterval: interval,
  })
}
