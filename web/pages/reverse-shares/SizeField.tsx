import { Form, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../lib/format.ts'
import { unitsOf } from '../../lib/units.ts'
import { settings } from '../../start.ts'
import { bytesOf, type Fields } from './fields.ts'

/** The form fields `maxSize` and `maxSizeUnit`: the size limit of each received share. */
export function SizeField() {
  const { t } = useTranslation()
  const form = Form.useFormInstance<Fields>()
  const max = settings['share.maxSize']
  const validate = (_rule: unknown, amount: number | null) => {
    const bytes = amount === null ? max : bytesOf(amount, form.getFieldValue('maxSizeUnit'))
    if (bytes < 1) return Promise.reject(new Error(t('rule.invalid')))
    if (bytes > max) return Promise.reject(new Error(t('error.reverse_share_size_exceeds_maximum', { max: formatBytes(max) })))
    return Promise.resolve()
  }
  return (
    <div className="reverse-size">
      <Form.Item name="maxSize" label={t('reverse.size')} dependencies={['maxSizeUnit']} rules={[{ validator: validate }]}>
        <InputNumber min={0} inputMode="decimal" placeholder={t('upload.noLimit')} />
      </Form.Item>
      <Form.Item name="maxSizeUnit">
        <Select aria-label={t('reverse.sizeUnit')} options={unitsOf('bytes').map(({ name }) => ({ value: name, label: name }))} />
      </Form.Item>
    </div>
  )
}
