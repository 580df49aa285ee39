import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import * as limits from '../../src/users/limits.ts'

interface Props {
  label?: string
  autoFocus?: boolean
  size?: 'large'
  /** Whether it is of the one who sits there, so that the browser may fill it in. */
  own?: boolean
}

const plain = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const

/** A form's field `username`. */
export function UsernameField({ label, own = true, ...rest }: Props) {
  const { t } = useTranslation()
  const { usernameMinLength: min, usernameMaxLength: max } = limits
  const rules = [
    { required: true, message: t('rule.required') },
    { min, message: t('rule.minLength', { length: min }) },
    { max, message: t('rule.maxLength', { length: max }) },
    { pattern: new RegExp(limits.usernamePattern), message: t('rule.username') },
  ]
  return (
    <Form.Item name="username" label={label ?? t('auth.username')} rules={rules} validateTrigger="onBlur">
      <Input autoComplete={own ? 'username' : 'off'} {...plain} {...rest} />
    </Form.Item>
  )
}

/** A form's field `email`. */
export function EmailField({ label, own = true, ...rest }: Props) {
  const { t } = useTranslation()
  const rules = [
    { required: true, message: t('rule.required') },
    { type: 'email' as const, message: t('rule.email') },
  ]
  return (
    <Form.Item name="email" label={label ?? t('auth.email')} rules={rules} validateTrigger="onBlur">
      <Input type="email" autoComplete={own ? 'email' : 'off'} maxLength={limits.emailMaxLength} {...rest} />
    </Form.Item>
  )
}

/** A form's field `password`, for one that is to be from now on. */
export function NewPasswordField({ label, own: _, ...rest }: Props) {
  const { t } = useTranslation()
  const { passwordMinLength: min, passwordMaxLength: max } = limits
  const rules = [
    { required: true, message: t('rule.required') },
    { min, message: t('rule.minLength', { length: min }) },
    {
      message: t('rule.maxLength', { length: max }),
      validator: (_: unknown, value?: string) =>
        new TextEncoder().encode(value ?? '').length > max ? Promise.reject() : Promise.resolve(),
    },
  ]
  return (
    <Form.Item
      name="password"
      className="new-password"
      label={label ?? t('auth.password')}
      extra={t('auth.passwordHint', { length: min })}
      rules={rules}
      validateTrigger="onBlur"
    >
      <Input.Password autoComplete="new-password" {...rest} />
    </Form.Item>
  )
}

/** A form's field `setupCode`, for the first account. */
export function SetupCodeField({ label, own: _, ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <Form.Item
      name="setupCode"
      label={label ?? t('auth.setupCode')}
      extra={t('auth.setupCodeHint')}
      rules={[{ required: true, whitespace: true, message: t('rule.required') }]}
      validateTrigger="onBlur"
    >
      <Input dir="ltr" autoComplete="off" maxLength={64} {...plain} {...rest} />
    </Form.Item>
  )
}

/** A form's field `currentPassword`: that it is still the user who sits there. */
export function CurrentPasswordField({ label, own: _, ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <Form.Item
      name="currentPassword"
      label={label ?? t('account.currentPassword')}
      rules={[{ required: true, message: t('rule.required') }]}
      validateTrigger="onBlur"
    >
      <Input.Password autoComplete="current-password" {...rest} />
    </Form.Item>
  )
}

interface CodeProps extends Props {
  /** Six digits, or also a recovery code, or only such a one. */
  kind: 'digits' | 'any' | 'recovery'
}

/** A form's field `code`: the authenticator's, or a recovery code. */
export function CodeField({ kind, label, own: _, ...rest }: CodeProps) {
  const { t } = useTranslation()
  const digits = { inputMode: 'numeric', maxLength: 7, placeholder: '000000' } as const
  const rules = [
    { required: true, whitespace: true, message: t('rule.required') },
    ...(kind === 'digits' ? [{ pattern: /^\s*(\d\s*){6}$/, message: t('rule.totp') }] : []),
  ]
  return (
    <Form.Item
      name="code"
      label={label ?? t(kind === 'recovery' ? 'auth.recoveryCode' : 'auth.code')}
      extra={kind === 'any' ? t('auth.codeOrRecovery') : undefined}
      rules={rules}
      validateTrigger="onBlur"
    >
      <Input
        className="code-field"
        dir="ltr"
        autoComplete={kind === 'recovery' ? 'off' : 'one-time-code'}
        {...plain}
        {...(kind === 'digits' ? digits : { maxLength: 64 })}
        {...rest}
      />
    </Form.Item>
  )
}
