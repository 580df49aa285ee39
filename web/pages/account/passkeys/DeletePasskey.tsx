import { useTranslation } from 'react-i18next'
import { api } from '../../../api.ts'
import { AskDialog } from '../../../components/AskDialog.tsx'
import { useConfirmed, useFailure } from '../../../components/Confirmation.tsx'
import { useLast } from '../../../lib/last.ts'
import type { Passkey } from '../queries.ts'

interface Props {
  passkey: Passkey | null
  onClose(): void
  onDeleted(): void
}

/** Asks for confirmation, then deletes a passkey. */
export function DeletePasskey({ passkey, onClose, onDeleted }: Props) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const last = useLast(passkey)
  return (
    <AskDialog
      open={passkey !== null}
      title={t('passkey.deleteTitle')}
      text={t('passkey.deleteText', { name: last?.name })}
      ok={t('common.delete')}
      danger
      action={() => confirmed((password) => api('DELETE /api/auth/passkeys/:id', { params: { id: last!.id }, body: { password } }))}
      onDone={onDeleted}
      onError={failed}
      onClose={onClose}
    />
  )
}
