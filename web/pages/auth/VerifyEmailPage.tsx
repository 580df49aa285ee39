import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { address } from '../../lib/address.ts'
import { errorText } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { AuthCard } from './AuthCard.tsx'

/**
 * Verifies an email address. The link in an email opens it. Mail scanners open links too, so only
 * the button verifies.
 */
export function VerifyEmailPage() {
  const { t } = useTranslation()
  usePageTitle(t('auth.verifyEmailTitle'))
  const { token = '' } = useParams()
  const verify = useMutation({ mutationFn: () => api('POST /api/auth/verifyEmail', { body: { token } }) })
  if (verify.isSuccess) {
    return (
      <AuthCard title={t('auth.verifyEmailDoneTitle')} error={null}>
        <p className="auth-text" role="status">
          {t('auth.verifyEmailDoneText')}
        </p>
        <Button type="primary" size="large" block href={address('/upload')}>
          {t('auth.verifyContinue')}
        </Button>
      </AuthCard>
    )
  }
  if (verify.error instanceof ApiError && verify.error.code === 'invalid_token') {
    return (
      <AuthCard title={t('auth.verifyEmailTitle')} error={t('auth.verifyEmailSpent')}>
        <Button type="primary" size="large" block href={address('/account')}>
          {t('auth.toAccount')}
        </Button>
      </AuthCard>
    )
  }
  return (
    <AuthCard title={t('auth.verifyEmailTitle')} text={t('auth.verifyEmailText')} error={verify.error && errorText(t, verify.error)}>
      <Button type="primary" size="large" block loading={verify.isPending} onClick={() => verify.mutate()}>
        {t('auth.verifyEmail')}
      </Button>
    </AuthCard>
  )
}
