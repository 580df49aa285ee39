import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api.ts'
import { signInPath } from '../lib/access.ts'
import { address } from '../lib/address.ts'
import { errorText } from '../lib/error-text.ts'

interface Props {
  /** The fragment of its address: `/account#passkeys`. */
  id: string
  title: string
  text?: ReactNode
  /** A button in the head of the card. */
  action?: ReactNode
  children?: ReactNode
}

/** One card of the account page. */
export function Part({ id, title, text, action, children }: Props) {
  return (
    <section className="card account-part stack" id={id} aria-labelledby={headingOf(id)}>
      <header className="account-part-head toolbar">
        <div className="account-part-words stack">
          <h2 id={headingOf(id)} tabIndex={-1}>
            {title}
          </h2>
          {text && <p className="soft">{text}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}

/** Focuses a part after the row that had the focus was deleted. */
export function focusPart(id: string): void {
  document.getElementById(headingOf(id))?.focus({ preventScroll: true })
}

function headingOf(id: string): string {
  return `${id}-title`
}

/** Renders loaded data, or a placeholder while it loads, or the error. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children(data: T): ReactNode }) {
  const { t } = useTranslation()
  if (query.isSuccess) return children(query.data)
  if (query.isPending) {
    return (
      <div className="skeleton" role="status">
        <span className="visually-hidden">{t('common.loading')}</span>
        <div className="skeleton-line" />
        <div className="skeleton-line" />
      </div>
    )
  }
  const isSignedOut = query.error instanceof ApiError && query.error.status === 401
  return (
    <div className="notice notice-danger account-failed" role="alert">
      <span>{errorText(t, query.error)}</span>
      {isSignedOut ? (
        <Button href={address(signInPath())}>{t('auth.signIn')}</Button>
      ) : (
        <Button onClick={() => query.refetch()}>{t('common.retry')}</Button>
      )}
    </div>
  )
}
