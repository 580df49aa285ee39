import type { ReactNode } from 'react'
import { Razorbill } from './Razorbill.tsx'

interface Props {
  title: string
  text?: ReactNode
  files?: number
  asleep?: boolean
  /** What can be done now: buttons. */
  children?: ReactNode
}

/** A page's whole content when there is nothing to show, or nothing may be shown: picture, sentence, way on. */
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
