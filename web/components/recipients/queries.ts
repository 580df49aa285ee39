import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
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
