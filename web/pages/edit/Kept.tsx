import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  label?: string
  /** How it is now. */
  text?: string
  /** What takes its place while it is changed. */
  field?: ReactNode
  /** Which of its faces it shows; the keyboard follows a change. */
  mode: string
  /** The ways to another. */
  children: ReactNode
}

/** Something that stays as it is unless it is changed on purpose. */
export function Kept({ label, text, field, mode, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const shown = useRef(mode)
  useEffect(() => {
    if (shown.current !== mode) box.current?.querySelector<HTMLElement>('input, button')?.focus()
    shown.current = mode
  }, [mode])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div className={field ? 'kept kept-changed' : 'kept'} ref={box} role="group" aria-label={label}>
      {field ?? (
        <div className="kept-words">
          <span className="kept-label">{label}</span>
          <span className="soft">{text}</span>
        </div>
      )}
      <div className="actions">{children}</div>
    </div>
  )
}
