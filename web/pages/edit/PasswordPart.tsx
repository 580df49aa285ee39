import { Button, Form, type FormInstance } from 'antd'
import { useTranslation } from 'react-i18next'
import { KeptValue } from '../../components/KeptValue.tsx'
import { PasswordField } from '../../components/share-form/PasswordField.tsx'
import type { Details } from './details.ts'

/** Sets, changes or removes a share's password. */
export function PasswordPart({ form, hasPassword }: { form: FormInstance<Details>; hasPassword: boolean }) {
  const { t } = useTranslation()
  const password = Form.useWatch('password', { form, preserve: true }) as Details['password']
  const set = (password: Details['password']) => form.setFieldValue('password', password)
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
