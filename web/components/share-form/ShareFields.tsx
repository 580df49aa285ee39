import { Collapse, Form, Input, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import {
  descriptionMaxLength,
  maxViewsMax,
  nameMaxLength,
  sharePasswordMaxLength,
  sharePasswordMinLength,
} from '../../../src/shares/limits.ts'

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

/** The form fields `password` and `maxViews` of a share in a collapsed section. */
export function SecurityFields() {
  const { t } = useTranslation()
  const fields = (
    <>
      <Form.Item
        name="password"
        label={t('auth.password')}
        extra={t('upload.passwordHint')}
        rules={[
          { min: sharePasswordMinLength, message: t('rule.minLength', { length: sharePasswordMinLength }) },
          { max: sharePasswordMaxLength, message: t('rule.maxLength', { length: sharePasswordMaxLength }) },
        ]}
      >
        <Input.Password autoComplete="new-password" placeholder={t('upload.noPassword')} />
      </Form.Item>
      <Form.Item name="maxViews" label={t('upload.maxViews')} extra={t('upload.maxViewsHint')}>
        <InputNumber className="max-views" min={1} max={maxViewsMax} precision={0} inputMode="numeric" placeholder={t('upload.noLimit')} />
      </Form.Item>
    </>
  )
  return <Collapse className="security" items={[{ key: 'security', label: t('upload.security'), forceRender: true, children: fields }]} />
}
