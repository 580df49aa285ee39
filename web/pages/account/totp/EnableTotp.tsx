import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { api } from '../../../api.ts'
import { CodeField, CurrentPasswordField } from '../../../components/AccountFields.tsx'
import { useConfirmed, useFailure } from '../../../components/Confirmation.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'
import { useLast } from '../../../lib/last.ts'
import { rememberPassword } from '../../../lib/recent-password.ts'
import { AuthenticatorSetup } from './AuthenticatorSetup.tsx'

interface Props {
  open: boolean
  user: UserDTO
  onClose(): void
  onDone(recoveryCodes: string[]): void
}
interface Begun {
  totpAuthUrl: string
  totpSecret: string
  qrCode: string
  /** The server asks for it again when the code is verified. */
  password: string | undefined
}

/**
 * Turns on TOTP (RFC 6238): asks for the password if there is one, then for the first code of the
 * authenticator.
 */
export function EnableTotp({ open, user, onClose, onDone }: Props) {
  const { t } = useTranslation()
  const [begun, setBegun] = useState<Begun | null>(null)
  const shown = useLast(begun)
  const begin = async (password?: string) => {
    const made = await api('POST /api/auth/totp/enable', { body: { password } })
    rememberPassword(password)
    return { ...made, password }
  }
  const close = () => {
    setBegun(null)
    onClose()
  }
  return (
    <>
      {!user.hasPassword && open && <BeginWithoutPassword begin={begin} onBegun={setBegun} onClose={close} />}
      <FormDialog<{ currentPassword: string }, Begun>
        open={open && begun === null && user.hasPassword}
        title={t('account.totpEnableTitle')}
        ok={t('account.continue')}
        fieldOfCode={{ wrong_password: 'currentPassword' }}
        submit={({ currentPassword }) => begin(currentPassword)}
        onDone={setBegun}
        onClose={close}
      >
        <p className="soft">{t('account.confirmText')}</p>
        <CurrentPasswordField autoFocus />
      </FormDialog>
      <FormDialog<{ code: string }, string[]>
        open={open && begun !== null}
        title={t('account.totpEnableTitle')}
        ok={t('account.totpVerify')}
        fieldOfCode={{ invalid_totp: 'code' }}
        submit={async ({ code }) => {
          const body = { code: code.replace(/\s/g, ''), password: begun?.password }
          return (await api('POST /api/auth/totp/verify', { body })).recoveryCodes
        }}
        onDone={(codes) => {
          setBegun(null)
          onDone(codes)
        }}
        onClose={close}
      >
        {shown && <AuthenticatorSetup {...shown} />}
        <p className="soft">{t('account.totpEndsOthers')}</p>
        <CodeField kind="digits" label={t('account.totpCode')} />
      </FormDialog>
    </>
  )
}

interface WithoutPassword {
  begin(): Promise<Begun>
  onBegun(begun: Begun): void
  onClose(): void
}

/** The first step for a user without a password, who may have to sign in again. */
function BeginWithoutPassword({ begin, onBegun, onClose }: WithoutPassword) {
  const confirmed = useConfirmed()
  const failed = useFailure()
  const { mutate } = useMutation({
    mutationFn: () => confirmed(() => begin()),
    onSuccess: onBegun,
    onError: (error) => {
      failed(error)
      onClose()
    },
  })
  useEffect(() => mutate(), [mutate])
  return null
}
