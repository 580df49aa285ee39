import { Button, Form, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../src/users/contract.ts'
import { api } from '../../api.ts'
import { CurrentPasswordField } from '../../components/AccountFields.tsx'
import { useConfirmed } from '../../components/Confirmation.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Part } from '../../components/Part.tsx'
import { address } from '../../lib/address.ts'
import { forgetSession } from '../../lib/session.ts'

interface Fields {
  username: string
  currentPassword?: string
}

/**
 * Deletes the user's own account. The user must type the username, and the password if there is
 * one.
 */
export function DeleteAccount({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const [open, setOpen] = useState(false)
  const leave = () => {
    forgetSession()
    location.assign(address('/'))
  }
  return (
    <Part
      id="delete"
      title={t('account.delete')}
      text={t('account.deleteText')}
      action={
        <Button danger onClick={() => setOpen(true)}>
          {t('account.delete')}
        </Button>
      }
    >
      <FormDialog<Fields>
        open={open}
        title={t('account.deleteTitle')}
        ok={t('account.deleteOk')}
        danger
        fieldOfCode={{ wrong_password: 'currentPassword' }}
        submit={({ currentPassword }) => confirmed(() => api('DELETE /api/users/me', { body: { currentPassword } }))}
        onDone={leave}
        onClose={() => setOpen(false)}
      >
        <p>{t('account.deleteGone')}</p>
        <Form.Item
          name="username"
          label={t('account.deleteType', { username: user.username })}
          validateTrigger="onBlur"
          rules={[
            { required: true, message: t('rule.required') },
            {
              validator: (_, typed?: string) => (!typed || typed.trim() === user.username ? Promise.resolve() : Promise.reject()),
              message: t('account.deleteMistyped'),
            },
          ]}
        >
          <Input autoFocus autoComplete="off" autoCapitalize="none" autoCorrect="off" spellCheck={false} />
        </Form.Item>
        {user.hasPassword && <CurrentPasswordField />}
      </FormDialog>
    </Part>
  )
}
