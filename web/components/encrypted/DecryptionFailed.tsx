import { useTranslation } from 'react-i18next'
import { EncryptionError } from '../../../uploader/encryption/error.ts'
import { Scene } from '../Scene.tsx'
import { ShareProblem } from '../ShareProblem.tsx'

interface Props {
  /** ID of the share. */
  id: string
  error: unknown
  onRetry(): void
}

/** Explains why an encrypted share can't be opened. */
export function DecryptionFailed({ id, error, onRetry }: Props) {
  const { t } = useTranslation()
  if (!(error instanceof EncryptionError)) return <ShareProblem id={id} error={error} onRetry={onRetry} />
  return <Scene asleep title={t('encrypted.failedTitle')} text={t(`encrypted.${error.code}`)} />
}
