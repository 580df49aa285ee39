import { Checkbox, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { api } from '../../../api.ts'
import { EmailField, UsernameField } from '../../../components/AccountFields.tsx'
import { useConfirmed } from '../../../components/Confirmation.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'

interface Props {
  open: boolean
  user: UserDTO
  onDone(): void
  onClose(): void
}
interface Fields {
  username: string
  email: string
  isAdmin: boolean
}

/** Changes another user's username, email address and role. */
export function EditUser({ open, user, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  return (
    <FormDialog<Fields, UserDTO>
      open={open}
      title={t('users.editTitle')}
      ok={t('account.save')}
      initial={{ username: user.username, email: user.email, isAdmin: user.isAdmin }}
      fieldOfCode={{ username_taken: 'username', email_taken: 'email', last_admin: 'isAdmin' }}
      submit={({ username, email, isAdmin }) =>
        confirmed((currentPassword) =>
          api('PATCH /api/users/:id', { params: { id: user.id }, body: { username, email: email.trim(), isAdmin, currentPassword } }),
        )
      }
      onDone={onDone}
      onClose={onClose}
    >
      <UsernameField isOwnAccount={false} autoFocus />
      <EmailField isOwnAccount={false} />
      <Form.Item name="isAdmin" valuePropName="checked" extra={t('users.adminHint')}>
        <Checkbox>{t('users.isAdmin')}</Checkbox>
      </Form.Item>
    </FormDialog>
  )
}
