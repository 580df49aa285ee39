import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { lastDelivery } from '../../components/files/last-use.ts'
import { isClosed, useRequest } from '../../components/files/request.ts'
import { Thanks } from '../../components/files/SentView.tsx'
import { UploadStages } from '../../components/files/UploadStages.tsx'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { useInterrupted } from '../../components/files/use-interrupted.ts'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { UnlockForm } from '../../components/UnlockForm.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { InterruptedView } from './InterruptedView.tsx'
import { RequestProblem } from './RequestProblem.tsx'
import { SendView } from './SendView.tsx'
import './send.css'

/**
 * The page on which anyone with an upload link sends files to its owner, with or without an
 * account.
 */
export function SendPage() {
  const { t } = useTranslation()
  const { token } = useParams<{ token: string }>()
  usePageTitle(t('send.title'))
  return (
    <UploadStages key={token} destination={token}>
      {(files) => <SendingOrSent token={token} files={files} />}
    </UploadStages>
  )
}

/** Thanks again after a reload if this browser has consumed the last use. */
function SendingOrSent({ token, files }: { token: string; files: readonly PickedFile[] }) {
  const delivery = lastDelivery(token)
  return delivery ? <Thanks delivery={delivery} /> : <Sending token={token} files={files} />
}

/**
 * The page of a link. If this browser has consumed its last use, the link is closed to others but
 * stays usable here.
 */
function Sending({ token, files }: { token: string; files: readonly PickedFile[] }) {
  const { t } = useTranslation()
  const request = useRequest(token)
  const { interrupted, isPending, forget } = useInterrupted(token)
  const resuming = { interrupted, onDiscarded: forget }
  if (request.data && !isClosed(request.error)) return <SendView request={request.data} files={files} {...resuming} />
  if (request.isPending || isPending) return <PageSkeleton />
  if (request.error instanceof ApiError && request.error.code === 'reverse_share_password_required') {
    const unlock = async (password: string) => {
      await api('POST /api/reverseShares/:token/unlock', { params: { token }, body: { password } })
      await request.refetch()
    }
    return <UnlockForm title={t('send.locked')} text={t('send.lockedText')} onPassword={unlock} />
  }
  if (interrupted.length > 0) return <InterruptedView {...resuming} />
  return <RequestProblem error={request.error} onRetry={request.refetch} />
}
