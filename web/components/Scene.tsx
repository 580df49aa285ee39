import type { ReactNode } from 'react'
import { Razorbill } from './Razorbill.tsx'

interface Props {
  title: string
  text?: ReactNode
  files?: number
  asleep?: boolean
  /** Buttons for the next step. */
  children?: ReactNode
}

/** The content of a page with nothing to show: a picture, a sentence and buttons. */
export function Scene({ title, text, files, asleep, children }: Props) {
  return (
    <section className="scene stack">
      <Razorbill className="scene-picture" files={files} asleep={asleep} />
      <h1>{title}</h1>
      {text && <p className="soft">{text}</p>}
      {children && <div className="actions">{children}</div>}
    </section>
  )
}
