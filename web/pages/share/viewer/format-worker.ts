import hljs from 'highlight.js/lib/common'
import { extensionOf } from '../../../lib/file-kinds.ts'
import type { Unformatted } from './formatting.ts'
import { renderMarkdown } from './markdown.ts'

addEventListener('message', ({ data: { form, name, text } }: MessageEvent<Unformatted>) => {
  postMessage(form === 'markdown' ? renderMarkdown(text) : highlighted(name, text))
})

/** Returns null if the language is not known. */
function highlighted(name: string, text: string): string | null {
  const language = extensionOf(name)
  return hljs.getLanguage(language) ? hljs.highlight(text, { language, ignoreIllegals: true }).value : null
}
