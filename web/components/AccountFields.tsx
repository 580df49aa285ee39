import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import * as limits from '../../src/users/limits.ts'

interface Props {
  label?: string
  autoFocus?: boolean
  size?: 'large'
  /** Whether the field is about the current user, so that the browser may fill it in. */
  isOwnAccount?: boolean
}

const trimmed = (value: string) => value.trim()
const verbatim = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const

/** The field `username` of a form. */
export function UsernameField({ label, isOwnAccount = true, ...rest }: Props) {
  const { t } = useTranslation()
  const { usernameMinLength: min, usernameMaxLength: max } = limits
  const rules = [
    { required: true, message: t('rule.required') },
    { min, message: t('rule.minLength', { length: min }) },
    { max, message: t('rule.maxLength', { length: max }) },
    { pattern: new RegExp(limits.usernamePattern), message: t('rule.username') },
  ]
  return (
    <Form.Item name="username" label={label ?? t('auth.username')} rules={rules} normalize={trimmed} validateTrigger="onBlur">
      <Input autoComplete={isOwnAccount ? 'username' : 'off'} {...verbatim} {...rest} />
    </Form.Item>
  )
}

/** The field `email` of a form. */
export function EmailField({ label, isOwnAccount = true, ...rest }: Props) {
  const { t } = useTranslation()
  const rules = [
    { required: true, message: t('rule.required') },
    { type: 'email' as const, message: t('rule.email') },
  ]
  return (
    <Form.Item name="email" label={label ?? t('auth.email')} rules={rules} validateTrigger="onBlur">
      <Input type="email" autoComplete={isOwnAccount ? 'email' : 'off'} maxLength={limits.emailMaxLength} {...rest} />
    </Form.Item>
  )
}

/** The field `password` of a form that sets a new password. */
export function NewPasswordField({ label, isOwnAccount: _, ...rest }: Props) {
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

/** The field `setupCode` of a form, for the first account. */
export function SetupCodeField({ label, isOwnAccount: _, ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <Form.Item
      name="setupCode"
      label={label ?? t('auth.setupCode')}
      extra={t('auth.setupCodeHint')}
      rules={[{ required: true, whitespace: true, message: t('rule.required') }]}
      validateTrigger="onBlur"
    >
      <Input dir="ltr" autoComplete="off" maxLength={64} {...verbatim} {...rest} />
    </Form.Item>
  )
}

/** The field `currentPassword` of a form that confirms the user's identity. */
export function CurrentPasswordField({ label, isOwnAccount: _, ...rest }: Props) {
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
  /** Which codes are accepted: six digits, digits or a recovery code, or only a recovery code. */
  kind: 'digits' | 'any' | 'recovery'
}

/** The field `code` of a form: a code of the authenticator or a recovery code. */
export function CodeField({ kind, label, isOwnAccount: _, ...rest }: CodeProps) {
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
        {...verbatim}
        {...(kind === 'digits' ? digits : { maxLength: 64 })}
        {...rest}
      />
    </Form.Item>
  )
}
