import { useEffect, useState } from 'react'
import type { OwnerPage } from '../../../../src/shares/contract.ts'
import type { Bytes } from '../../../../uploader/encryption/bytes.ts'
import { openDocument } from '../../../../uploader/encryption/document.ts'
import { EncryptionError } from '../../../../uploader/encryption/error.ts'
import { linkKeyIn } from '../../../../uploader/encryption/link-key.ts'
import type { OpeningState } from '../../../components/encrypted/OpeningStep.tsx'
import { deriveKey } from '../../../lib/encryption/derive-key.ts'
import { draftStore } from '../../../lib/encryption/draft-store.ts'
import type { StoredKey } from '../../../lib/encryption/key-store.ts'
import { isKeyUnusable, knownKey, rememberOpened } from '../../../lib/encryption/opened-keys.ts'
import { ShownError } from '../../../lib/error-text.ts'

type State = OpeningState | ({ kind: 'known' } & StoredKey)

/** Finds the key of a share in this browser or in the address, or takes it from the user. */
export function useEditKey({ id, hasPassword }: OwnerPage) {
  const [state, setState] = useState<State>({ kind: 'opening' })

  /** Uses a key if it opens the document. */
  const use = async (known: StoredKey) => {
    await openDocument(known.key, await draftStore(id).load())
    rememberOpened(id, known)
    setState({ kind: 'known', ...known })
  }

  /** Uses a key of this browser. Returns false if it belongs to another share, or can't be used. */
  const opens = async (known: StoredKey) => {
    try {
      await use(known)
      return true
    } catch (error) {
      if (isKeyUnusable(error)) return false
      throw error
    }
  }

  const enterKey = async (linkKey: Bytes) => {
    if (hasPassword) return setState({ kind: 'password', linkKey })
    setState({ kind: 'opening' })
    await use({ linkKey, key: await deriveKey(linkKey, '') }).catch((error: unknown) => setState(failed(error)))
  }

  const enterPassword = async (password: string) => {
    if (state.kind !== 'password') return
    const { linkKey } = state
    try {
      await use({ linkKey, key: await deriveKey(linkKey, password) })
    } catch (error) {
      if (isWrong(error)) throw new ShownError('error.wrong_password', {})
      setState({ kind: 'failed', error })
    }
  }

  const begin = async () => {
    if (!globalThis.crypto?.subtle) return setState({ kind: 'insecure' })
    try {
      const known = await knownKey(id)
      if (known && (await opens(known))) return
      const linkKey = linkKeyIn(location.hash)
      if (linkKey) await enterKey(linkKey)
      else setState({ kind: 'key', problem: known && 'stored_key' })
    } catch (error) {
      setState(failed(error))
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins once for each share
  useEffect(() => void begin(), [id])

  const isWaiting = state.kind !== 'known' && state.kind !== 'opening'
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same
  useEffect(() => {
    if (!isWaiting) return
    const beginAgain = () => void begin() // the whole link was pasted into the address bar
    addEventListener('hashchange', beginAgain)
    return () => removeEventListener('hashchange', beginAgain)
  }, [isWaiting])
  return { state, enterKey: (linkKey: Bytes) => void enterKey(linkKey), enterPassword, retry: () => void begin() }
}

const isWrong = (error: unknown) => error instanceof EncryptionError && error.code === 'wrong_key'

function failed(error: unknown): State {
  const isAsking = error instanceof EncryptionError && (error.code === 'wrong_key' || error.code === 'link_key_invalid')
  return isAsking ? { kind: 'key', problem: error.code } : { kind: 'failed', error }
}
