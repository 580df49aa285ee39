const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const link = /https?:\/\/[^\s<>"'`{}|\\^]+/g
const onlyLink = new RegExp(`^\\s*${link.source}\\s*$`)

// The colours of the pages. Mail programs know neither variables nor, some of them, the style sheet, which only says what differs in the dark.
const styles = {
  page: 'margin:0;padding:32px 12px;background:#f6f5fb;color:#16131f;font:16px/1.6 system-ui,-apple-system,Segoe UI,Roboto,sans-serif',
  frame: 'max-width:560px;margin:0 auto',
  sender: 'margin:0 0 14px;padding:0 28px;font-size:18px;font-weight:650;letter-spacing:-0.02em;overflow-wrap:anywhere',
  card: 'padding:28px 28px 12px;border:1px solid #e6e3f1;border-radius:18px;background:#ffffff',
  paragraph: 'margin:0 0 16px;overflow-wrap:anywhere',
  link: 'color:#4239c8',
  way: 'display:inline-block;padding:11px 18px;border-radius:10px;background:#e9e7fb;color:#3a32b5;font-size:15px;font-weight:600;text-decoration:none',
}
const dark = `@media (prefers-color-scheme:dark){
body{background:#100e17!important;color:#f0eef8!important}
.card{background:#191623!important;border-color:#2d2840!important}
a{color:#a9a4f8!important}
.way{background:#2b2651!important;color:#c5c1fb!important}
}`

/**
 * A plain text as HTML, under the name of who sends it: paragraphs where lines are empty, addresses clickable, one that stands alone as the way on,
 * everything else inert. It runs in the direction of its first word, whatever the sender's name is.
 */
export function htmlOf(text: string, sender: string): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p style="${styles.paragraph}">${paragraphOf(paragraph)}</p>`)
  const from = `<p style="${styles.sender}"><bdi>${escaped(sender)}</bdi></p>`
  const card = `<div class="card" style="${styles.card}">${paragraphs.join('')}</div>`
  const frame = `<div dir="auto" style="${styles.frame}">${from}${card}</div>`
  return `<!doctype html><html><head>${head}</head><body style="${styles.page}">${frame}</body></html>`
}

const head = [
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width">',
  '<meta name="color-scheme" content="light dark">',
  `<style>${dark}</style>`,
].join('')

function paragraphOf(text: string): string {
  return onlyLink.test(text) ? linked(text.trim(), ` class="way" style="${styles.way}"`) : linked(text).replaceAll('\n', '<br>')
}

/** Punctuation behind an address belongs to the sentence. */
function linked(text: string, look = ` style="${styles.link}"`): string {
  let html = ''
  let end = 0
  for (const { 0: found, index } of text.matchAll(link)) {
    const address = found.replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '')
    html += `${escaped(text.slice(end, index))}<a href="${escaped(address)}"${look}>${escaped(address)}</a>`
    end = index + address.length
  }
  return html + escaped(text.slice(end))
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}
