import { escapeHtml } from '../../src/http/page-html.ts'

/** A piece of HTML. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Value = Html | Html[] | string | number | null | false

/** HTML in which each value is text, unless it is a piece of HTML itself; null and false are nothing. */
export function html(literals: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: literals }, ...values.map(sourceOf)))
}

function sourceOf(value: Value): string {
  if (value === null || value === false) return ''
  if (value instanceof Html) return value.source
  return Array.isArray(value) ? value.map(sourceOf).join('') : escapeHtml(String(value))
}
