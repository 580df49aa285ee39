import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { KeptValue } from '../KeptValue.tsx'
import { PasswordField } from './PasswordField.tsx'

/** undefined keeps the current password, null removes it. */
type Password = string | null | undefined

/** The form field `password`, which sets, changes or removes a password. */
export function PasswordPart({ hasPassword }: { hasPassword: boolean }) {
  const { t } = useTranslation()
  const form = Form.useFormInstance<{ password?: Password }>()
  const password = Form.useWatch('password', { form, preserve: true }) as Password
  const set = (password: Password) => form.setFieldValue('password', password)
  if (!hasPassword) return <PasswordField placeholder={t('upload.noPassword')} hint={t('upload.passwordHint')} />
  if (typeof password === 'string') {
    return (
      <KeptValue mode="changed" field={<PasswordField required hint={t('edit.newPasswordHint')} />}>
        <Button onClick={() => set(undefined)}>{t('edit.keepPassword')}</Button>
      </KeptValue>
    )
  }
  if (password === null) {
    return (
      <KeptValue label={t('auth.password')} text={t('edit.passwordGoes')} mode="removed">
        <Button onClick={() => set(undefined)}>{t('edit.keepPassword')}</Button>
      </KeptValue>
    )
  }
  return (
    <KeptValue label={t('auth.password')} text={t('shares.protected')} mode="kept">
      <Button aria-label={t('edit.changePassword')} onClick={() => set('')}>
        {t('edit.change')}
      </Button>
      <Button aria-label={t('edit.removePassword')} onClick={() => set(null)}>
        {t('edit.remove')}
      </Button>
    </KeptValue>
  )
}
