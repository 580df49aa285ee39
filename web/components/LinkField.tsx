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

/** Shows a link with buttons to copy it or share it with a phone's apps, and as a QR code. */
export function LinkField({ label, link }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const share = () => navigator.share({ url: link }).catch(() => {}) // the user has cancelled
  return (
    <div className="field-row">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <input id={id} className="link-text field" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
      <CopyButton text={link} primary />
      {'share' in navigator && (
        <Button className="link-share" icon={<Icon name="share" size={18} />} onClick={share}>
          {t('common.share')}
        </Button>
      )}
      <QrCode text={link} />
    </div>
  )
}
