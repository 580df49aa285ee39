import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { ApiError, api } from '../../../api.ts'
import { CodeField, CurrentPasswordField } from '../../../components/AccountFields.tsx'
import { useConfirmed } from '../../../components/Confirmation.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'

interface Props {
  open: boolean
  user: UserDTO
  kind: 'renew' | 'disable'
  onClose(): void
  /** Receives the new recovery codes, or none if TOTP was turned off. */
  onDone(recoveryCodes: string[]): void
}
interface Fields {
  currentPassword?: string
  code: string
}

/** Asks for both factors, then renews the recovery codes or turns TOTP off. */
export function ProofDialog({ open, user, kind, onClose, onDone }: Props) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const submit = async ({ currentPassword: password, code }: Fields) => {
    const body = { code: code.trim(), password }
    if (kind === 'renew') return (await confirmed(() => api('POST /api/auth/totp/recoveryCodes', { body }))).recoveryCodes
    await confirmed(() => api('POST /api/auth/totp/disable', { body })).catch(unlessOff)
    return []
  }
  return (
    <FormDialog<Fields, string[]>
      open={open}
      title={t(`account.${kind}Title`)}
      ok={t(`account.${kind}Ok`)}
      danger={kind === 'disable'}
      fieldOfCode={{ wrong_password: 'currentPassword', invalid_totp: 'code' }}
      submit={submit}
      onDone={onDone}
      onClose={onClose}
    >
      <p className="soft">{t(`account.${kind}Text`)}</p>
      {user.hasPassword && <CurrentPasswordField autoFocus />}
      <CodeField kind="any" autoFocus={!user.hasPassword} />
    </FormDialog>
  )
}

/** Ignores that another tab has already turned TOTP off. */
function unlessOff(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'totp_not_enabled') throw error
}
