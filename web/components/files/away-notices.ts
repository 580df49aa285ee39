import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { UploadState } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { needsAttention } from '../../lib/upload-progress.ts'
import { currentSession } from './upload-session.ts'

const active = new Set<UploadState>(['running', 'finishing'])
let stopListening = () => {}

/** Notifies a user who leaves the page that the upload continues, and later how it ended. */
export function useAwayNotices(): void {
  const { t } = useTranslation()
  const notify = useNotify()
  useEffect(() => {
    stopListening()
    return () => {
      const session = currentSession()
      if (session.phase !== 'uploading' || !active.has(session.uploader.getSnapshot().state)) return
      notify.info(t('upload.goesOn'))
      stopListening = session.uploader.on('state', (state) => {
        if (state === 'completed') notify.success(t('upload.doneAway'))
        if (needsAttention(state)) notify.warning(t('upload.needsAttention'))
      })
    }
  }, [notify, t])
}
