import { useQueryClient } from '@tanstack/react-query'
import type { FileSource } from '../../../uploader/types.ts'
import { api } from '../../api.ts'
import { useNotify } from '../../lib/notify.tsx'
import { removesPhotoData, withoutPhotoData } from '../../lib/upload/photo-data.ts'
import { addFiles } from './edit-uploads.ts'
import type { ShareEditor } from './share-editor.ts'

/**
 * Changes to a share's files. Each one starts editing the share first, so that visitors see nothing
 * until it is saved.
 */
export interface FileChanges {
  /** Adds files; photos without their data, if the user wants that. */
  add(sources: readonly FileSource[]): void
  remove(fileId: string): void
  keep(fileId: string): void
  /** Rejects with the server's error. */
  rename(fileId: string, name: string): Promise<void>
}

/**
 * Returns functions that change the files of a share. Except for `rename`, errors are shown as
 * notifications.
 */
export function useFileChanges(id: string, editor: ShareEditor): FileChanges {
  const notify = useNotify()
  const queries = useQueryClient()
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['edit', id] }),
      queries.invalidateQueries({ queryKey: ['shares'], refetchType: 'none' }),
    ])
  }
  const change = async (action: () => Promise<unknown>) => {
    try {
      await api('DELETE /api/shares/:id/complete', { params: { id } })
      await action()
    } finally {
      await refresh()
    }
  }
  const add = async (sources: readonly FileSource[]) => {
    if (sources.length === 0) return
    const ready = removesPhotoData() ? await withoutPhotoData(sources) : sources
    await change(async () => addFiles(await editor.load(), ready, refresh, editor.encryption))
  }
  const run = (action: () => Promise<unknown>) => void change(action).catch(notify.error)
  const paramsOf = (fileId: string) => ({ params: { id, fileId } })
  return {
    add: (sources) => void add(sources).catch(notify.error),
    remove: (fileId) => run(() => api('DELETE /api/shares/:id/files/:fileId', paramsOf(fileId))),
    keep: (fileId) => run(() => api('POST /api/shares/:id/files/:fileId/restore', paramsOf(fileId))),
    rename: (fileId, name) => change(() => editor.rename(fileId, name)),
  }
}
