import { Button, Form, type FormInstance, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { maxViewsMax } from '../../../src/shares/limits.ts'
import { KeptValue } from '../../components/KeptValue.tsx'
import { ExpirationFields } from '../../components/share-form/ExpirationFields.tsx'
import { DescriptionFields } from '../../components/share-form/ShareFields.tsx'
import { formatNumber, formatTimeFully, isNever } from '../../lib/format.ts'
import { start } from '../../start.ts'
import { type Details, detailsOf } from './details.ts'
import { PasswordPart } from './PasswordPart.tsx'

export const detailsFormId = 'edit-form'

interface Props {
  form: FormInstance<Details>
  share: OwnerPage
  onFinish(): void
}

/** Form for a share's name, description, expiration, password and limit of visits. */
export function DetailsForm({ form, share, onFinish }: Props) {
  const { t } = useTranslation()
  const mayRenew = !share.received || start.user?.isAdmin
  return (
    <Form<Details>
      form={form}
      name={detailsFormId}
      id={detailsFormId}
      className="upload-form edit-form"
      layout="vertical"
      requiredMark={false}
      initialValues={detailsOf(share)}
      autoComplete="off"
      scrollToFirstError={{ focus: true }}
      onFinish={onFinish}
    >
      <DescriptionFields />
      {mayRenew && <ExpirationPart form={form} expiration={share.expiration} />}
      <PasswordPart form={form} hasPassword={share.hasPassword} />
      <Form.Item
        name="maxViews"
        label={t('upload.maxViews')}
        extra={t('edit.viewsSoFar', { count: share.views, views: formatNumber(share.views) })}
      >
        <InputNumber className="max-views" min={1} max={maxViewsMax} precision={0} inputMode="numeric" placeholder={t('upload.noLimit')} />
      </Form.Item>
    </Form>
  )
}

function ExpirationPart({ form, expiration }: { form: FormInstance<Details>; expiration: string }) {
  const { t } = useTranslation()
  const renew = Form.useWatch('renew', { form, preserve: true }) ?? false
  const set = (renew: boolean) => form.setFieldValue('renew', renew)
  const text = isNever(expiration) ? t('upload.staysForever') : t('upload.expiresAt', { time: formatTimeFully(expiration) })
  if (!renew) {
    return (
      <KeptValue label={t('upload.expiration')} text={text} mode="kept">
        <Button aria-label={t('edit.changeExpiration')} onClick={() => set(true)}>
          {t('edit.change')}
        </Button>
      </KeptValue>
    )
  }
  return (
    <KeptValue mode="changed" field={<ExpirationFields />}>
      <Button onClick={() => set(false)}>{t('edit.keepExpiration')}</Button>
    </KeptValue>
  )
}
