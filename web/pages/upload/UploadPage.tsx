import { useTranslation } from 'react-i18next'
import { UploadStages } from '../../components/files/UploadStages.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { ChoosingView } from './ChoosingView.tsx'

/** The page on which users choose files, create a share and watch its upload. */
export function UploadPage() {
  const { t } = useTranslation()
  usePageTitle(t('nav.upload'))
  return <UploadStages destination={null}>{(files) => <ChoosingView files={files} />}</UploadStages>
}
