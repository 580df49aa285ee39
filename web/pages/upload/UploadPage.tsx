import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { usePageTitle } from '../../page-title.ts'
import { useAwayNotices } from './away-notices.ts'
import { ChoosingView } from './ChoosingView.tsx'
import { ResumingView } from './ResumingView.tsx'
import { useSession } from './session.ts'
import { UploadingView } from './UploadingView.tsx'
import './upload.css'

/** Choose files, make a share of them, watch them go. */
export function UploadPage() {
  const { t } = useTranslation()
  const session = useSession()
  usePageTitle(t('nav.upload'))
  useAwayNotices()
  useFocusAtChange(session.phase)
  if (session.phase === 'uploading') return <UploadingView upload={session} />
  if (session.phase === 'resuming') return <ResumingView resuming={session} />
  return <ChoosingView files={session.files} />
}

/** What had the focus is gone with the view before: the keyboard and screen readers start at the new one. */
function useFocusAtChange(phase: string): void {
  const shown = useRef(phase)
  useEffect(() => {
    if (shown.current !== phase) document.getElementById('content')?.focus({ preventScroll: true })
    shown.current = phase
  }, [phase])
}
