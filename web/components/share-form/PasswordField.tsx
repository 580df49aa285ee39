import { Button, Form, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { sharePasswordMaxLength, sharePasswordMinLength } from '../../../src/shares/limits.ts'
import { Icon } from '../Icon.tsx'
import { randomText } from './random-text.ts'
import './share-form.css'

const groups = 4
const groupLength = 4

interface Props {
  hint: string
  placeholder?: string
  required?: boolean
}

/** The form field `password` of a share, with a button that generates one and shows it. */
export function PasswordField({ hint, placeholder, required }: Props) {
  const { t } = useTranslation()
  const form = Form.useFormInstance<{ password?: string }>()
  const [visible, setVisible] = useState(false)
  const generate = () => {
    form.setFieldValue('password', newPassword())
    setVisible(true)
    void form.validateFields(['password']).catch(() => {})
  }
  return (
    <div className="field-button">
      <Form.Item
        name="password"
        label={t('auth.password')}
        extra={hint}
        rules={[
          { required, message: t('rule.required') },
          { min: sharePasswordMinLength, message: t('rule.minLength', { length: sharePasswordMinLength }) },
          { max: sharePasswordMaxLength, message: t('rule.maxLength', { length: sharePasswordMaxLength }) },
        ]}
      >
        <Input.Password autoComplete="new-password" placeholder={placeholder} visibilityToggle={{ visible, onVisibleChange: setVisible }} />
      </Form.Item>
      <Button className="field-button-short" icon={<Icon name="key" size={18} />} onClick={generate}>
        {t('upload.generatePassword')}
      </Button>
    </div>
  )
}

/** Returns 16 random letters and digits (92 bits) in groups that can be read aloud. */
function newPassword(): string {
  return Array.from({ length: groups }, () => randomText(groupLength)).join('-')
}
