import { Checkbox, Form, Input, InputNumber, Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { descriptionMaxLength, maxDownloadsMax, maxViewsMax, nameMaxLength } from '../../../src/shares/limits.ts'
import { settings, start } from '../../start.ts'

/** The form fields `name` and `description` of a share. */
export function DescriptionFields() {
  const { t } = useTranslation()
  return (
    <>
      <Form.Item
        name="name"
        label={t('upload.name')}
        rules={[{ max: nameMaxLength, message: t('rule.maxLength', { length: nameMaxLength }) }]}
      >
        <Input placeholder={t('upload.optional')} />
      </Form.Item>
      <Form.Item
        name="description"
        label={t('upload.description')}
        rules={[{ max: descriptionMaxLength, message: t('rule.maxLength', { length: descriptionMaxLength }) }]}
      >
        <Input.TextArea placeholder={t('upload.descriptionHint')} rows={2} />
      </Form.Item>
    </>
  )
}

/** The form field `maxViews` of a share. `hint` explains it. */
export function ViewsField({ hint }: { hint: string }) {
  const { t } = useTranslation()
  return (
    <Form.Item name="maxViews" label={t('upload.maxViews')} extra={hint}>
      <InputNumber className="max-views" min={1} max={maxViewsMax} precision={0} inputMode="numeric" placeholder={t('upload.noLimit')} />
    </Form.Item>
  )
}

/** The form field `maxDownloads` of a share or a link. */
export function DownloadsField({ hint }: { hint?: string }) {
  const { t } = useTranslation()
  return (
    <Form.Item name="maxDownloads" label={t('upload.maxDownloads')} extra={hint ?? t('upload.maxDownloadsHint')}>
      <InputNumber
        className="max-views"
        min={1}
        max={maxDownloadsMax}
        precision={0}
        inputMode="numeric"
        placeholder={t('upload.noLimit')}
      />
    </Form.Item>
  )
}

/**
 * The form field `deleteAfterDownloads` of a share, which is shown while downloads are limited. It is
 * explained if the share has recipients, or gets some by the same form.
 */
export function DeleteAfterField({ hasRecipients = false }: { hasRecipients?: boolean }) {
  const { t } = useTranslation()
  const added = Form.useWatch<string[] | undefined>('recipients')
  const hint = hasRecipients || added?.length ? t('upload.deleteAfterDownloadsHint') : undefined
  const maxDownloads = Form.useWatch<number | null | undefined>('maxDownloads')
  return (
    <Form.Item name="deleteAfterDownloads" valuePropName="checked" hidden={!maxDownloads} extra={hint}>
      <Checkbox>{t('upload.deleteAfterDownloads')}</Checkbox>
    </Form.Item>
  )
}

/** The form field `notify` of a share. */
export function NotifyField() {
  const { t } = useTranslation()
  const label = t('upload.downloadNotices')
  const options = (['none', 'first', 'every'] as const).map((value) => ({ value, label: t(`upload.downloadNotices.${value}`) }))
  return (
    <Form.Item name="notify" label={label} extra={t('upload.downloadNoticesHint')}>
      <Segmented aria-label={label} options={options} />
    </Form.Item>
  )
}

/** Whether the user can get emails about the downloads of their shares. */
export const canBeNotified = () => start.user !== null && settings['smtp.enabled']
