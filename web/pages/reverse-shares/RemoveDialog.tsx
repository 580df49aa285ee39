import { useTranslation } from 'react-i18next'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { api } from '../../api.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { formatBytes } from '../../lib/format.ts'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { useRefresh } from './queries.ts'
import { senderNameOf } from './sender.ts'

/** Asks before a received share is deleted. */
export function RemoveDialog({ share, onClose }: { share: ReceivedShare | null; onClose(): void }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const refresh = useRefresh()
  const last = useLast(share)
  if (!last) return null
  const values = { name: senderNameOf(last, t), count: last.fileCount, size: formatBytes(last.size) }
  return (
    <AskDialog
      open={share !== null}
      danger
      title={t('reverse.removeTitle')}
      text={t('reverse.removeText', values)}
      ok={t('common.delete')}
      action={() => api('DELETE /api/shares/:id', { params: { id: last.id } })}
      onDone={() => {
        onClose()
        notify.success(t('reverse.removed'))
        void refresh()
      }}
      onError={notify.error}
      onClose={onClose}
    />
  )
}
