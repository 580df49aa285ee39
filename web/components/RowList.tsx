import type { ReactElement, ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './icon-paths.ts'

/** Things of the account one below the other. */
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
  /** Facts about it, in one line where there is room. */
  facts: ReactNode[]
  /** What can be done with it: buttons. */
  children?: ReactNode
}

/** One of them. */
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
            // biome-ignore lint/suspicious/noArrayIndexKey: they keep their places
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
  /** What it does, for the eye. */
  title: string
  /** And to which, for screen readers. */
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
