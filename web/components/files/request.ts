import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { NewShare } from '../../../src/shares/contract.ts'
import { ApiError, api } from '../../api.ts'
import { start } from '../../start.ts'
import { beginUpload, type PickedFile } from './upload-session.ts'

const keyOf = (token: string) => ['request', token]
const closed = new Set(['reverse_share_not_found', 'reverse_share_password_required'])

/** Whether a refusal says that an upload link takes nothing, now or before its password. */
export function isClosed(error: unknown): boolean {
  return error instanceof ApiError && closed.has(error.code)
}

/** The reverse share behind an upload link, asked for anew by each view that needs it. */
export function useRequest(token: string) {
  return useQuery({ queryKey: keyOf(token), queryFn: () => api('GET /api/reverseShares/:token', { params: { token } }), gcTime: 0 })
}

/** Makes the share that a reverse share asks for and starts the upload. The link goes with this one call, and with no other share. */
export function useSend({ token, creator, simplified, publicAccess }: OpenReverseShare, files: readonly PickedFile[]) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (wishes: NewShare) => {
      if (start.user) await api('GET /api/users/me') // a session that ran out while the tab slept is renewed, or the share would be nobody's
      return api('POST /api/shares', { body: { ...wishes, reverseShareToken: token } })
    },
    onSuccess: ({ id, link, expiration }) => {
      const through = { token, to: creator.username, simplified, publicAccess }
      const share = { id, link, expiration, ownerId: start.user?.id ?? null, through }
      beginUpload(
        share,
        files.map(({ source }) => source),
      )
    },
    onError: (error) => {
      if (isClosed(error)) void queries.invalidateQueries({ queryKey: keyOf(token) })
    },
  })
}
