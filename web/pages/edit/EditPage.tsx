import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, Redirect, useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { NotCompleted } from '../../components/NotCompleted.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Scene } from '../../components/Scene.tsx'
import { ShareProblem } from '../../components/ShareProblem.tsx'
import { signInPath } from '../../lib/access.ts'
import { formatTime } from '../../lib/format.ts'
import { useNotify } from '../../lib/notify.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { EditView } from './EditView.tsx'
import '../../components/files/files.css'
import './edit.css'

/** The page that changes a share. Its visitors see the old version until the changes are saved. */
export function EditPage() {
  const { t } = useTranslation()
  const { id } = useParams<{ id: string }>()
  usePageTitle(t('edit.title'))
  const share = useQuery({ queryKey: ['edit', id], queryFn: () => api('GET /api/shares/:id/from-owner', { params: { id } }) })
  if (share.isPending) return <PageSkeleton />
  if (!share.data) {
    const { error } = share
    if (error instanceof ApiError && error.status === 401) return <Redirect to={signInPath()} replace />
    if (error instanceof ApiError && error.code === 'forbidden') return <NotOwner id={id} />
    return <ShareProblem error={error} onRetry={share.refetch} />
  }
  const { removedReason, completed, editable } = share.data
  if (removedReason !== null)
    return <ShareProblem error={new ApiError('share_removed', 404, { message: removedReason })} onRetry={() => {}} />
  if (!completed) return <NotCompleted />
  return editable ? <EditView key={id} share={share.data} /> : <AdoptShare id={id} changedAt={share.data.changedAt} />
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

/** A share that the user has received. It can be changed once the user has adopted it. */
function AdoptShare({ id, changedAt }: { id: string; changedAt: string | null }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const adopt = useMutation({
    mutationFn: () => api('POST /api/shares/:id/adopt', { params: { id }, body: null }),
    onSuccess: () => queries.invalidateQueries(),
    onError: notify.error,
  })
  return (
    <Scene
      title={t('edit.received')}
      text={changedAt ? `${t('edit.receivedChanged', { time: formatTime(changedAt) })} ${t('edit.receivedText')}` : t('edit.receivedText')}
    >
      <Button type="primary" loading={adopt.isPending} onClick={() => adopt.mutate()}>
        {t('edit.takeOver')}
      </Button>
      <Link href={`/share/${id}`} asChild>
        <Button>{t('edit.open')}</Button>
      </Link>
    </Scene>
  )
}
