import { Form, Input, Select } from 'antd'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { nameMaxLength } from '../../../src/shares/limits.ts'
import type { ShareLink } from '../../../src/shares/links/contract.ts'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { parseExpiration } from '../share-form/expiration.ts'
import { PasswordPart } from '../share-form/PasswordPart.tsx'
import { DownloadsField, ViewsField } from '../share-form/ShareFields.tsx'
import { durations, fieldsOf, keptExpiration } from './link-form.ts'

interface Props {
  /** null: the link is new. */
  link: ShareLink | null
  /** Whether the share is encrypted, so that its links can have no password of their own. */
  encrypted: boolean
}

/** The form fields of a link: its label and its rules. */
export function LinkRules({ link, encrypted }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <Form.Item
        name="label"
        label={t('links.label')}
        extra={t('links.labelHint')}
        rules={[{ max: nameMaxLength, message: t('rule.maxLength', { length: nameMaxLength }) }]}
      >
        <Input placeholder={t('upload.optional')} />
      </Form.Item>
      {!encrypted && <PasswordPart hasPassword={link?.hasPassword ?? false} />}
      {!link?.first && <ExpirationField link={link} />}
      <ViewsField hint={t(link?.first ? 'upload.maxViewsHint' : 'links.maxViewsHint')} />
      <DownloadsField />
    </>
  )
}

function ExpirationField({ link }: { link: ShareLink | null }) {
  const { t } = useTranslation()
  const kept = link && fieldsOf(link).expiration === keptExpiration
  const options = [
    ...(kept ? [{ value: keptExpiration, label: formatTime(link.expiration) }] : []),
    ...durations.map((value) => ({ value, label: durationText(t, value) })),
  ]
  return (
    <Form.Item name="expiration" label={t('shares.expires')}>
      <Select options={options} />
    </Form.Item>
  )
}

/** Returns how the form shows the expiration of a link: `never` or `7-days`. */
export function durationText(t: TFunction, value: string): string {
  const { never, count, unit } = parseExpiration(value)
  return never ? t('links.withShare') : formatDuration(count ?? 0, unit)
}
