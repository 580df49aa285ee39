import { useQuery } from '@tanstack/react-query'
import { lazy, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { ApiError } from '../../api.ts'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { ShareProblem } from '../../components/ShareProblem.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { ShareView } from './ShareView.tsx'
import './share.css'
import { titleOf } from '../../lib/share-title.ts'
import { enterShare, loadShare, shareFromPage } from './share-access.ts'

const UnlockForm = lazy(async () => ({ default: (await import('../../components/UnlockForm.tsx')).UnlockForm }))

/** A share as the people with its link see it. */
export function SharePage() {
  const { t } = useTranslation()
  const { id } = useParams<{ id: string }>()
  const share = useQuery({
    queryKey: ['share', id],
    queryFn: () => loadShare(id),
    initialData: () => shareFromPage(id)?.share,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  const isRefused = share.error instanceof ApiError && share.error.status !== 0 // for whoever cannot reach the server it stays
  const allowed = isRefused ? undefined : share.data
  const opened = useDeferredValue(allowed) // a long list is shown in slices, between which the page answers
  usePageTitle(allowed ? titleOf(allowed, t) : t('share.title'))
  if (opened) return <ShareView share={opened} />
  if (share.isPending || allowed) return <PageSkeleton />
  if (share.error instanceof ApiError && share.error.code === 'share_password_required') {
    const unlock = async (password: string) => {
      await enterShare(id, password)
      await share.refetch()
    }
    return <UnlockForm title={t('unlock.title')} text={t('unlock.text')} onPassword={unlock} />
  }
  return <ShareProblem error={share.error} onRetry={share.refetch} />
}
