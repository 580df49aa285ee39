import { Button } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './CopyButton.tsx'
import { Icon } from './Icon.tsx'
import { QrCode } from './QrCode.tsx'
import './link-field.css'

interface Props {
  label: string
  link: string
}

/** A link to hand on: to read, to copy, through the apps of a phone, and as a QR code for another one's camera. */
export function LinkField({ label, link }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const handOn = () => navigator.share({ url: link }).catch(() => {}) // whoever thinks better of it need not be told
  return (
    <div className="field-row">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <input id={id} className="link-text field" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
      <CopyButton text={link} primary />
      {'share' in navigator && (
        <Button className="link-share" icon={<Icon name="share" size={18} />} onClick={handOn}>
          {t('common.share')}
        </Button>
      )}
      <QrCode text={link} />
    </div>
  )
}
