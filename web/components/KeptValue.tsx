import { type ReactNode, useEffect, useRef } from 'react'
import './kept-value.css'

interface Props {
  label?: string
  /** The current value. */
  text?: ReactNode
  /** Form field that replaces the value while it is changed. */
  field?: ReactNode
  /** The state that is shown. When it changes, the focus moves to the new controls. */
  mode: string
  /** Buttons that change the state. */
  children: ReactNode
}

/** Shows a value that stays as it is until the user asks to change it. */
export function KeptValue({ label, text, field, mode, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const shown = useRef(mode)
  useEffect(() => {
    if (shown.current !== mode) box.current?.querySelector<HTMLElement>('input:checked, input:not([type=radio]), button')?.focus()
    shown.current = mode
  }, [mode])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout
    <div className={field ? 'kept spread toolbar kept-changed' : 'kept spread toolbar'} ref={box} role="group" aria-label={label}>
      {field ?? (
        <div className="kept-words stack">
          <span>{label}</span>
          <span className="soft">{text}</span>
        </div>
      )}
      <div className="actions">{children}</div>
    </div>
  )
}
