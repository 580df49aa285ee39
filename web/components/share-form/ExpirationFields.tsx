import { Checkbox, Form, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatTime, formatTimeFully } from '../../lib/format.ts'
import { type Expiration, expiresAt, latestExpiration, units } from './expiration.ts'

/**
 * Form fields for the expiration of a share: a number and a unit, or never. Shows the resulting
 * date.
 */
export function ExpirationFields() {
  const { t } = useTranslation()
  const form = Form.useFormInstance<Expiration>()
  const never = Form.useWatch('never', form) ?? false
  const count = Form.useWatch('count', form) ?? null
  const unit = Form.useWatch('unit', form) ?? 'day'
  const now = new Date()
  const latest = latestExpiration(now)
  const end = expiresAt({ never, count, unit }, now)

  const validate = () => {
    const chosen = {
      never: form.getFieldValue('never'),
      count: form.getFieldValue('count'),
      unit: form.getFieldValue('unit'),
    } as Expiration
    const end = expiresAt(chosen, new Date())
    const max = latestExpiration(new Date())
    if (!chosen.never && !chosen.count) return Promise.reject(new Error(t('rule.required')))
    if (end === undefined) return Promise.reject(new Error(t('error.expiration_invalid')))
    if (max && (!end || end > max)) {
      return Promise.reject(new Error(t('error.expiration_exceeds_maximum', { max: formatTime(max.toISOString()) })))
    }
    return Promise.resolve()
  }

  const expirationDate =
    end === null ? t('upload.staysForever') : end && t('upload.expiresAt', { time: formatTimeFully(end.toISOString()) })
  return (
    <fieldset className="expiration">
      <legend>{t('upload.expiration')}</legend>
      <Form.Item
        name="count"
        dependencies={['never', 'unit']}
        rules={[{ validator: validate }]}
        extra={expirationDate}
        className="expiration-count"
      >
        <InputNumber aria-label={t('upload.expirationCount')} min={1} max={999_999} precision={0} disabled={never} inputMode="numeric" />
      </Form.Item>
      <Form.Item name="unit" className="expiration-unit">
        <Select
          aria-label={t('upload.expirationUnit')}
          disabled={never}
          options={units.map((value) => ({ value, label: t(`upload.unit.${value}`, { count: count ?? 0 }) }))}
        />
      </Form.Item>
      <Form.Item name="never" valuePropName="checked" hidden={latest !== null} className="expiration-never">
        <Checkbox>{t('upload.neverExpires')}</Checkbox>
      </Form.Item>
    </fieldset>
  )
}
