import { Form, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../lib/format.ts'
import { unitsOf } from '../../lib/units.ts'
import { bytesOf, type Fields } from './fields.ts'

interface Props {
  name: 'maxSize' | 'totalSize'
  label: string
  /** Bytes. */
  max?: number
}

/** A form field for a size, and one for its unit. Empty: no limit. */
export function SizeField({ name, label, max = Number.POSITIVE_INFINITY }: Props) {
  const { t } = useTranslation()
  const form = Form.useFormInstance<Fields>()
  const validate = (_rule: unknown, amount: number | null) => {
    if (amount === null) return Promise.resolve()
    const bytes = bytesOf(amount, form.getFieldValue(`${name}Unit`))
    if (bytes < 1) return Promise.reject(new Error(t('rule.invalid')))
    if (bytes > max) return Promise.reject(new Error(t('error.reverse_share_size_exceeds_maximum', { max: formatBytes(max) })))
    return Promise.resolve()
  }
  return (
    <div className="reverse-size">
      <Form.Item name={name} label={label} dependencies={[`${name}Unit`]} rules={[{ validator: validate }]}>
        <InputNumber min={0} inputMode="decimal" placeholder={t('upload.noLimit')} />
      </Form.Item>
      <Form.Item name={`${name}Unit`}>
        <Select
          aria-label={`${label}: ${t('reverse.sizeUnit')}`}
          options={unitsOf('bytes').map((unit) => ({ value: unit.name, label: unit.name }))}
        />
      </Form.Item>
    </div>
  )
}
