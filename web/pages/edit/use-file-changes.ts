import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useNotify } from '../../notify.tsx'
import type { FileSource } from '../../upload/types.ts'
import { send } from './edit-uploads.ts'

/** What can be done to a share's files. Each reopens the share before: otherwise visitors would see it at once. */
export interface FileChanges {
  add(sources: readonly FileSource[]): void
  remove(fileId: string): void
  keep(fileId: string): void
  /** Rejects with what the server says of the name. */
  rename(fileId: string, name: string): Promise<unknown>
}

export function useFileChanges(id: string): FileChanges {
  const notify = useNotify()
  const queries = useQueryClient()
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['edit', id] }),
      queries.invalidateQueries({ queryKey: ['shares'], refetchType: 'none' }),
    ])
  }
  const reopened = () => api('DELETE /api/shares/:id/complete', { params: { id } })
  const change = useMutation({
    mutationFn: async (work: () => Promise<unknown>) => {
      await reopened()
      await work()
    },
    onSettled: refresh,
  })
  const quietly = (work: () => Promise<unknown>) => change.mutate(work, { onError: notify.error })
  const of = (fileId: string) => ({ params: { id, fileId } })
  return {
    add: (sources) =>
      quietly(async () => {
        const { unfinishedFiles } = await api('GET /api/shares/:id/from-owner', { params: { id } })
        send(id, sources, unfinishedFiles, refresh)
      }),
    remove: (fileId) => quietly(() => api('DELETE /api/shares/:id/files/:fileId', of(fileId))),
    keep: (fileId) => quietly(() => api('POST /api/shares/:id/files/:fileId/restore', of(fileId))),
    rename: (fileId, name) => change.mutateAsync(() => api('PATCH /api/shares/:id/files/:fileId', { ...of(fileId), body: { name } })),
  }
}
