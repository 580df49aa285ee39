import { useQueryClient } from '@tanstack/react-query'
import type { FileSource } from '../../../uploader/types.ts'
import { api } from '../../api.ts'
import { useNotify } from '../../lib/notify.tsx'
import { send } from './edit-uploads.ts'

/** What can be done to a share's files. Each reopens the share before: otherwise visitors would see it at once. */
export interface FileChanges {
  add(sources: readonly FileSource[]): void
  remove(fileId: string): void
  keep(fileId: string): void
  /** Rejects with what the server says of the name. */
  rename(fileId: string, name: string): Promise<void>
}

/** Gives what changes the files of a share; but for `rename`, what fails is told in a notice. */
export function useFileChanges(id: string): FileChanges {
  const notify = useNotify()
  const queries = useQueryClient()
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['edit', id] }),
      queries.invalidateQueries({ queryKey: ['shares'], refetchType: 'none' }),
    ])
  }
  const change = async (work: () => Promise<unknown>) => {
    try {
      await api('DELETE /api/shares/:id/complete', { params: { id } })
      await work()
    } finally {
      await refresh()
    }
  }
  const tell = (work: () => Promise<unknown>) => void change(work).catch(notify.error)
  const of = (fileId: string) => ({ params: { id, fileId } })
  return {
    add(sources) {
      if (sources.length === 0) return
      tell(async () => {
        const { unfinishedFiles } = await api('GET /api/shares/:id/from-owner', { params: { id } })
        send(id, sources, unfinishedFiles, refresh)
      })
    },
    remove: (fileId) => tell(() => api('DELETE /api/shares/:id/files/:fileId', of(fileId))),
    keep: (fileId) => tell(() => api('POST /api/shares/:id/files/:fileId/restore', of(fileId))),
    rename: (fileId, name) => change(() => api('PATCH /api/shares/:id/files/:fileId', { ...of(fileId), body: { name } })),
  }
}
