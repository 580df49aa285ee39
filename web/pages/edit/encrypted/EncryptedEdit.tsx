import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../../src/shares/contract.ts'
import { linkWithKey } from '../../../../uploader/encryption/link-key.ts'
import { DecryptionFailed } from '../../../components/encrypted/DecryptionFailed.tsx'
import { Insecure } from '../../../components/encrypted/Insecure.tsx'
import { KeyForm } from '../../../components/encrypted/KeyForm.tsx'
import { PageSkeleton } from '../../../components/PageSkeleton.tsx'
import { UnlockForm } from '../../../components/UnlockForm.tsx'
import type { StoredKey } from '../../../lib/encryption/key-store.ts'
import { addDecryptedShare } from '../../../lib/share-addresses.ts'
import { EditView } from '../EditView.tsx'
import { encryptedEditor } from './encrypted-editor.ts'
import { useEditKey } from './use-edit-key.ts'

/** Edits an encrypted share with its key, and asks for what is missing. */
export function EncryptedEdit({ share }: { share: OwnerPage }) {
  const { t } = useTranslation()
  const { state, enterKey, enterPassword, retry } = useEditKey(share)
  switch (state.kind) {
    case 'opening':
      return <PageSkeleton />
    case 'insecure':
      return <Insecure />
    case 'key':
      return <KeyForm problem={state.problem && t(`encrypted.${state.problem}`)} onKey={enterKey} />
    case 'password':
      return <UnlockForm title={t('unlock.title')} text={t('encrypted.passwordText')} onPassword={enterPassword} />
    case 'failed':
      return <DecryptionFailed id={share.id} error={state.error} onRetry={retry} />
    case 'known':
      return <WithKey id={share.id} known={state} />
  }
}

function WithKey({ id, known: { linkKey, key } }: { id: string; known: StoredKey }) {
  const { t } = useTranslation()
  const editor = useMemo(() => encryptedEditor(id, key, t('edit.unnamed')), [id, key, t])
  const share = useQuery({ queryKey: editor.queryKey, queryFn: editor.load })
  useEffect(() => addDecryptedShare(id, linkWithKey('', linkKey)), [id, linkKey])
  if (share.isPending) return <PageSkeleton />
  if (!share.data) return <DecryptionFailed id={id} error={share.error} onRetry={share.refetch} />
  return <EditView share={share.data} editor={editor} />
}
