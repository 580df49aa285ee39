import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { UserDTO } from '../../../src/users/contract.ts'
import { api } from '../../api.ts'
import { CurrentPasswordField, NewPasswordField } from '../../components/AccountFields.tsx'
import { useConfirmed, useFailure } from '../../components/Confirmation.tsx'
import { Part } from '../../components/Part.tsx'
import { fieldErrors } from '../../lib/error-text.ts'
import { useNotify } from '../../lib/notify.tsx'
import { changeOwnUser } from '../../lib/own-user.ts'
import { settings } from '../../start.ts'
import { useReload } from './queries.ts'

interface Fields {
  currentPassword?: string
  password: string
}

/** Changes the password, or sets one for a user who signs in by another method. */
export function Password({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const reload = useReload()
  const [form] = Form.useForm<Fields>()
  const change = useMutation({
    mutationFn: ({ currentPassword: oldPassword, password }: Fields) =>
      confirmed(() => api('PATCH /api/auth/password', { body: { oldPassword, password } })),
    onSuccess: async () => {
      changeOwnUser({ hasPassword: true })
      form.resetFields()
      notify.success(t(user.hasPassword ? 'account.passwordChanged' : 'account.passwordSet'))
      await reload('sessions', 'tokens')
    },
    onError: (error) => {
      const errors = fieldErrors(t, error, { wrong_password: 'currentPassword' }) as Parameters<typeof form.setFields>[0]
      if (errors.length > 0) form.setFields(errors)
      else failed(error)
    },
  })
  return (
    <Part id="password" title={t('auth.password')} text={t(user.hasPassword ? 'account.passwordText' : 'account.noPasswordText')}>
      <Form<Fields> form={form} name="change" layout="vertical" requiredMark={false} onFinish={change.mutate}>
        <input className="visually-hidden" tabIndex={-1} aria-hidden="true" readOnly autoComplete="username" value={user.username} />
        <div className="account-columns">
          {user.hasPassword && <CurrentPasswordField />}
          <NewPasswordField label={t('auth.newPassword')} />
        </div>
        <div className="toolbar">
          <Button htmlType="submit" loading={change.isPending}>
            {t(user.hasPassword ? 'account.changePassword' : 'auth.setPassword')}
          </Button>
          {user.hasPassword && settings['smtp.enabled'] && <Link href="/auth/resetPassword">{t('auth.forgot')}</Link>}
        </div>
      </Form>
    </Part>
  )
}
