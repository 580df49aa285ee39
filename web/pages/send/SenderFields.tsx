import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { NewShare } from '../../../src/shares/contract.ts'
import { emailMaxLength, messageMaxLength, nameMaxLength } from '../../../src/shares/limits.ts'

/** What senders enter about themselves. The names are those that the server uses in errors. */
export interface SenderValues {
  'sender.name'?: string
  'sender.email'?: string
  'sender.message'?: string
}

/** The form fields for what a reverse share asks its senders. */
export function SenderFields({ request: { fields, creator } }: { request: OpenReverseShare }) {
  const { t } = useTranslation()
  const hint = (requirement: string) => (requirement === 'optional' ? t('upload.optional') : undefined)
  const required = (requirement: string) =>
    requirement === 'required' ? [{ required: true, whitespace: true, message: t('rule.required') }] : []
  const atMost = (max: number) => ({ max, message: t('rule.maxLength', { length: max }) })
  return (
    <>
      {fields.name !== 'off' && (
        <Form.Item name="sender.name" label={t('send.name')} rules={[...required(fields.name), atMost(nameMaxLength)]}>
          <Input autoComplete="name" placeholder={hint(fields.name)} />
        </Form.Item>
      )}
      {fields.email !== 'off' && (
        <Form.Item
          name="sender.email"
          label={t('send.email')}
          validateTrigger="onBlur"
          rules={[...required(fields.email), { type: 'email', message: t('rule.email') }]}
        >
          <Input type="email" autoComplete="email" maxLength={emailMaxLength} placeholder={hint(fields.email)} />
        </Form.Item>
      )}
      {fields.message !== 'off' && (
        <Form.Item
          name="sender.message"
          label={t('send.message', { name: creator.username })}
          rules={[...required(fields.message), atMost(messageMaxLength)]}
        >
          <Input.TextArea rows={2} placeholder={hint(fields.message)} />
        </Form.Item>
      )}
    </>
  )
}

/** Returns the part of the request that names the sender. */
export function senderOf({
  'sender.name': name,
  'sender.email': email,
  'sender.message': message,
}: SenderValues): Pick<NewShare, 'sender'> {
  const sender = { ...(name && { name }), ...(email && { email }), ...(message && { message }) }
  return Object.keys(sender).length > 0 ? { sender } : {}
}
