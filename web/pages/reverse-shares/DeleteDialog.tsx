import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { api } from '../../api.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { formatBytes } from '../../lib/format.ts'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { useRefresh } from './queries.ts'

/** Asks before a reverse share is deleted, and shows what is deleted with it. */
export function DeleteDialog({ reverse, onClose }: { reverse: OwnReverseShare | null; onClose(): void }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const refresh = useRefresh()
  const last = useLast(reverse)
  if (!last) return null
  const { id, name, token, shareCount, receivedSize } = last
  const values = { name: name ?? token, count: shareCount, size: formatBytes(receivedSize) }
  const undo = async () => {
    await api('POST /api/reverseShares/:id/undelete', { params: { id } })
    await refresh()
  }
  return (
    <AskDialog
      open={reverse !== null}
      danger
      title={t('reverse.deleteTitle')}
      text={shareCount > 0 ? t('reverse.deleteText', values) : t('reverse.deleteEmptyText', values)}
      ok={t('common.delete')}
      action={() => api('DELETE /api/reverseShares/:id', { params: { id } })}
      onDone={() => {
        onClose()
        notify.undoable(t('reverse.deleted'), undo)
        void refresh()
      }}
      onError={notify.error}
      onClose={onClose}
    />
  )
}
