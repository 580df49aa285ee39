import { type ReactNode, useDeferredValue } from 'react'
import { LinkedText } from '../../components/LinkedText.tsx'
import { Razorbill } from '../../components/Razorbill.tsx'
import './auth.css'

interface Props {
  title: string
  text?: string
  error: string | null
  children: ReactNode
}

/**
 * The card of the sign-in pages, as the server renders it. The form is rendered in a second step to
 * keep phones responsive.
 */
export function AuthCard({ title, text, error, children }: Props) {
  const isFormShown = useDeferredValue(true, false)
  return (
    <section className="auth perch card">
      <Razorbill className="perch-picture" />
      <h1>{title}</h1>
      {text && <LinkedText text={text} className="auth-text" />}
      <div role="alert">{error && <p className="form-error">{error}</p>}</div>
      {isFormShown ? (
        children
      ) : (
        <div className="skeleton">
          <div className="skeleton-block" />
        </div>
      )}
    </section>
  )
}
