import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, Redirect } from 'wouter'
import type { SignUp } from '../../../src/auth/contract.ts'
import { api } from '../../api.ts'
import { EmailField, NewPasswordField, SetupCodeField, UsernameField } from '../../components/AccountFields.tsx'
import { openAsUser, returnPath } from '../../lib/access.ts'
import { address } from '../../lib/address.ts'
import { errorText, fieldErrors } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { settings, start } from '../../start.ts'
import { AuthCard } from './AuthCard.tsx'
import { Or, SocialButtons } from './SocialButtons.tsx'

const fieldOfCode = { username_taken: 'username', email_taken: 'email' }

/** Creates an account, signs in, then opens the page that the visitor came for. */
export function SignUpPage() {
  const { t } = useTranslation()
  usePageTitle(t('auth.signUp'))
  const [form] = Form.useForm<SignUp>()
  const setupCode = Form.useWatch('setupCode', form)
  const signUp = useMutation({
    mutationFn: (body: SignUp) => api('POST /api/auth/signUp', { body }),
    onSuccess: ({ user }) => user.emailVerified && openAsUser(),
    onError: (error) => form.setFields(fieldErrors(t, error, fieldOfCode) as Parameters<typeof form.setFields>[0]),
  })
  if (settings['oauth.disablePassword']) return <Redirect to={`/auth/signIn${location.search}`} replace />
  if (!settings['share.allowRegistration'] && !start.setupCodeRequired) return <Redirect to="/" replace />
  if (signUp.data?.user.emailVerified === false) {
    return (
      <AuthCard title={t('auth.verifyEmailSentTitle')} error={null}>
        <p className="auth-text" role="status">
          {t('auth.verifyEmailSent', { email: signUp.data.user.email })}
        </p>
        <Button type="primary" size="large" block href={address(returnPath())}>
          {t('auth.verifyContinue')}
        </Button>
      </AuthCard>
    )
  }
  const unexplained = signUp.error && fieldErrors(t, signUp.error, fieldOfCode).length === 0
  return (
    <AuthCard title={t('auth.signUpTitle')} error={unexplained ? errorText(t, signUp.error) : null}>
      <Form form={form} layout="vertical" noValidate requiredMark={false} scrollToFirstError={{ focus: true }} onFinish={signUp.mutate}>
        <UsernameField size="large" autoFocus />
        <EmailField size="large" />
        <NewPasswordField size="large" />
        {start.setupCodeRequired && <SetupCodeField size="large" />}
        <Button type="primary" htmlType="submit" size="large" block loading={signUp.isPending || signUp.isSuccess}>
          {t('auth.signUp')}
        </Button>
      </Form>
      {start.socialProviders.length > 0 && <Or />}
      <SocialButtons setupCode={setupCode} />
      <p className="auth-other">
        {t('auth.haveAccount')} <Link href={`/auth/signIn${location.search}`}>{t('auth.signIn')}</Link>
      </p>
    </AuthCard>
  )
}
