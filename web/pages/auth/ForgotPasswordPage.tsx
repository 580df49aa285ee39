import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, Redirect } from 'wouter'
import { api } from '../../api.ts'
import { EmailField } from '../../components/AccountFields.tsx'
import { errorText } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { settings, start } from '../../start.ts'
import { AuthCard } from './AuthCard.tsx'

/** Sends a link to reset the password. The page does not reveal whether the account exists. */
export function ForgotPasswordPage() {
  const { t } = useTranslation()
  usePageTitle(t('auth.forgotTitle'))
  const send = useMutation({
    mutationFn: ({ email }: { email: string }) => api('POST /api/auth/resetPassword/:email', { params: { email: email.trim() } }),
  })
  if (!settings['smtp.enabled'] || settings['oauth.disablePassword']) return <Redirect to="/" replace />
  const back = (
    <p className="auth-other">
      <Link href={start.user ? '/account' : '/auth/signIn'}>{t('common.back')}</Link>
    </p>
  )
  if (send.isSuccess) {
    return (
      <AuthCard title={t('auth.sentTitle')} error={null}>
        <p className="auth-text" role="status">
          {t('auth.sentText', { email: send.variables.email.trim() })}
        </p>
        {back}
      </AuthCard>
    )
  }
  return (
    <AuthCard title={t('auth.forgotTitle')} text={t('auth.forgotText')} error={send.error && errorText(t, send.error)}>
      <Form layout="vertical" noValidate requiredMark={false} initialValues={{ email: start.user?.email }} onFinish={send.mutate}>
        <EmailField size="large" autoFocus />
        <Button type="primary" htmlType="submit" size="large" block loading={send.isPending}>
          {t('auth.sendLink')}
        </Button>
      </Form>
      {back}
    </AuthCard>
  )
}
