import { Checkbox, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { settings } from '../../start.ts'

/**
 * The form fields `simplified`, `publicAccess` and, if a mail server is set up,
 * `sendEmailNotification`.
 */
export function OptionFields() {
  const options = ['simplified', 'publicAccess', ...(settings['smtp.enabled'] ? ['sendEmailNotification'] : [])]
  return (
    <div className="reverse-checks stack">
      {options.map((option) => (
        <Option key={option} name={option} />
      ))}
    </div>
  )
}

function Option({ name }: { name: string }) {
  const { t } = useTranslation()
  return (
    <Form.Item name={name} valuePropName="checked" noStyle>
      <Checkbox>
        {t(`reverse.wish.${name}`)}
        <span className="soft">{t(`reverse.wish.${name}Hint`)}</span>
      </Checkbox>
    </Form.Item>
  )
}
