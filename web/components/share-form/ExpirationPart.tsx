import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { KeptValue } from '../KeptValue.tsx'
import { ExpiresText } from '../TimeText.tsx'
import { ExpirationFields } from './ExpirationFields.tsx'

/**
 * The form fields for the expiration, and `renew`: an existing expiration stays until the user asks
 * to change it.
 */
export function ExpirationPart({ expiration }: { expiration: string | null }) {
  const { t } = useTranslation()
  const form = Form.useFormInstance<{ renew?: boolean }>()
  const renew = Form.useWatch('renew', { form, preserve: true }) ?? false
  const set = (renew: boolean) => form.setFieldValue('renew', renew)
  if (expiration === null) return <ExpirationFields />
  if (renew) {
    return (
      <KeptValue mode="changed" field={<ExpirationFields />}>
        <Button onClick={() => set(false)}>{t('edit.keepExpiration')}</Button>
      </KeptValue>
    )
  }
  return (
    <KeptValue label={t('upload.expiration')} text={<ExpiresText expiration={expiration} />} mode="kept">
      <Button aria-label={t('edit.changeExpiration')} onClick={() => set(true)}>
        {t('edit.change')}
      </Button>
    </KeptValue>
  )
}
