import type { ReactNode } from 'react'
import { Razorbill } from '../../components/Razorbill.tsx'
import './auth.css'

interface Props {
  title: string
  text?: string
  error: string | null
  children: ReactNode
}

/** The frame of the pages that lead in. */
export function AuthCard({ title, text, error, children }: Props) {
  return (
    <section className="auth perch card">
      <Razorbill className="perch-picture" />
      <h1>{title}</h1>
      {text && <p className="auth-text">{text}</p>}
      <div role="alert">{error && <p className="auth-error">{error}</p>}</div>
      {children}
    </section>
  )
}
