import { Checkbox, Form, Radio } from 'antd'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { api } from '../../../api.ts'
import { EmailField, NewPasswordField, UsernameField } from '../../../components/AccountFields.tsx'
import { useConfirmed } from '../../../components/Confirmation.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'
import { settings } from '../../../start.ts'

interface Props {
  open: boolean
  onDone(created: UserDTO): void
  onClose(): void
}
interface Fields {
  username: string
  email: string
  /**
   * How the user first signs in: by an invitation email, or with a password from the administrator.
   */
  way: 'invitation' | 'password'
  password?: string
  isAdmin?: boolean
}

/** Creates an account for another user. */
export function CreateUser({ open, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const canInvite = settings['smtp.enabled']
  return (
    <FormDialog<Fields, UserDTO>
      open={open}
      title={t('users.createTitle')}
      ok={t('users.createOk')}
      initial={{ way: canInvite ? 'invitation' : 'password', isAdmin: false }}
      fieldOfCode={{ username_taken: 'username', email_taken: 'email' }}
      submit={({ username, email, password, isAdmin }) =>
        confirmed((currentPassword) =>
          api('POST /api/users', { body: { username, email: email.trim(), password, isAdmin, currentPassword } }),
        )
      }
      onDone={onDone}
      onClose={onClose}
    >
      <UsernameField isOwnAccount={false} autoFocus />
      <EmailField isOwnAccount={false} />
      <Form.Item name="way" label={t('users.way')} extra={canInvite ? undefined : t('users.noMail')}>
        <Radio.Group
          className="users-ways stack"
          options={[
            { value: 'invitation', label: t('users.way.invitation'), disabled: !canInvite },
            { value: 'password', label: t('users.way.password') },
          ]}
        />
      </Form.Item>
      <Form.Item noStyle dependencies={['way']}>
        {({ getFieldValue }) => getFieldValue('way') === 'password' && <NewPasswordField />}
      </Form.Item>
      <Form.Item name="isAdmin" valuePropName="checked" extra={t('users.adminHint')}>
        <Checkbox>{t('users.isAdmin')}</Checkbox>
      </Form.Item>
    </FormDialog>
  )
}
