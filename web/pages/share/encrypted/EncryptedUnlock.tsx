import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Bytes } from '../../../../uploader/encryption/bytes.ts'
import { linkKeyIn, linkWithKey } from '../../../../uploader/encryption/link-key.ts'
import { Insecure } from '../../../components/encrypted/Insecure.tsx'
import { KeyForm } from '../../../components/encrypted/KeyForm.tsx'
import { PageSkeleton } from '../../../components/PageSkeleton.tsx'
import { UnlockForm } from '../../../components/UnlockForm.tsx'
import { knownKey } from '../../../lib/encryption/opened-keys.ts'
import { unlockEncrypted } from './keys.ts'

interface Props {
  id: string
  hasPassword: boolean
  /** Loads the share. Its key is in the address then. */
  onUnlock(): Promise<unknown>
}

/** Asks for the key and the password of an encrypted share before anything of it is loaded. */
export function EncryptedUnlock({ id, hasPassword, onUnlock }: Props) {
  const { t } = useTranslation()
  const [{ linkKey, isInvalid }, setKey] = useState(keyInAddress)
  useEffect(() => {
    if (linkKey) history.replaceState(history.state, '', location.pathname + location.search + linkWithKey('', linkKey))
  }, [linkKey])
  const isReady = linkKey !== null && !hasPassword && Boolean(globalThis.crypto?.subtle)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the share is loaded once
  useEffect(() => void (isReady && onUnlock()), [isReady])
  useEffect(() => {
    const begin = () => setKey(keyInAddress)
    addEventListener('hashchange', begin) // the whole link was pasted into the address bar
    void knownKey(id).then((known) => known && setKey((key) => (key.linkKey ? key : { linkKey: known.linkKey, isInvalid: false })))
    return () => removeEventListener('hashchange', begin)
  }, [id])
  if (!globalThis.crypto?.subtle) return <Insecure />
  if (!linkKey)
    return (
      <KeyForm
        text={t('encrypted.keyText')}
        problem={isInvalid ? t('encrypted.link_key_invalid') : null}
        onKey={(linkKey) => setKey({ linkKey, isInvalid: false })}
      />
    )
  if (!hasPassword) return <PageSkeleton />
  const unlock = async (password: string) => {
    await unlockEncrypted(id, linkKey, password)
    await onUnlock()
  }
  return <UnlockForm title={t('unlock.title')} text={t('encrypted.passwordText')} onPassword={unlock} />
}

function keyInAddress(): { linkKey: Bytes | null; isInvalid: boolean } {
  try {
    return { linkKey: linkKeyIn(location.hash), isInvalid: false }
  } catch {
    return { linkKey: null, isInvalid: true }
  }
}
