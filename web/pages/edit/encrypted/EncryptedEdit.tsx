import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../../src/shares/contract.ts'
import { linkWithKey } from '../../../../uploader/encryption/link-key.ts'
import { DecryptionFailed } from '../../../components/encrypted/DecryptionFailed.tsx'
import { OpeningStep } from '../../../components/encrypted/OpeningStep.tsx'
import { PageSkeleton } from '../../../components/PageSkeleton.tsx'
import type { StoredKey } from '../../../lib/encryption/key-store.ts'
import { useOwnId } from '../../../lib/own-shares.ts'
import { addDecryptedShare } from '../../../lib/share-addresses.ts'
import { EditView } from '../EditView.tsx'
import { encryptedEditor } from './encrypted-editor.ts'
import { useEditKey } from './use-edit-key.ts'

/** Edits an encrypted share with its key, and asks for what is missing. */
export function EncryptedEdit({ share }: { share: OwnerPage }) {
  const { state, enterKey, enterPassword, retry } = useEditKey(share)
  const isOwner = useOwnId(share) !== null
  if (state.kind === 'known') return <WithKey id={share.id} known={state} />
  return <OpeningStep id={share.id} state={state} isOwner={isOwner} onKey={enterKey} onPassword={enterPassword} onRetry={retry} />
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
