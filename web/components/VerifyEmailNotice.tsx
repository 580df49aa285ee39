import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { api } from '../api.ts'
import { useNotify } from '../lib/notify.tsx'
import { useOwnUser } from '../lib/own-user.ts'
import { settings } from '../start.ts'

/** Asks users who have yet to verify their email address to do so. Renders nothing for others. */
export function VerifyEmailNotice() {
  const { t } = useTranslation()
  const notify = useNotify()
  const user = useOwnUser()
  const resend = useMutation({
    mutationFn: () => api('POST /api/users/me/verification'),
    onSuccess: () => notify.success(t('account.verificationSent', { email: user?.email })),
    onError: notify.error,
  })
  if (!user || user.emailVerified || !settings['share.requireVerifiedEmail']) return null
  return (
    <div className="notice">
      <div>
        <strong>{t('account.emailNotVerified')}</strong>
        <p>{t('account.emailNotVerifiedText', { email: user.email })}</p>
        <div className="actions">
          <Button loading={resend.isPending} onClick={() => resend.mutate()}>
            {t('account.resendVerification')}
          </Button>
        </div>
      </div>
    </div>
  )
}
