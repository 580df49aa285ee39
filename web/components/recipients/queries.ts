import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { start } from '../../start.ts'
import { canHaveRecipients } from './addresses.ts'

const pollInterval = 2_000 // ms

/**
 * Loads a share's recipients, and polls while emails are queued. `shown` is true if there are any
 * or can be.
 */
export function useRecipients(shareId: string) {
  const recipients = useQuery({
    queryKey: ['recipients', shareId],
    queryFn: () => api('GET /api/shares/:id/recipients', { params: { id: shareId } }),
    refetchInterval: ({ state }) => (state.data?.some((recipient) => recipient.state === 'queued') ? pollInterval : false),
  })
  return { recipients, shown: canHaveRecipients() || (recipients.data?.length ?? 0) > 0 }
}

/** Loads the addresses that the user has sent shares to, the last used first. */
export function useKnownRecipients(): readonly string[] {
  const known = useQuery({ queryKey: ['known-recipients'], queryFn: () => api('GET /api/recipients'), enabled: start.user !== null })
  return known.data ?? []
}
