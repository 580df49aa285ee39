import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { HintedCheckbox } from '../share-form/HintedCheckbox.tsx'

/** The form field `verifyRecipients` of a share that has recipients. */
export function VerifyField() {
  const { t } = useTranslation()
  return (
    <Form.Item name="verifyRecipients" valuePropName="checked">
      <HintedCheckbox label={t('recipients.verify')} hint={t('recipients.verifyHint')} />
    </Form.Item>
  )
}
