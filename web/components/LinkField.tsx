import { Button } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './CopyButton.tsx'
import { Icon } from './Icon.tsx'
import { QrCode } from './QrCode.tsx'
import { saveQr } from './qr-picture.ts'
import './link-field.css'

interface Props {
  label: string
  link: string
  /** What the link leads to, for apps that it is shared with. */
  title?: string
}

/**
 * Shows a link with buttons to copy it or share it with a phone's apps, and as a QR code that can
 * be saved as a picture.
 */
export function LinkField({ label, link, title }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const share = () => navigator.share({ url: link, ...(title && { title }) }).catch(() => {}) // the user has cancelled
  return (
    <div className="field-row">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <input id={id} className="link-text field" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
      <CopyButton className="copy-link" text={link} primary />
      {'share' in navigator && (
        <Button className="link-share" icon={<Icon name="share" size={18} />} onClick={share}>
          {t('common.share')}
        </Button>
      )}
      <QrCode text={link} />
      <Button
        className="qr-save"
        type="text"
        icon={<Icon name="download" size={18} />}
        onClick={() => saveQr(link, `${new URL(link).pathname.split('/').pop()}.png`)}
      >
        {t('common.saveQr')}
      </Button>
    </div>
  )
}

/** Focuses the button that copies the link. */
export function focusCopy(container: HTMLElement | null): void {
  container?.querySelector<HTMLElement>('.copy-link')?.focus({ preventScroll: true })
}
