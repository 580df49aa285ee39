import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type OwnedShare, ownTitleOf } from '../share-title.ts'

/** Milliseconds until a title is decrypted again: a document may have 2 MB. */
const titleLifetime = 300_000

/**
 * Returns a function that returns the titles of these shares for their owner. The server doesn't
 * know those of encrypted shares: they are decrypted later, where this browser has the key.
 */
export function useOwnTitles(shares: readonly OwnedShare[]): (share: OwnedShare) => string {
  const { t, i18n } = useTranslation()
  const queries = useQueryClient()
  const ids = shares.filter((share) => share.encrypted).map(({ id }) => id)
  const titleOf = (id: string) =>
    queries.fetchQuery({
      queryKey: ['decrypted-title', id, i18n.language],
      queryFn: async () => (await import('./decrypted-title.ts')).decryptedTitle(id, t),
      staleTime: titleLifetime,
    })
  const { data: titles } = useQuery({
    queryKey: ['decrypted-titles', i18n.language, ...ids],
    queryFn: async () => new Map(await Promise.all(ids.map(async (id) => [id, await titleOf(id)] as const))),
    enabled: ids.length > 0,
    staleTime: titleLifetime,
    placeholderData: (before) => before,
  })
  return (share) => titles?.get(share.id) ?? ownTitleOf(share, t)
}

/** Returns the title of a share for its owner, as `useOwnTitles` does. */
export const useOwnTitle = (share: OwnedShare): string => useOwnTitles([share])(share)
