import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { canHaveRecipients } from './addresses.ts'

const askAgainAfter = 2_000 // ms

/** A share's recipients, read again while e-mails are on their way; `shown`: there are some, or there can be. */
export function useRecipients(shareId: string) {
  const recipients = useQuery({
    queryKey: ['recipients', shareId],
    queryFn: () => api('GET /api/shares/:id/recipients', { params: { id: shareId } }),
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'queued') ? askAgainAfter : false),
  })
  return { recipients, shown: canHaveRecipients() || (recipients.data?.length ?? 0) > 0 }
}
