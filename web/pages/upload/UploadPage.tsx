import { useTranslation } from 'react-i18next'
import { UploadStages } from '../../components/files/UploadStages.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { ChoosingView } from './ChoosingView.tsx'

/** Choose files, make a share of them, watch them go. */
export function UploadPage() {
  const { t } = useTranslation()
  usePageTitle(t('nav.upload'))
  return <UploadStages place={null}>{(files) => <ChoosingView files={files} />}</UploadStages>
}
