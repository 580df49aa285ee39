import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { NewShare } from '../../../src/shares/contract.ts'
import { ApiError, api } from '../../api.ts'
import { rememberResult } from '../../lib/upload/results.ts'
import { createShare, creatingShare } from './create-share.ts'
import { rememberLastUse } from './last-use.ts'
import { beginUpload, type PickedFile } from './upload-session.ts'

const keyOf = (token: string) => ['request', token]
const closedCodes = new Set(['reverse_share_not_found', 'link_turned_off', 'reverse_share_full', 'reverse_share_password_required'])

/** Returns whether an error means that an upload link is closed, or locked by a password. */
export function isClosed(error: unknown): boolean {
  return error instanceof ApiError && closedCodes.has(error.code)
}

/** Loads the reverse share behind an upload link. Every view that uses it loads it again. */
export function useRequest(token: string) {
  return useQuery({ queryKey: keyOf(token), queryFn: () => api('GET /api/reverseShares/:token', { params: { token } }), gcTime: 0 })
}

/** Creates a share through a reverse share and starts the upload. */
export function useSend({ token, creator, simplified, publicAccess, remainingUses }: OpenReverseShare, files: readonly PickedFile[]) {
  const queries = useQueryClient()
  return useMutation({
    ...creatingShare,
    mutationFn: (newShare: NewShare) =>
      createShare(
        { ...newShare, reverseShareToken: token },
        files.map(({ source }) => source),
      ),
    onSuccess: ({ share, sources, cleaned }, { security }) => {
      rememberLastUse(token, remainingUses === 1)
      const through = { token, to: creator.username, simplified, publicAccess }
      rememberResult(share.id, { through, ...(security?.password && { password: security.password }) })
      beginUpload({ ...share, cleaned, through }, sources)
    },
    onError: (error) => {
      if (isClosed(error)) void queries.invalidateQueries({ queryKey: keyOf(token) })
    },
  })
}
