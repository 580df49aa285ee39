import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { settings } from '../../start.ts'

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
  return (
    <Form.Item name="encrypted" valuePropName="checked">
      <EncryptionSwitch isFixed={mode === 'always'} />
    </Form.Item>
  )
}

interface Props {
  isFixed: boolean
  /** From the form. */
  id?: string
  checked?: boolean
  onChange?(checked: boolean): void
}

function EncryptionSwitch({ isFixed, id, checked = false, onChange }: Props) {
  const { t } = useTranslation()
  return (
    <label className="encryption-switch line">
      <input id={id} type="checkbox" checked={checked} disabled={isFixed} onChange={({ target }) => onChange?.(target.checked)} />
      <span className="lines">
        {t('upload.encryption')}
        <span className="small soft">
          {t('upload.encryptionHint')} {checked && t('upload.encryptionLost')}
        </span>
      </span>
    </label>
  )
}
