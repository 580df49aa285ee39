import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SharePage } from '../../../../src/shares/contract.ts'
import { OpeningStep } from '../../../components/encrypted/OpeningStep.tsx'
import { useOwnId } from '../../../lib/own-shares.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { titleOf } from '../../../lib/share-title.ts'
import { RecoveryCard } from './RecoveryCard.tsx'
import { useDecryption } from './use-decryption.ts'
import { useDownloads } from './use-downloads.ts'
import { useFragment } from './use-fragment.ts'

interface Props {
  share: SharePage
  /** Shows the decrypted share, and to its owner `forOwner` too. */
  children(share: SharePage, forOwner: ReactNode): ReactNode
}

/** Decrypts a share with the key in its link, and asks for what is missing. */
export function EncryptedShare({ share, children }: Props) {
  const { t } = useTranslation()
  const { state, enterKey, enterPassword, retry } = useDecryption(share)
  const isOwner = useOwnId(share) !== null
  const opened = state.kind === 'opened' ? state : null
  useFragment(share.id, opened?.fragment ?? null)
  useDownloads(opened?.decrypted ?? null, opened?.byServiceWorker ?? false)
  usePageTitle(opened ? titleOf(opened.page, t) : t('share.encrypted'))
  if (state.kind !== 'opened')
    return <OpeningStep id={share.id} state={state} isOwner={isOwner} onKey={enterKey} onPassword={enterPassword} onRetry={retry} />
  return (
    <>
      <Missing names={state.missing} />
      {children(state.page, <RecoveryCard share={state.page} />)}
    </>
  )
}

function Missing({ names }: { names: readonly string[] }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  useEffect(() => setShown(names.length > 0), [names])
  return (
    <div role="alert">
      {shown && <p className="card">{t('encrypted.missing', { count: names.length, names: names.slice(0, 3).join(', ') })}</p>}
    </div>
  )
}
