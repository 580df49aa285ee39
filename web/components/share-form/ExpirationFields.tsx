import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatTime } from '../../lib/format.ts'
import { ExpiresText } from '../TimeText.tsx'
import { ExpirationChoices } from './ExpirationChoices.tsx'
import { endOf, latestExpiration } from './expiration.ts'
import { expirationRules } from './expiration-rules.ts'
import './share-form.css'

/** Form field for the expiration of a share: usual durations, a day, or never. Shows its time. */
export function ExpirationFields() {
  const { t } = useTranslation()
  const form = Form.useFormInstance()
  const value = (Form.useWatch('expiration', form) as string | undefined) ?? ''
  const end = endOf(value, expirationRules(), new Date())

  const validate = (_rule: unknown, chosen: string) => {
    const [rules, now] = [expirationRules(), new Date()]
    const end = endOf(chosen, rules, now)
    const max = latestExpiration(rules, now)
    if (chosen === '') return Promise.reject(new Error(t('rule.required')))
    if (end === undefined) return Promise.reject(new Error(t('error.expiration_invalid')))
    if (max && (!end || end > max)) {
      return Promise.reject(new Error(t('error.expiration_exceeds_maximum', { max: formatTime(max.toISOString()) })))
    }
    return Promise.resolve()
  }

  return (
    <fieldset className="expiration">
      <legend>{t('upload.expiration')}</legend>
      <Form.Item
        name="expiration"
        rules={[{ validator: validate }]}
        extra={end !== undefined && <ExpiresText expiration={end === null ? null : end.toISOString()} />}
      >
        <ExpirationChoices />
      </Form.Item>
    </fieldset>
  )
}
