import { useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import type { Uploader } from '../../../uploader/uploader.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { TotalProgress } from '../../components/files/TotalProgress.tsx'
import { UploadActions } from '../../components/files/UploadActions.tsx'
import { UploadNotice } from '../../components/files/UploadNotice.tsx'
import { useNotify } from '../../lib/notify.tsx'

/**
 * Shows the progress of the files that are being added, with buttons to pause, resume and cancel.
 */
export function UploadPart({ uploader }: { uploader: Uploader }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const snapshot = useSyncExternalStore(uploader.subscribe, uploader.getSnapshot)
  const [confirming, setConfirming] = useState(false)
  const { state } = snapshot
  const open = state !== 'completed' && state !== 'cancelled'
  return (
    <div className="edit-sending stack">
      <TotalProgress snapshot={snapshot} heading="h3" />
      <UploadNotice snapshot={snapshot} uploader={uploader} />
      <UploadActions uploader={uploader} state={state} onCancel={() => setConfirming(true)} />
      <AskDialog
        open={confirming && open}
        title={t('upload.cancelTitle')}
        text={t('edit.cancelText')}
        ok={t('upload.cancelYes')}
        danger
        action={() => uploader.cancel()}
        onDone={() => setConfirming(false)}
        onError={notify.error}
        onClose={() => setConfirming(false)}
      />
    </div>
  )
}
