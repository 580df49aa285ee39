import hljs from 'highlight.js/lib/common'
import { useMemo } from 'react'
import { extensionOf } from './text-form.ts'
import './text.css'

/** Shows source code with colors. A language that is not known stays plain. */
export function CodeView({ name, text }: { name: string; text: string }) {
  const extension = extensionOf(name)
  const language = hljs.getLanguage(extension) ? extension : null
  const html = useMemo(() => language && hljs.highlight(text, { language, ignoreIllegals: true }).value, [text, language])
  if (!html) return <pre>{text}</pre>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: highlight.js escapes the text
  return <pre className="text-code" dir="ltr" dangerouslySetInnerHTML={{ __html: html }} />
}
