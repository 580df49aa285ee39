import { useEffect, useState } from 'react'
import { formatText, type Unformatted } from './formatting.ts'
import './text.css'

/**
 * Shows a text in Markdown as its author meant it, or source code with colors. It is plain until it
 * is formatted.
 */
export function FormattedView({ form, name, text }: Unformatted) {
  const [html, setHtml] = useState<string | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    setHtml(null)
    formatText({ form, name, text }, leaving.signal).then((formatted) => leaving.signal.aborted || setHtml(formatted))
    return () => leaving.abort()
  }, [form, name, text])
  if (html === null) return <pre>{text}</pre>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the formatters escape all HTML of the text
  if (form === 'markdown') return <article className="text-prose" dangerouslySetInnerHTML={{ __html: html }} />
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the same
  return <pre className="text-code" dir="ltr" dangerouslySetInnerHTML={{ __html: html }} />
}
