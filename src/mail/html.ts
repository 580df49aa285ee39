import { type Html, html } from '../html.ts'

const link = /https?:\/\/[^\s<>"'`{}|\\^]+/g
const onlyCode = /^\s*\d{6}\s*$/
const onlyLink = new RegExp(`^\\s*${link.source}\\s*$`)

// The colors of the pages. Mail clients don't support CSS variables, and some ignore the style
// sheet, so the light colors are inline and the style sheet holds only the dark ones.
const styles = {
  page: 'margin:0;padding:32px 12px;background:#f6f5fb;color:#16131f;font:16px/1.6 system-ui,-apple-system,Segoe UI,Roboto,sans-serif',
  column: 'max-width:560px;margin:0 auto',
  sender: 'margin:0 0 14px;padding:0 28px;font-size:18px;font-weight:650;letter-spacing:-0.02em;overflow-wrap:anywhere',
  card: 'padding:28px 28px 12px;border:1px solid #e6e3f1;border-radius:18px;background:#ffffff',
  paragraph: 'margin:0 0 16px;overflow-wrap:anywhere',
  link: 'color:#4239c8',
  button: 'display:inline-block;padding:12px 24px;border-radius:10px;background:#4940de;color:#ffffff;font-weight:600;text-decoration:none',
  code: 'font-size:28px;font-weight:650;letter-spacing:0.15em',
  address: 'display:inline-block;margin-top:8px;color:#5f5a73;font-size:13px;overflow-wrap:anywhere',
}
const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><style>@media (prefers-color-scheme:dark){
body{background:#100e17!important;color:#f0eef8!important}
.card{background:#191623!important;border-color:#2d2840!important}
a{color:#a9a4f8!important}
.button{background:#6a61f0!important;color:#ffffff!important}
.address{color:#aaa5bf!important}
}</style>`

/**
 * Renders the plain text of an email as HTML under the sender's name.
 * Empty lines separate paragraphs, URLs become links, and a URL that is a whole paragraph becomes a
 * button, with `button` as its label and the URL below. The text direction follows the text's first
 * word, not the sender's name. A code of six digits that is a whole paragraph is large.
 */
export function mailHtml(text: string, sender: string, button?: string): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p style="${styles.paragraph}">${paragraphContent(paragraph, button)}</p>`)
  const from = html`<p style="${styles.sender}"><bdi>${sender}</bdi></p>`
  const card = html`<div class="card" style="${styles.card}">${paragraphs}</div>`
  const column = html`<div dir="auto" style="${styles.column}">${from}${card}</div>`
  return html`<!doctype html><html><head>${head}</head><body style="${styles.page}">${column}</body></html>`.text
}

function paragraphContent(text: string, button?: string): Html[] {
  if (onlyLink.test(text)) return buttonOf(text.trim(), button)
  if (onlyCode.test(text)) return [html`<span style="${styles.code}">${text.trim()}</span>`]
  return text.split('\n').flatMap((line, index) => [...(index > 0 ? [html`<br>`] : []), ...withLinks(line)])
}

/** The URL stays readable, for readers who don't follow a button without seeing where it leads. */
function buttonOf(url: string, label?: string): Html[] {
  if (!label) return withLinks(url, html` class="button" style="${styles.button}"`)
  const link = html`<a href="${url}" class="button" style="${styles.button}">${label}</a>`
  return [link, html`<br><span class="address" style="${styles.address}">${url}</span>`]
}

/** Punctuation after a URL belongs to the sentence and stays outside the link. */
function withLinks(text: string, attributes = html` style="${styles.link}"`): Html[] {
  const parts: Html[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(link)) {
    const url = match.replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '')
    parts.push(html`${text.slice(end, index)}<a href="${url}"${attributes}>${url}</a>`)
    end = index + url.length
  }
  return [...parts, html`${text.slice(end)}`]
}
