import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { recipientsMax } from '../../../src/shares/limits.ts'
import { AddressChips } from './AddressChips.tsx'
import { isAddress } from './addresses.ts'
import { useKnownRecipients } from './queries.ts'
import './recipients.css'

interface Props {
  label: string
  /** Explains when the email is sent. */
  hint: string
  required?: boolean
  /** Addresses that are not suggested. */
  present?: readonly string[]
}

/** The form field `recipients`: addresses that get an email about a share. */
export function RecipientsField({ label, hint, required, present = [] }: Props) {
  const { t } = useTranslation()
  const known = useKnownRecipients().filter((address) => !present.includes(address))
  const validate = (_rule: unknown, addresses: string[] = []) => {
    if (required && addresses.length === 0) return Promise.reject(new Error(t('rule.required')))
    if (!addresses.every(isAddress)) return Promise.reject(new Error(t('rule.email')))
    if (addresses.length <= recipientsMax) return Promise.resolve()
    return Promise.reject(new Error(t('error.too_many_recipients', { max: recipientsMax })))
  }
  return (
    <Form.Item name="recipients" label={label} extra={hint} validateTrigger="onCommit" rules={[{ validator: validate }]}>
      <AddressChips suggestions={known} />
    </Form.Item>
  )
}
