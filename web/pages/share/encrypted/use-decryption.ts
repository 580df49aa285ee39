import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SharePage } from '../../../../src/shares/contract.ts'
import type { Bytes } from '../../../../uploader/encryption/bytes.ts'
import { EncryptionError } from '../../../../uploader/encryption/error.ts'
import type { ShareKey } from '../../../../uploader/encryption/keys.ts'
import { linkKeyIn, linkWithKey } from '../../../../uploader/encryption/link-key.ts'
import type { OpeningState } from '../../../components/encrypted/OpeningStep.tsx'
import type { DecryptedShare } from '../../../decryption/share.ts'
import { address } from '../../../lib/address.ts'
import { deriveKey } from '../../../lib/encryption/derive-key.ts'
import { isKeyUnusable, knownKey, rememberOpened } from '../../../lib/encryption/opened-keys.ts'
import { ShownError } from '../../../lib/error-text.ts'
import { addDecryptedShare } from '../../../lib/share-addresses.ts'
import { titleOf } from '../../../lib/share-title.ts'
import { connect } from './connection.ts'
import { unlockedKey } from './keys.ts'
import { type OpenedShare, openShare } from './open-share.ts'

type State = OpeningState | Opened

interface Opened extends OpenedShare {
  kind: 'opened'
  fragment: string
  decrypted: DecryptedShare
  /** false: the page itself saves what is downloaded. */
  byServiceWorker: boolean
}

/** Opens an encrypted share with the key in the address, or with what the visitor enters. */
export function useDecryption(share: SharePage) {
  const { t } = useTranslation()
  const [state, setState] = useState<State>({ kind: 'opening' })

  const open = async (linkKey: Bytes, key: ShareKey) => {
    const opened = await openShare(share, key)
    const fragment = linkWithKey('', linkKey)
    const decrypted: DecryptedShare = {
      id: share.id,
      key,
      storedAt: address(`/api/shares/${encodeURIComponent(share.id)}/files/`),
      title: titleOf(opened.page, t),
      openedAt: Date.now(),
      files: opened.files,
      selections: [],
    }
    addDecryptedShare(share.id, fragment, opened.thumbnails)
    rememberOpened(share.id, { linkKey, key })
    const late = () => setState((state) => (state.kind === 'opened' ? { ...state, byServiceWorker: true } : state))
    setState({ kind: 'opened', ...opened, fragment, decrypted, byServiceWorker: await connect(decrypted, late) })
  }

  const enterKey = async (linkKey: Bytes, key = unlockedKey(share.id), isStored = false) => {
    if (share.hasPassword && !key) return setState({ kind: 'password', linkKey })
    setState({ kind: 'opening' })
    try {
      await open(linkKey, key ?? (await deriveKey(linkKey, '')))
    } catch (error) {
      const isWrong = error instanceof EncryptionError && error.code === 'wrong_key'
      if (isStored && isKeyUnusable(error)) setState({ kind: 'key', problem: 'stored_key' })
      else setState(isWrong ? { kind: 'key', problem: error.code } : { kind: 'failed', error })
    }
  }

  const enterPassword = async (password: string) => {
    if (state.kind !== 'password') return
    const { linkKey } = state
    try {
      await open(linkKey, await deriveKey(linkKey, password))
    } catch (error) {
      if (error instanceof EncryptionError && error.code === 'wrong_key') throw new ShownError('error.wrong_password', {})
      setState({ kind: 'failed', error })
    }
  }

  /** Uses the key that this browser has if it opened or created the share. */
  const beginWithoutKey = async () => {
    const stored = await knownKey(share.id)
    if (stored) await enterKey(stored.linkKey, stored.key, true)
    else setState({ kind: 'key', problem: null })
  }

  const begin = () => {
    if (!globalThis.crypto?.subtle) return setState({ kind: 'insecure' })
    try {
      const linkKey = linkKeyIn(location.hash)
      if (linkKey) void enterKey(linkKey)
      else void beginWithoutKey()
    } catch {
      setState({ kind: 'key', problem: 'link_key_invalid' })
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins once for each share
  useEffect(begin, [share.id])

  const isWaiting = state.kind !== 'opened' && state.kind !== 'opening'
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same
  useEffect(() => {
    if (!isWaiting) return
    addEventListener('hashchange', begin) // the whole link was pasted into the address bar
    return () => removeEventListener('hashchange', begin)
  }, [isWaiting])

  return { state, enterKey: (linkKey: Bytes) => enterKey(linkKey), enterPassword, retry: begin }
}
