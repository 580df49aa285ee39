const address = /https?:\/\/[^\s\p{C}<>"“”]+/giu
const closing: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** A piece of a text: plain, or an http or https address. */
export interface Piece {
  text: string
  isLink: boolean
}

/** Splits a text into plain pieces and addresses, without the punctuation after an address. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(address)) {
    const link = withoutPunctuation(found)
    if (!URL.canParse(link)) continue
    if (index > from) pieces.push({ text: text.slice(from, index), isLink: false })
    pieces.push({ text: link, isLink: true })
    from = index + link.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isLink: false })
  return pieces
}

/** Leaves out punctuation at the end, and brackets that were opened before the address. */
function withoutPunctuation(found: string): string {
  let end = found.length
  for (; end > 0; end--) {
    const last = found[end - 1] ?? ''
    const rest = found.slice(0, end)
    const opening = closing[last]
    const isUnopened = opening !== undefined && rest.split(last).length > rest.split(opening).length
    if (!isUnopened && !".,;:!?'’…".includes(last)) break
  }
  return found.slice(0, end)
}
