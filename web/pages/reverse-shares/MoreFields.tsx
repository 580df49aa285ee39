import { Checkbox, Form, Input, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import * as limits from '../../../src/reverse-shares/limits.ts'
import { usuallyAsked } from './fields.ts'
import { SizeField } from './SizeField.tsx'
import { TokenField } from './TokenField.tsx'

const shape = new RegExp(limits.allowedTypePattern)
const suggested = ['image/*', 'video/*', 'audio/*', '.pdf', '.docx', '.xlsx', '.zip']

/**
 * Rarely used form fields: what senders are asked, allowed file types, a password and, for a new
 * reverse share, a custom link.
 */
export function MoreFields({ edited }: { edited: OwnReverseShare | null }) {
  const { t } = useTranslation()
  const { passwordMinLength: min, passwordMaxLength: max } = limits
  return (
    <>
      <fieldset className="reverse-asked stack">
        <legend>{t('reverse.ask')}</legend>
        {(['askName', 'askEmail', 'askMessage'] as const).map((field) => (
          <AskedField key={field} field={field} />
        ))}
      </fieldset>
      <SizeField name="totalSize" label={t('reverse.totalSize')} />
      <p className="soft reverse-end small">{t('reverse.totalSizeHint')}</p>
      <TypesField />
      <Form.Item
        name="password"
        label={t('auth.password')}
        extra={t('reverse.passwordHint')}
        rules={[
          { min, message: t('rule.minLength', { length: min }) },
          { max, message: t('rule.maxLength', { length: max }) },
        ]}
      >
        <Input.Password autoComplete="new-password" placeholder={t(edited?.hasPassword ? 'edit.keepPassword' : 'upload.noPassword')} />
      </Form.Item>
      {edited?.hasPassword && (
        <Form.Item name="removePassword" valuePropName="checked">
          <Checkbox>{t('edit.removePassword')}</Checkbox>
        </Form.Item>
      )}
      {!edited && <TokenField />}
    </>
  )
}

function AskedField({ field }: { field: 'askName' | 'askEmail' | 'askMessage' }) {
  const { t } = useTranslation()
  const label = t(`reverse.${field}`)
  const options = (['off', 'optional', 'required'] as const).map((value) => ({ value, label: t(`reverse.asked.${value}`) }))
  return (
    <div className="reverse-asked-row spread toolbar">
      <span aria-hidden="true">{label}</span>
      <Form.Item name={field} initialValue={usuallyAsked[field]} noStyle>
        <Segmented aria-label={label} options={options} />
      </Form.Item>
    </div>
  )
}

function TypesField() {
  const { t } = useTranslation()
  const validate = (_rule: unknown, types: string[] = []) => {
    const wrong = types.find((type) => !shape.test(type) || type.length > limits.allowedTypeMaxLength)
    if (wrong !== undefined) return Promise.reject(new Error(t('reverse.typeRule', { type: wrong })))
    if (types.length > limits.allowedTypesMax) return Promise.reject(new Error(t('reverse.typesRule', { count: limits.allowedTypesMax })))
    return Promise.resolve()
  }
  return (
    <Form.Item name="allowedTypes" label={t('reverse.types')} extra={t('reverse.typesHint')} rules={[{ validator: validate }]}>
      <Select
        mode="tags"
        tokenSeparators={[',', ';', ' ']}
        placeholder={t('reverse.everyType')}
        options={suggested.map((value) => ({ value, label: value }))}
      />
    </Form.Item>
  )
}
