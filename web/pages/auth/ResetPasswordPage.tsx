import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, Redirect, useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { NewPasswordField } from '../../components/AccountFields.tsx'
import { address } from '../../lib/address.ts'
import { errorText, fieldErrors } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { forgetSession } from '../../lib/session.ts'
import { settings } from '../../start.ts'
import { AuthCard } from './AuthCard.tsx'

/** Sets a password. The links in password reset and invitation emails open it. */
export function ResetPasswordPage() {
  const { t } = useTranslation()
  usePageTitle(t('auth.resetTitle'))
  const { token = '' } = useParams()
  const [form] = Form.useForm<{ password: string }>()
  const reset = useMutation({
    mutationFn: ({ password }: { password: string }) => api('POST /api/auth/resetPassword', { body: { token, password } }),
    onSuccess: forgetSession,
    onError: (error) => form.setFields(fieldErrors(t, error) as Parameters<typeof form.setFields>[0]),
  })
  if (settings['oauth.disablePassword']) return <Redirect to="/auth/signIn" replace />
  if (reset.isSuccess) {
    return (
      <AuthCard title={t('auth.resetDoneTitle')} error={null}>
        <p className="auth-text" role="status">
          {t('auth.resetDoneText')}
        </p>
        <Button type="primary" size="large" block href={address('/auth/signIn')}>
          {t('auth.signIn')}
        </Button>
      </AuthCard>
    )
  }
  const isSpent = reset.error instanceof ApiError && reset.error.code === 'invalid_token'
  const unexplained = reset.error && fieldErrors(t, reset.error).length === 0
  return (
    <AuthCard
      title={t('auth.resetTitle')}
      text={isSpent ? undefined : t('auth.resetText')}
      error={unexplained ? errorText(t, reset.error) : null}
    >
      {isSpent ? (
        <p className="auth-text">
          {settings['smtp.enabled'] ? <Link href="/auth/resetPassword">{t('auth.newLink')}</Link> : t('auth.askAdmin')}
        </p>
      ) : (
        <Form form={form} layout="vertical" requiredMark={false} onFinish={reset.mutate}>
          <NewPasswordField label={t('auth.newPassword')} size="large" autoFocus />
          <Button type="primary" htmlType="submit" size="large" block loading={reset.isPending}>
            {t('auth.setPassword')}
          </Button>
        </Form>
      )}
    </AuthCard>
  )
}
