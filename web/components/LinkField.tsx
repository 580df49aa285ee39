import { useId } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { QrCode } from './QrCode.tsx'
import './link-field.css'

interface Props {
  label: string
  link: string
}

/** A link to hand on: to read, to copy, and as a QR code for a phone's camera. */
export function LinkField({ label, link }: Props) {
  const id = useId()
  return (
    <div className="link-field">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <input id={id} className="link-text" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
      <CopyButton text={link} primary />
      <QrCode text={link} />
    </div>
  )
}
