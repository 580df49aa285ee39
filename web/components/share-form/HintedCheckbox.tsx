import type { ReactNode } from 'react'
import './share-form.css'

interface Props {
  label: string
  /** Explains the choice, below the label. */
  hint: ReactNode
  disabled?: boolean
  /** From the form. */
  id?: string
  checked?: boolean
  onChange?(checked: boolean): void
}

/** A checkbox of a form with a label and a hint. */
export function HintedCheckbox({ label, hint, disabled, id, checked = false, onChange }: Props) {
  return (
    <label className="hinted-checkbox line">
      <input id={id} type="checkbox" checked={checked} disabled={disabled} onChange={({ target }) => onChange?.(target.checked)} />
      <span className="lines">
        {label}
        <span className="small soft">{hint}</span>
      </span>
    </label>
  )
}
