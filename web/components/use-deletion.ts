import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../api.ts'
import { useNotify } from '../lib/notify.tsx'

/**
 * Deletes shares by `remove`, which returns the ids of those that were deleted, and offers to undo
 * it. `onDone` runs before the lists are loaded again.
 */
export function useDeletion(remove: (ids: string[]) => Promise<string[]>, onDone: (ids: string[]) => void) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const refresh = () =>
    Promise.all([queries.invalidateQueries({ queryKey: ['shares'] }), queries.invalidateQueries({ queryKey: ['reverse-shares'] })])
  const undo = async (ids: string[]) => {
    const restored = (await api('POST /api/shares/undelete', { body: { ids } })).ids
    await refresh()
    if (restored.length === ids.length) notify.success(t('shares.restored', { count: restored.length }))
    else notify.warning(t('shares.tooLate'))
  }
  return useMutation({
    mutationFn: remove,
    onSuccess: async (ids) => {
      onDone(ids)
      if (ids.length > 0) notify.undoable(t('shares.deleted', { count: ids.length }), () => undo(ids))
      await refresh()
    },
    onError: notify.error,
  })
}

/** Deletes a share. Unlike `deleteOwn`, an administrator can delete any. */
export async function deleteOne([id]: string[]): Promise<string[]> {
  if (id === undefined) return []
  await api('DELETE /api/shares/:id', { params: { id } })
  return [id]
}

/** Deletes shares that the user owns or received, in one request for 200. */
export async function deleteOwn(ids: string[]): Promise<string[]> {
  return (await api('POST /api/shares/delete', { body: { ids } })).ids
}
