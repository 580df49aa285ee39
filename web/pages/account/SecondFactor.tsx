import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../src/users/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { Loaded, Part } from '../../components/Part.tsx'
import { useNotify } from '../../lib/notify.tsx'
import { changeOwnUser } from '../../lib/own-user.ts'
import { totpState, useReload } from './queries.ts'
import { EnableTotp } from './totp/EnableTotp.tsx'
import { ProofDialog } from './totp/ProofDialog.tsx'
import { RecoveryCodesDialog } from './totp/RecoveryCodesDialog.tsx'

const lowCount = 3 // recovery codes

/** The second factor of sign-ins (TOTP) and its recovery codes. */
export function SecondFactor({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const reload = useReload()
  const state = useQuery(totpState)
  const [dialog, setDialog] = useState<'enable' | 'disable' | 'renew' | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const close = () => setDialog(null)
  const changed = async (totpVerified: boolean) => {
    close()
    changeOwnUser({ totpVerified })
    await reload('totp')
  }
  return (
    <Part
      id="totp"
      title={t('account.totp')}
      text={t('account.totpText')}
      action={state.data?.totpVerified === false && <Button onClick={() => setDialog('enable')}>{t('account.totpEnable')}</Button>}
    >
      <Loaded query={state}>
        {({ totpVerified, recoveryCodesLeft }) =>
          totpVerified ? (
            <>
              <p className="account-state toolbar">
                <span className="badge badge-good">
                  <Icon name="check" size={14} />
                  {t('account.totpOn')}
                </span>
                <span className={recoveryCodesLeft < lowCount ? 'account-few' : 'soft'}>
                  {t('account.recoveryCodesLeft', { count: recoveryCodesLeft })}
                </span>
              </p>
              <div className="actions">
                <Button onClick={() => setDialog('renew')}>{t('account.renewCodes')}</Button>
                <Button danger onClick={() => setDialog('disable')}>
                  {t('account.totpDisable')}
                </Button>
              </div>
            </>
          ) : null
        }
      </Loaded>
      <EnableTotp
        open={dialog === 'enable'}
        user={user}
        onClose={close}
        onDone={async (newCodes) => {
          setCodes(newCodes)
          await changed(true)
        }}
      />
      <ProofDialog
        open={dialog === 'renew'}
        user={user}
        kind="renew"
        onClose={close}
        onDone={async (newCodes) => {
          setCodes(newCodes)
          await changed(true)
        }}
      />
      <ProofDialog
        open={dialog === 'disable'}
        user={user}
        kind="disable"
        onClose={close}
        onDone={async () => {
          notify.success(t('account.totpDisabled'))
          await changed(false)
        }}
      />
      <RecoveryCodesDialog codes={codes} user={user} onClose={() => setCodes(null)} />
    </Part>
  )
}
