import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect } from 'wouter'
import type { FileSource } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { CancelDialog } from './CancelDialog.tsx'
import { FileRows } from './FileRows.tsx'
import { PickButtons } from './PickButtons.tsx'
import { SentView } from './SentView.tsx'
import { TotalProgress } from './TotalProgress.tsx'
import { UploadActions } from './UploadActions.tsx'
import { UploadNotice } from './UploadNotice.tsx'
import { UploadRow } from './UploadRow.tsx'
import { cancelUpload, isAppendable, type Uploading } from './upload-session.ts'
import { appendFiles } from './use-files.ts'
import { useIncomingFiles } from './use-incoming-files.ts'

const noticeInterval = 15_000 // ms

/** Shows a running upload with its files, to which others can be added. */
export function UploadingView({ upload }: { upload: Uploading }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const { uploader } = upload
  const snapshot = useSyncExternalStore(uploader.subscribe, uploader.getSnapshot)
  const [cancelling, setCancelling] = useState(false)
  useRetryNotices(upload)
  const { state, files } = snapshot
  const canAdd = isAppendable(upload)
  const addFiles = (sources: FileSource[]) => void appendFiles(t, notify, upload, sources).catch(notify.error)
  const over = useIncomingFiles(canAdd && !cancelling, addFiles)
  const { through } = upload.share
  if (state === 'completed' && through?.simplified) return <SentView through={through} count={files.length} />
  if (state === 'completed') return <Redirect to={`/upload/done/${upload.share.id}`} replace />
  const open = state !== 'cancelled'
  return (
    <div className="narrow stack">
      <section className="card uploading stack">
        <TotalProgress snapshot={snapshot} />
        <UploadNotice snapshot={snapshot} uploader={uploader} onAnew={() => void cancelUpload(upload)} />
        {open && <UploadActions uploader={uploader} state={state} onCancel={() => setCancelling(true)} />}
      </section>
      <section className={over ? 'card uploading-files stack chosen-over' : 'card uploading-files stack'}>
        <FileRows label={t('upload.files')} items={files} keyOf={({ key }) => key}>
          {(file) => <UploadRow file={file} uploader={uploader} open={open && state !== 'finishing'} />}
        </FileRows>
        {canAdd && (
          <div className="actions uploading-add">
            <PickButtons onFiles={addFiles} />
          </div>
        )}
      </section>
      <CancelDialog open={cancelling && open} upload={upload} onClose={() => setCancelling(false)} />
    </div>
  )
}

/** Notifies the user that files are being retried, at most four times a minute. */
function useRetryNotices({ uploader }: Uploading): void {
  const { t } = useTranslation()
  const notify = useNotify()
  useEffect(() => {
    let last = 0
    return uploader.on('retrying', (count) => {
      if (Date.now() - last < noticeInterval) return
      last = Date.now()
      notify.warning(t('upload.retrying', { count }))
    })
  }, [uploader, notify, t])
}
