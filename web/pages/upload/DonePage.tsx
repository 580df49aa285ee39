import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Redirect, useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { leaveCompleted } from '../../components/files/upload-session.ts'
import { NotCompleted } from '../../components/NotCompleted.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Scene } from '../../components/Scene.tsx'
import { ShareProblem } from '../../components/ShareProblem.tsx'
import { signInPath } from '../../lib/access.ts'
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
  const share = useQuery({ queryKey: ['result', id], queryFn: () => api('GET /api/shares/:id/from-owner', { params: { id } }) })
  if (share.isPending) return <PageSkeleton />
  if (share.isError) {
    const { error } = share
    if (error instanceof ApiError && error.status === 401) return <Redirect to={signInPath()} replace />
    if (error instanceof ApiError && error.code === 'forbidden') return <OpenInstead id={id} title={t('edit.notYours')} />
    return <ShareProblem error={error} onRetry={share.refetch} />
  }
  if (!share.data.completed) return <NotCompleted />
  return <ResultView share={share.data} result={resultOf(id) ?? {}} />
}

function OpenInstead({ id, title }: { id: string; title: string }) {
  const { t } = useTranslation()
  return (
    <Scene asleep title={title}>
      <Link href={`/share/${id}`} asChild>
        <Button type="primary">{t('edit.open')}</Button>
      </Link>
    </Scene>
  )
}
