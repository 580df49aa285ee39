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
  /** The page asks for the key. */
  | { kind: 'key'; problem: EncryptionProblem | null }
  | { kind: 'password'; linkKey: Bytes }
  | { kind: 'failed'; error: unknown }

interface Props {
  /** ID of the share. */
  id: string
  state: OpeningState
  onKey(linkKey: Bytes): void
  onPassword(password: string): Promise<unknown>
  onRetry(): void
}

/** Asks for what is missing to open an encrypted share, or explains why it can't be opened. */
export function OpeningStep({ id, state, onKey, onPassword, onRetry }: Props) {
  const { t } = useTranslation()
  switch (state.kind) {
    case 'opening':
      return <PageSkeleton />
    case 'insecure':
      return <Insecure />
    case 'key':
      return <KeyForm problem={state.problem && t(`encrypted.${state.problem}`)} onKey={onKey} />
    case 'password':
      return <UnlockForm title={t('unlock.title')} text={t('encrypted.passwordText')} onPassword={onPassword} />
    case 'failed':
      return <DecryptionFailed id={id} error={state.error} onRetry={onRetry} />
  }
}
