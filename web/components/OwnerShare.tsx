import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Redirect } from 'wouter'
import type { OwnerPage } from '../../src/shares/contract.ts'
import { ApiError, api } from '../api.ts'
import { signInPath } from '../lib/access.ts'
import { PageSkeleton } from './PageSkeleton.tsx'
import { Scene } from './Scene.tsx'
import { ShareProblem } from './ShareProblem.tsx'

interface Props {
  id: string
  /** The page, which caches the share for itself. */
  page: 'edit' | 'extend' | 'result'
  children(share: OwnerPage): ReactNode
}

/** Loads a share for its owner, and shows its page, or why there is none. */
export function OwnerShare({ id, page, children }: Props) {
  const share = useQuery({ queryKey: [page, id], queryFn: () => api('GET /api/shares/:id/from-owner', { params: { id } }) })
  if (share.isPending) return <PageSkeleton />
  if (!share.data) {
    const { error } = share
    if (error instanceof ApiError && error.status === 401) return <Redirect to={signInPath()} replace />
    if (error instanceof ApiError && error.code === 'forbidden') return <NotOwner id={id} />
    return <ShareProblem id={id} error={error} onRetry={share.refetch} />
  }
  const { removedReason, completed } = share.data
  if (removedReason !== null)
    return <ShareProblem id={id} error={new ApiError('share_removed', 404, { message: removedReason })} onRetry={() => {}} />
  return completed ? children(share.data) : <NotCompleted />
}

function NotOwner({ id }: { id: string }) {
  const { t } = useTranslation()
  return (
    <Scene asleep title={t('edit.notYours')} text={t('edit.notYoursText')}>
      <Link href={`/share/${id}`} asChild>
        <Button type="primary">{t('edit.open')}</Button>
      </Link>
    </Scene>
  )
}

function NotCompleted() {
  const { t } = useTranslation()
  return (
    <Scene asleep title={t('edit.notFinished')} text={t('edit.notFinishedText')}>
      <Link href="/upload" asChild>
        <Button type="primary">{t('nav.upload')}</Button>
      </Link>
    </Scene>
  )
}
