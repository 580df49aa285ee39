import type { ReactElement, ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './icon-paths.ts'

/** A list of the account page, such as sessions or passkeys. */
export function RowList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="account-rows ruled" aria-label={label}>
      {children}
    </ul>
  )
}

interface Props {
  icon: IconName | ReactElement
  title: ReactNode
  badge?: string
  /** Facts, in one line if there is space. */
  facts: ReactNode[]
  /** Buttons for the row. */
  children?: ReactNode
}

/** One row of a `RowList`. */
export function Row({ icon, title, badge, facts, children }: Props) {
  return (
    <li className="account-row line">
      <span className="tile">{typeof icon === 'string' ? <Icon name={icon} /> : icon}</span>
      <div className="words">
        <p className="account-row-title toolbar">
          <bdi>{title}</bdi>
          {badge && <span className="badge">{badge}</span>}
        </p>
        <p className="account-row-facts small toolbar soft">
          {facts.filter(Boolean).map((fact, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts keep their positions
            <span key={index}>{fact}</span>
          ))}
        </p>
      </div>
      <div className="account-row-actions">{children}</div>
    </li>
  )
}

interface ButtonProps {
  icon: IconName
  /** The visible tooltip: the action. */
  title: string
  /** For screen readers: the action and the name of the row. */
  label: string
  danger?: boolean
  disabled?: boolean
  onClick(): void
}

/** A button of a row. */
export function RowButton({ icon, title, label, danger, disabled, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      className={danger ? 'icon-button icon-button-danger' : 'icon-button'}
      title={title}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
