import { useMemo } from 'react'
import { renderMarkdown } from './markdown.ts'
import './text.css'

/** Shows a Markdown text with its formatting. */
export function MarkdownView({ text }: { text: string }) {
  const html = useMemo(() => renderMarkdown(text), [text])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer escapes all HTML of the text
  return <article className="text-prose" dangerouslySetInnerHTML={{ __html: html }} />
}
