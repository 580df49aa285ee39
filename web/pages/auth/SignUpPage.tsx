import { useMutation } from '@tanstack/react-query'
import { Button, Form, Input } from 'antd'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Link, Redirect } from 'wouter'
import type { SignUp } from '../../../src/auth/contract.ts'
import * as limits from '../../../src/auth/limits.ts'
import { returnPath } from '../../access.ts'
import { api } from '../../api.ts'
import { errorText, fieldErrors } from '../../error-text.ts'
import { usePageTitle } from '../../page-title.ts'
import { settings } from '../../start.ts'
import { AuthCard } from './AuthCard.tsx'

const owners = { username_taken: 'username', email_taken: 'email' }

/** Creates an account, signs it in, and goes on to where the visitor wanted to go. */
export function SignUpPage() {
  const { t } = useTranslation()
  usePageTitle(t('auth.signUp'))
  const [form] = Form.useForm<SignUp>()
  const signUp = useMutation({
    mutationFn: (body: SignUp) => api('POST /api/auth/signUp', { body }),
    onSuccess: () => location.assign(returnPath()),
    onError: (error) => form.setFields(fieldErrors(t, error, owners) as Parameters<typeof form.setFields>[0]),
  })
  if (!settings['share.allowRegistration']) return <Redirect to="/" replace />
  const unexplained = signUp.error && fieldErrors(t, signUp.error, owners).length === 0
  return (
    <AuthCard title={t('auth.signUpTitle')} error={unexplained ? errorText(t, signUp.error) : null}>
      <Form form={form} layout="vertical" requiredMark={false} scrollToFirstError={{ focus: true }} onFinish={signUp.mutate}>
        <Form.Item name="username" label={t('auth.username')} rules={usernameRules(t)} validateTrigger="onBlur">
          <Input autoComplete="username" autoCapitalize="none" autoCorrect="off" spellCheck={false} autoFocus size="large" />
        </Form.Item>
        <Form.Item
          name="email"
          label={t('auth.email')}
          validateTrigger="onBlur"
          rules={[
            { required: true, message: t('rule.required') },
            { type: 'email', message: t('rule.email') },
          ]}
        >
          <Input type="email" autoComplete="email" maxLength={limits.emailMaxLength} size="large" />
        </Form.Item>
        <Form.Item
          name="password"
          label={t('auth.password')}
          validateTrigger="onBlur"
          extra={t('auth.passwordHint', { length: limits.passwordMinLength })}
          rules={[
            { required: true, message: t('rule.required') },
            { min: limits.passwordMinLength, message: t('rule.minLength', { length: limits.passwordMinLength }) },
          ]}
        >
          <Input.Password autoComplete="new-password" maxLength={limits.passwordMaxLength} size="large" />
        </Form.Item>
        <Button type="primary" htmlType="submit" size="large" block loading={signUp.isPending || signUp.isSuccess}>
          {t('auth.signUp')}
        </Button>
      </Form>
      <p className="auth-other">
        {t('auth.haveAccount')} <Link href={`/auth/signIn${location.search}`}>{t('auth.signIn')}</Link>
      </p>
    </AuthCard>
  )
}

function usernameRules(t: TFunction) {
  const { usernameMinLength: min, usernameMaxLength: max } = limits
  return [
    { required: true, message: t('rule.required') },
    { min, message: t('rule.minLength', { length: min }) },
    { max, message: t('rule.maxLength', { length: max }) },
    { pattern: new RegExp(limits.usernamePattern), message: t('rule.username') },
  ]
}
