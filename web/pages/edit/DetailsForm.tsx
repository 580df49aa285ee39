import { Form, type FormInstance } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { canHaveRecipients } from '../../components/recipients/addresses.ts'
import { useRecipients } from '../../components/recipients/queries.ts'
import { VerifyField } from '../../components/recipients/VerifyField.tsx'
import { ExpirationPart } from '../../components/share-form/ExpirationPart.tsx'
import { PasswordPart } from '../../components/share-form/PasswordPart.tsx'
import {
  canBeNotified,
  DeleteAfterField,
  DescriptionFields,
  DownloadsField,
  NotifyField,
  ViewsField,
} from '../../components/share-form/ShareFields.tsx'
import { formatNumber } from '../../lib/format.ts'
import { start } from '../../start.ts'
import { type Details, detailsOf } from './details.ts'

export const detailsFormId = 'edit-form'

interface Props {
  form: FormInstance<Details>
  share: OwnerPage
  onFinish(): void
}

/** Form for a share's title, message, expiration, password, limits and emails. */
export function DetailsForm({ form, share, onFinish }: Props) {
  const { t } = useTranslation()
  const { recipients } = useRecipients(share.id)
  const hasRecipients = recipients.data !== undefined && recipients.data.length > 0
  const canVerify = share.verifyRecipients || (canHaveRecipients() && hasRecipients)
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
      {mayRenew && <ExpirationPart expiration={share.expiration} />}
      {!share.encrypted && <PasswordPart hasPassword={share.hasPassword} />}
      <ViewsField hint={t('edit.viewsSoFar', { count: share.views, views: formatNumber(share.views) })} />
      <DownloadsField hint={t('edit.downloadsSoFar', { count: share.downloads, downloads: formatNumber(share.downloads) })} />
      <DeleteAfterField hasRecipients={hasRecipients} />
      {canBeNotified() && !share.received && <NotifyField />}
      {canVerify && <VerifyField />}
    </Form>
  )
}
