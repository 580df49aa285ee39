import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { leaveCompleted } from '../../components/files/upload-session.ts'
import { OwnerShare } from '../../components/OwnerShare.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { resultOf } from '../../lib/upload/results.ts'
import { ResultView } from './ResultView.tsx'

/**
 * The page with the link of a share after its upload. Its owner can open it again, and a visitor in
 * the browser that created the share.
 */
export function DonePage() {
  const { t } = useTranslation()
  const { id } = useParams<{ id: string }>()
  usePageTitle(t('upload.completedTitle'))
  useEffect(() => leaveCompleted(id), [id])
  return (
    <OwnerShare id={id} page="result">
      {(share) => <ResultView share={share} result={resultOf(id) ?? {}} />}
    </OwnerShare>
  )
}
