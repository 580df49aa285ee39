import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { recipientsMax } from '../../../src/shares/limits.ts'
import { AddressChips } from './AddressChips.tsx'
import { isAddress } from './addresses.ts'
import './recipients.css'

/**
 * The form field `recipients`: addresses that get an email about a share. `hint` explains when it
 * is sent.
 */
export function RecipientsField({ label, hint, required }: { label: string; hint: string; required?: boolean }) {
  const { t } = useTranslation()
  const validate = (_rule: unknown, addresses: string[] = []) => {
    if (required && addresses.length === 0) return Promise.reject(new Error(t('rule.required')))
    if (!addresses.every(isAddress)) return Promise.reject(new Error(t('rule.email')))
    if (addresses.length <= recipientsMax) return Promise.resolve()
    return Promise.reject(new Error(t('error.too_many_recipients', { max: recipientsMax })))
  }
  return (
    <Form.Item name="recipients" label={label} extra={hint} validateTrigger="onCommit" rules={[{ validator: validate }]}>
      <AddressChips />
    </Form.Item>
  )
}
