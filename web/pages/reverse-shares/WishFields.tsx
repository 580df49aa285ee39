import { Checkbox, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { settings } from '../../start.ts'

/** How what is sent gets here: a form's fields `simplified`, `publicAccess` and, where there is e-mail, `sendEmailNotification`. */
export function WishFields() {
  const wishes = ['simplified', 'publicAccess', ...(settings['smtp.enabled'] ? ['sendEmailNotification'] : [])]
  return (
    <div className="reverse-checks">
      {wishes.map((wish) => (
        <Wish key={wish} name={wish} />
      ))}
    </div>
  )
}

function Wish({ name }: { name: string }) {
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
