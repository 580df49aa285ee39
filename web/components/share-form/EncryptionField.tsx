import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { settings } from '../../start.ts'
import { HintedCheckbox } from './HintedCheckbox.tsx'

/** Browsers encrypt only on pages that are loaded over https. */
const canEncrypt = () => Boolean(globalThis.crypto?.subtle)

/** Returns whether a new share is encrypted unless the user chooses otherwise. */
export function encryptsByDefault(): boolean {
  const mode = settings['share.encryption']
  return canEncrypt() && (mode === 'default' || mode === 'always')
}

/** The form field `encrypted` of a new share. Its hint names what such a share lacks. */
export function EncryptionField() {
  const { t } = useTranslation()
  const mode = settings['share.encryption']
  if (mode === 'off') return null
  if (!canEncrypt()) return mode === 'always' ? <p className="notice">{t('upload.encryptionNeedsHttps')}</p> : null
  return <EncryptionSwitch isFixed={mode === 'always'} />
}

function EncryptionSwitch({ isFixed }: { isFixed: boolean }) {
  const { t } = useTranslation()
  const isOn = Form.useWatch<boolean>('encrypted', Form.useFormInstance())
  return (
    <Form.Item name="encrypted" valuePropName="checked">
      <HintedCheckbox
        label={t('upload.encryption')}
        hint={isOn ? `${t('upload.encryptionHint')} ${t('upload.encryptionLost')}` : t('upload.encryptionHint')}
        disabled={isFixed}
      />
    </Form.Item>
  )
}
