import { useQuery } from '@tanstack/react-query'
import { lazy, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { ApiError } from '../../api.ts'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { ShareProblem } from '../../components/ShareProblem.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { titleOf } from '../../lib/share-title.ts'
import { ShareView } from './ShareView.tsx'
import { embeddedShare, loadShare, unlockShare } from './share-access.ts'
import './share.css'

const CodeForm = lazy(async () => ({ default: (await import('./code/CodeForm.tsx')).CodeForm }))
const EncryptedShare = lazy(async () => ({ default: (await import('./encrypted/EncryptedShare.tsx')).EncryptedShare }))
const EncryptedUnlock = lazy(async () => ({ default: (await import('./encrypted/EncryptedUnlock.tsx')).EncryptedUnlock }))
const UnlockForm = lazy(async () => ({ default: (await import('../../components/UnlockForm.tsx')).UnlockForm }))

/** The page that shows a share to its visitors. */
export function SharePage() {
  const { t } = useTranslation()
  const { id } = useParams<{ id: string }>()
  const share = useQuery({
    queryKey: ['share', id],
    queryFn: () => loadShare(id),
    initialData: () => embeddedShare(id)?.share,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  const isRefused = share.error instanceof ApiError && share.error.status !== 0 // while the server is unreachable, the share stays visible
  const allowed = isRefused ? undefined : share.data
  const rendered = useDeferredValue(allowed) // a long list is rendered in slices, so that the page stays responsive
  usePageTitle(allowed && !allowed.encrypted ? titleOf(allowed, t) : t('share.title'))
  if (rendered?.encrypted)
    return <EncryptedShare share={rendered}>{(share, forOwner) => <ShareView share={share} forOwner={forOwner} />}</EncryptedShare>
  if (rendered) return <ShareView share={rendered} />
  if (share.isPending || allowed) return <PageSkeleton />
  if (share.error instanceof ApiError && share.error.code === 'email_code_required') return <CodeForm id={id} onVerified={share.refetch} />
  if (share.error instanceof ApiError && share.error.code === 'share_token_required' && share.error.details.encrypted)
    return <EncryptedUnlock id={id} hasPassword={false} onUnlock={share.refetch} />
  if (share.error instanceof ApiError && share.error.code === 'share_password_required') {
    if (share.error.details.encrypted) return <EncryptedUnlock id={id} hasPassword onUnlock={share.refetch} />
    const unlock = async (password: string) => {
      await unlockShare(id, password)
      await share.refetch()
    }
    return <UnlockForm title={t('unlock.title')} text={t('unlock.text')} onPassword={unlock} />
  }
  return <ShareProblem id={id} error={share.error} onRetry={share.refetch} />
}
