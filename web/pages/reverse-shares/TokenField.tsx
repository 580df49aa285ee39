import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { tokenMaxLength, tokenMinLength, tokenPattern } from '../../../src/reverse-shares/limits.ts'
import { api } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'

const shape = new RegExp(tokenPattern)

/**
 * Form field for a custom link. Checks on the server whether it is free. If it is empty, the server
 * generates one.
 */
export function TokenField() {
  const { t } = useTranslation()
  const token = Form.useWatch<string | undefined>('token')
  const checkAvailable = async (_rule: unknown, value = '') => {
    const wellFormed = value.length >= tokenMinLength && value.length <= tokenMaxLength && shape.test(value)
    if (wellFormed && !(await isAvailable(value))) throw new Error(t('error.reverse_share_token_taken'))
  }
  return (
    <Form.Item
      name="token"
      label={t('common.link')}
      validateDebounce={400}
      validateFirst
      rules={[
        { pattern: shape, message: t('upload.linkRule') },
        { min: tokenMinLength, message: t('rule.minLength', { length: tokenMinLength }) },
        { max: tokenMaxLength, message: t('rule.maxLength', { length: tokenMaxLength }) },
        { validator: checkAvailable },
      ]}
      extra={token ? <bdi className="link-preview">{`${baseUrl()}/upload/${token}`}</bdi> : t('reverse.tokenHint')}
    >
      <Input
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        dir="ltr"
        placeholder={t('reverse.tokenPlaceholder')}
      />
    </Form.Item>
  )
}

/** Returns true if the request fails, because creating the reverse share checks the link again. */
async function isAvailable(token: string): Promise<boolean> {
  const params = { token }
  const result = await api('GET /api/reverseShares/isReverseShareTokenAvailable/:token', { params }).catch(() => ({ isAvailable: true }))
  return result.isAvailable
}
