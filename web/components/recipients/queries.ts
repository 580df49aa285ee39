import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { untilRefused } from '../../lib/polling.ts'
import { start } from '../../start.ts'
import { canHaveRecipients } from './addresses.ts'

const mailInterval = 2_000 // ms

/**
 * Loads a share's recipients again and again while the page is visible, more often while emails are
 * queued. `shown` is true if there are any or can be.
 */
export function useRecipients(shareId: string) {
  const recipients = useQuery({
    queryKey: ['recipients', shareId],
    queryFn: () => api('GET /api/shares/:id/recipients', { params: { id: shareId } }),
    refetchInterval: (query) => {
      const interval = untilRefused(query)
      return interval && query.state.data?.some(({ state }) => state === 'queued') ? mailInterval : interval
    },
  })
  return { recipients, shown: canHaveRecipients() || (recipients.data?.length ?? 0) > 0 }
}

/** Loads the addresses that the user has sent shares to, the last used first. */
export function useKnownRecipients(): readonly string[] {
  const known = useQuery({ queryKey: ['known-recipients'], queryFn: () => api('GET /api/recipients'), enabled: start.user !== null })
  return known.data ?? []
}
