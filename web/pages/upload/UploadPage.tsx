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
  if (session.phase === 'uploading') return <UploadingView upload={session} />
  if (session.phase === 'resuming') return <ResumingView resuming={session} />
  return <ChoosingView files={session.files} />
}
