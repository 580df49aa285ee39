import { type ReactNode, useDeferredValue } from 'react'
import { Razorbill } from '../../components/Razorbill.tsx'
import './auth.css'

interface Props {
  title: string
  text?: string
  error: string | null
  children: ReactNode
}

/** The frame of the pages that lead in, as it stands in the page already; the form comes in a second step, so that neither keeps a phone busy for long. */
export function AuthCard({ title, text, error, children }: Props) {
  const second = useDeferredValue(true, false)
  return (
    <section className="auth perch card">
      <Razorbill className="perch-picture" />
      <h1>{title}</h1>
      {text && <p className="auth-text">{text}</p>}
      <div role="alert">{error && <p className="form-error">{error}</p>}</div>
      {second ? (
        children
      ) : (
        <div className="skeleton">
          <div className="skeleton-block" />
        </div>
      )}
    </section>
  )
}
