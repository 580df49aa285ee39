const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const link = /https?:\/\/[^\s<>"'`{}|\\^]+/g
const style = 'margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'

/** A plain text as HTML: paragraphs where lines are empty, addresses clickable, everything else inert. */
export function htmlOf(text: string): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p style="margin:0 0 16px;overflow-wrap:anywhere">${linked(paragraph).replaceAll('\n', '<br>')}</p>`)
  return `<!doctype html><html><head><meta charset="utf-8"></head><body style='${style}'>${paragraphs.join('')}</body></html>`
}

/** Punctuation behind an address belongs to the sentence. */
function linked(text: string): string {
  let html = ''
  let end = 0
  for (const { 0: found, index } of text.matchAll(link)) {
    const address = found.replace(/[.,;:!?)\]]+$/, '')
    html += `${escaped(text.slice(end, index))}<a href="${escaped(address)}">${escaped(address)}</a>`
    end = index + address.length
  }
  return html + escaped(text.slice(end))
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}
