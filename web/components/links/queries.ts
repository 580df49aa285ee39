import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { untilRefused } from '../../lib/polling.ts'

/** Reads the links of a share, the first one first, again and again while the page is visible. */
export function linksOf(shareId: string) {
  return queryOptions({
    queryKey: ['links', shareId],
    queryFn: () => api('GET /api/shares/:id/links', { params: { id: shareId } }),
    refetchInterval: untilRefused,
  })
}
