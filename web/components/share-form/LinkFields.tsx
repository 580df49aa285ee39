import { Button, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { linkMaxLength, linkMinLength, linkPattern } from '../../../src/shares/limits.ts'
import { api } from '../../api.ts'
import { settings } from '../../start.ts'
import { Icon } from '../Icon.tsx'

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789' // none that is taken for another
const shape = new RegExp(linkPattern)

/** A link that nobody guesses. */
export function randomLink(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(settings['share.shareIdLength']))
  return Array.from(numbers, (number) => letters[number % letters.length]).join('')
}

/** The share's own link: given, or made anew, and asked for while it is typed. */
export function LinkFields() {
  const { t } = useTranslation()
  const form = Form.useFormInstance<{ id: string }>()
  const id = Form.useWatch('id', form) ?? ''

  const available = async (_rule: unknown, value: string) => {
    const wellFormed = value.length >= linkMinLength && value.length <= linkMaxLength && shape.test(value)
    if (wellFormed && !(await isAvailable(value))) throw new Error(t('error.share_id_taken'))
  }

  return (
    <div className="link-fields">
      <Form.Item
        name="id"
        label={t('common.link')}
        hasFeedback
        validateDebounce={400}
        validateFirst
        rules={[
          { required: true, message: t('rule.required') },
          { pattern: shape, message: t('upload.linkRule') },
          { min: linkMinLength, message: t('rule.minLength', { length: linkMinLength }) },
          { max: linkMaxLength, message: t('rule.maxLength', { length: linkMaxLength }) },
          { validator: available },
        ]}
        extra={<bdi className="link-preview">{`${baseUrl()}/share/${id}`}</bdi>}
      >
        <Input autoComplete="off" autoCapitalize="none" autoCorrect="off" spellCheck={false} dir="ltr" />
      </Form.Item>
      <Button
        className="link-generate"
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

/** Where this installation is reached, without a slash at its end. */
export const baseUrl = () => settings['general.appUrl'].trim().replace(/\/+$/, '') || location.origin

/** When the server cannot be asked, creating the share will tell. */
async function isAvailable(id: string): Promise<boolean> {
  const answer = await api('GET /api/shares/isShareIdAvailable/:id', { params: { id } }).catch(() => ({ isAvailable: true }))
  return answer.isAvailable
}
