import { Form, Input, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import { descriptionMaxLength, maxViewsMax, nameMaxLength } from '../../../src/shares/limits.ts'

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
