import { Button, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { linkMaxLength, linkMinLength, linkPattern } from '../../../src/shares/limits.ts'
import { api } from '../../api.ts'
import { linkUrl } from '../../lib/base-url.ts'
import { Icon } from '../Icon.tsx'
import { randomLink } from './random-link.ts'
import './share-form.css'

const shape = new RegExp(linkPattern)

/**
 * Form field for the ID in a share's link, with a button that generates one. Checks on the server
 * whether the ID is free.
 */
export function LinkFields() {
  const { t } = useTranslation()
  const form = Form.useFormInstance<{ id: string }>()
  const id = Form.useWatch('id', form) ?? ''

  const checkAvailable = async (_rule: unknown, value: string) => {
    const wellFormed = value.length >= linkMinLength && value.length <= linkMaxLength && shape.test(value)
    if (wellFormed && !(await isAvailable(value))) throw new Error(t('error.share_id_taken'))
  }

  return (
    <div className="field-button">
      <Form.Item
        name="id"
        label={t('common.link')}
        validateDebounce={400}
        validateFirst
        rules={[
          { required: true, message: t('rule.required') },
          { pattern: shape, message: t('upload.linkRule') },
          { min: linkMinLength, message: t('rule.minLength', { length: linkMinLength }) },
          { max: linkMaxLength, message: t('rule.maxLength', { length: linkMaxLength }) },
          { validator: checkAvailable },
        ]}
        extra={<bdi className="link-preview">{linkUrl(id)}</bdi>}
      >
        <Input autoComplete="off" autoCapitalize="none" autoCorrect="off" spellCheck={false} dir="ltr" />
      </Form.Item>
      <Button
        className="field-button-short"
        icon={<Icon name="refresh" size={18} />}
        onClick={() => {
          form.setFieldValue('id', randomLink())
          void form.validateFields(['id']).catch(() => {})
        }}
      >
        {t('upload.generate')}
      </Button>
    </div>
  )
}

/** Returns true if the request fails, because creating the share checks the ID again. */
async function isAvailable(id: string): Promise<boolean> {
  const result = await api('GET /api/shares/isShareIdAvailable/:id', { params: { id } }).catch(() => ({ isAvailable: true }))
  return result.isAvailable
}
