/** Text that is already HTML: the `html` tag inserts it without escaping. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | undefined | Value[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Builds HTML from a template literal. Text and numbers are escaped, lists are joined, `false` and
 * `undefined` are left out.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, string, index) => text + htmlText(values[index - 1]) + string))
}

function htmlText(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(htmlText).join('')
  return value === false || value === undefined ? '' : escapeHtml(String(value))
}

/** Escapes text for HTML content and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
