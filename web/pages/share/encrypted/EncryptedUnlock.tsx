import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Bytes } from '../../../../uploader/encryption/bytes.ts'
import { linkKeyIn, linkWithKey } from '../../../../uploader/encryption/link-key.ts'
import { Insecure } from '../../../components/encrypted/Insecure.tsx'
import { KeyForm } from '../../../components/encrypted/KeyForm.tsx'
import { UnlockForm } from '../../../components/UnlockForm.tsx'
import { unlockEncrypted } from './keys.ts'
import { useFragment } from './use-fragment.ts'

interface Props {
  id: string
  onUnlock(): Promise<unknown>
}

/** Asks for the key and the password of an encrypted share before anything of it is loaded. */
export function EncryptedUnlock({ id, onUnlock }: Props) {
  const { t } = useTranslation()
  const [linkKey, setLinkKey] = useState(keyInAddress)
  useFragment(id, linkKey && linkWithKey('', linkKey))
  if (!globalThis.crypto?.subtle) return <Insecure />
  if (!linkKey) return <KeyForm problem={null} onKey={setLinkKey} />
  const unlock = async (password: string) => {
    await unlockEncrypted(id, linkKey, password)
    await onUnlock()
  }
  return <UnlockForm title={t('unlock.title')} text={t('encrypted.passwordText')} onPassword={unlock} />
}

function keyInAddress(): Bytes | null {
  try {
    return linkKeyIn(location.hash)
  } catch {
    return null
  }
}
