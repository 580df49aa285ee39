import { type Html, html } from '../html.ts'

/**
 * Renders plain text: parts between backticks become `<code>`, and empty lines separate paragraphs.
 */
export function prose(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

/** Renders one line of plain text: parts between backticks become `<code>`. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
