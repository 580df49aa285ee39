import { useTranslation } from 'react-i18next'
import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import type { EncryptionProblem } from '../../../uploader/encryption/error.ts'
import { PageSkeleton } from '../PageSkeleton.tsx'
import { UnlockForm } from '../UnlockForm.tsx'
import { DecryptionFailed } from './DecryptionFailed.tsx'
import { Insecure } from './Insecure.tsx'
import { KeyForm } from './KeyForm.tsx'

/** How far a page is that has not opened its encrypted share. */
export type OpeningState =
  | { kind: 'opening' | 'insecure' }
  /** The page asks for the key. `stored_key`: the one in this browser does not open the share. */
  | { kind: 'key'; problem: EncryptionProblem | 'stored_key' | null }
  | { kind: 'password'; linkKey: Bytes }
  | { kind: 'failed'; error: unknown }

interface Props {
  /** ID of the share. */
  id: string
  state: OpeningState
  /** Whether the user owns the share, so that there is no one else to ask. */
  isOwner: boolean
  onKey(linkKey: Bytes): void
  onPassword(password: string): Promise<unknown>
  onRetry(): void
}

/** Asks for what is missing to open an encrypted share, or explains why it can't be opened. */
export function OpeningStep({ id, state, isOwner, onKey, onPassword, onRetry }: Props) {
  const { t } = useTranslation()
  switch (state.kind) {
    case 'opening':
      return <PageSkeleton />
    case 'insecure':
      return <Insecure />
    case 'key':
      return (
        <KeyForm
          text={t(isOwner ? 'encrypted.ownKeyText' : 'encrypted.keyText')}
          problem={state.problem && t(isOwner && state.problem === 'wrong_key' ? 'encrypted.ownWrongKey' : `encrypted.${state.problem}`)}
          onKey={onKey}
        />
      )
    case 'password':
      return (
        <UnlockForm
          title={t('unlock.title')}
          text={t(isOwner ? 'encrypted.ownPasswordText' : 'encrypted.passwordText')}
          onPassword={onPassword}
        />
      )
    case 'failed':
      return <DecryptionFailed id={id} error={state.error} onRetry={onRetry} />
  }
}
