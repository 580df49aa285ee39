import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../src/users/contract.ts'
import { api } from '../../api.ts'
import { EmailField, UsernameField } from '../../components/AccountFields.tsx'
import { useConfirmed, useFailure } from '../../components/Confirmation.tsx'
import { Part } from '../../components/Part.tsx'
import { VerifyEmailNotice } from '../../components/VerifyEmailNotice.tsx'
import { fieldErrors } from '../../lib/error-text.ts'
import { useNotify } from '../../lib/notify.tsx'
import { changeOwnUser } from '../../lib/own-user.ts'

interface Fields {
  username: string
  email: string
}

const fieldOfCode = { username_taken: 'username', email_taken: 'email' }

/** The user's own name and email address. */
export function Profile({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const [form] = Form.useForm<Fields>()
  const save = useMutation({
    mutationFn: ({ username, email }: Fields) =>
      confirmed((currentPassword) => api('PATCH /api/users/me', { body: { username, email: email.trim(), currentPassword } })),
    onSuccess: (changed) => {
      changeOwnUser(changed)
      form.setFieldsValue(changed)
      notify.success(t('account.saved'))
    },
    onError: (error) => {
      const errors = fieldErrors(t, error, fieldOfCode) as Parameters<typeof form.setFields>[0]
      if (errors.length > 0) form.setFields(errors)
      else failed(error)
    },
  })
  return (
    <Part id="profile" title={t('account.profile')}>
      <VerifyEmailNotice />
      <Form<Fields>
        form={form}
        name="profile"
        layout="vertical"
        noValidate
        requiredMark={false}
        initialValues={{ username: user.username, email: user.email }}
        onFinish={save.mutate}
      >
        <div className="account-columns">
          <UsernameField />
          <EmailField />
        </div>
        <Button htmlType="submit" loading={save.isPending}>
          {t('account.save')}
        </Button>
      </Form>
    </Part>
  )
}
