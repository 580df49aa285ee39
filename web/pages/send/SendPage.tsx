import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { UnlockForm } from '../../components/UnlockForm.tsx'
import { usePageTitle } from '../../page-title.ts'
import type { PickedFile } from '../upload/session.ts'
import { UploadStages } from '../upload/UploadStages.tsx'
import { useInterrupted } from '../upload/use-interrupted.ts'
import { InterruptedView } from './InterruptedView.tsx'
import { RequestProblem } from './RequestProblem.tsx'
import { isClosed, useRequest } from './request.ts'
import { SendView } from './SendView.tsx'
import './send.css'

/** Where whoever has an upload link sends files to its owner, with or without an account. */
export function SendPage() {
  const { t } = useTranslation()
  const { token } = useParams<{ token: string }>()
  usePageTitle(t('send.title'))
  return (
    <UploadStages key={token} place={token}>
      {(files) => <Sending token={token} files={files} />}
    </UploadStages>
  )
}

/** A link of which this upload took the last use is over for others, but not for who is in the middle of it. */
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
