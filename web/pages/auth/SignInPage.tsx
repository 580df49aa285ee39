import { useMutation } from '@tanstack/react-query'
import { Button, Form, Input, type InputRef } from 'antd'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { api } from '../../api.ts'
import { SetupCodeField } from '../../components/AccountFields.tsx'
import { openAsUser } from '../../lib/access.ts'
import { errorText } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { arePasskeysAvailable, passkeyErrorText } from '../../lib/passkeys.ts'
import { settings, start } from '../../start.ts'
import { AuthCard } from './AuthCard.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'
import { Or, SocialButtons } from './SocialButtons.tsx'
import { secondStepPath } from './second-step.ts'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

interface Fields {
  identifier: string
  password: string
}

/**
 * Signs in by username or email address, social login or passkey, then opens the page that the
 * visitor came for.
 */
export function SignInPage() {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  usePageTitle(t('auth.signIn'))
  const passkey = usePasskeySignIn()
  const signIn = useMutation({
    mutationFn: ({ identifier, password }: Fields) =>
      api('POST /api/auth/signIn', {
        body: identifier.includes('@') ? { email: identifier, password } : { username: identifier, password },
      }),
    onMutate: passkey.reset,
    onSuccess: (step) => ('loginToken' in step ? navigate(secondStepPath(step)) : openAsUser()),
  })
  const error = signIn.error ? errorText(t, signIn.error) : passkey.error ? passkeyErrorText(t, passkey.error) : null
  const byPassword = !settings['oauth.disablePassword']
  const [form] = Form.useForm<{ setupCode: string }>()
  const setupCode = Form.useWatch('setupCode', form)
  const needsCode = start.setupCodeRequired && !byPassword && start.socialProviders.length > 0
  return (
    <AuthCard title={t('auth.signInTitle')} text={settings['general.welcomeText']} error={error}>
      {byPassword ? (
        <PasswordForm busy={signIn.isPending || signIn.isSuccess} onSubmit={signIn.mutate} />
      ) : (
        start.socialProviders.length === 0 && <p className="auth-text">{t('auth.noPasswords')}</p>
      )}
      {byPassword && (start.socialProviders.length > 0 || arePasskeysAvailable()) && <Or />}
      {needsCode ? (
        <Form form={form} layout="vertical" requiredMark={false}>
          <SetupCodeField size="large" />
          <SocialButtons setupCode={setupCode} />
        </Form>
      ) : (
        <SocialButtons />
      )}
      <PasskeyButton
        busy={passkey.busy}
        onClick={() => {
          signIn.reset()
          passkey.ask()
        }}
      />
      {byPassword && (settings['share.allowRegistration'] || start.setupCodeRequired) && (
        <p className="auth-other">
          {t('auth.noAccount')} <Link href={`/auth/signUp${location.search}`}>{t('auth.signUp')}</Link>
        </p>
      )}
    </AuthCard>
  )
}

function PasswordForm({ busy, onSubmit }: { busy: boolean; onSubmit(fields: Fields): void }) {
  const { t } = useTranslation()
  const identifierField = useRef<InputRef>(null)
  useEffect(() => {
    const timer = setTimeout(() => identifierField.current?.focus()) // focusing earlier forces a layout while the page is still being rendered
    return () => clearTimeout(timer)
  }, [])
  return (
    <Form<Fields>
      layout="vertical"
      requiredMark={false}
      onFinish={(fields) => onSubmit({ ...fields, identifier: fields.identifier.trim() })}
    >
      <Form.Item
        name="identifier"
        label={t('auth.emailOrUsername')}
        rules={[{ required: true, whitespace: true, message: t('rule.required') }]}
      >
        <Input
          ref={identifierField}
          autoComplete="username webauthn"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          size="large"
        />
      </Form.Item>
      <Form.Item name="password" label={t('auth.password')} rules={[{ required: true, message: t('rule.required') }]}>
        <Input.Password autoComplete="current-password" size="large" />
      </Form.Item>
      {settings['smtp.enabled'] && (
        <p className="auth-forgot">
          <Link href="/auth/resetPassword">{t('auth.forgot')}</Link>
        </p>
      )}
      <Button type="primary" htmlType="submit" size="large" block loading={busy}>
        {t('auth.signIn')}
      </Button>
    </Form>
  )
}
