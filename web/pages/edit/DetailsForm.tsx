import { Button, Form, type FormInstance } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { KeptValue } from '../../components/KeptValue.tsx'
import { ExpirationFields } from '../../components/share-form/ExpirationFields.tsx'
import { DescriptionFields, ViewsField } from '../../components/share-form/ShareFields.tsx'
import { ExpiresText } from '../../components/TimeText.tsx'
import { formatNumber } from '../../lib/format.ts'
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
      <ViewsField hint={t('edit.viewsSoFar', { count: share.views, views: formatNumber(share.views) })} />
    </Form>
  )
}

function ExpirationPart({ form, expiration }: { form: FormInstance<Details>; expiration: string }) {
  const { t } = useTranslation()
  const renew = Form.useWatch('renew', { form, preserve: true }) ?? false
  const set = (renew: boolean) => form.setFieldValue('renew', renew)
  if (!renew) {
    return (
      <KeptValue label={t('upload.expiration')} text={<ExpiresText expiration={expiration} />} mode="kept">
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
