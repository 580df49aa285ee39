import { type ReactNode, Suspense } from 'react'
import './send-screen.css'

interface Props {
  /** The files or the text to send. */
  content: ReactNode
  /** The form of the new share. It is loaded when there is something to send. */
  children: ReactNode
}

/** Shows what is sent and beside it, on a phone below, the form that sends it. */
export function SendScreen({ content, children }: Props) {
  return (
    <div className="send-screen">
      {content}
      <Suspense fallback={<div className="share-form" aria-busy />}>{children}</Suspense>
    </div>
  )
}
