import { useQuery } from '@tanstack/react-query'
import type { OwnShare } from '../../../src/shares/contract.ts'
import type { ShareContent } from '../../../uploader/encryption/share-content.ts'

/** Decrypts what the server doesn't know of an own encrypted share. Returns null without its key. */
export function useContent({ id, encrypted }: Pick<OwnShare, 'id' | 'encrypted'>): ShareContent | null {
  const content = useQuery({
    queryKey: ['shares', 'decrypted', id],
    queryFn: async () => (await import('./decrypted-title.ts')).decryptedContent(id).catch(() => null),
    enabled: encrypted,
  })
  return content.data ?? null
}
