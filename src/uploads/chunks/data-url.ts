/** How a browser begins what it makes of bytes without a type (RFC 2397). Files that begin so are as good as none. */
export const octetsPrefix = 'data:application/octet-stream;base64,'
const anyPrefix = /^data:[^,]*;base64,/
const ending = /^={0,2}\s*$/
/** Characters within which the prefix must end. */
const prefixMax = 1000
/** Characters of padding and white space that may end the text. */
const endingMax = 1000

/** Checks piece by piece whether a text is a `data:` URL in Base64, and how many bytes it stands for. */
export class DataUrlCheck {
  readonly #isPrefixed: (head: string) => number
  #head: string | null = ''
  #start = 0
  #characters = 0
  #ending = ''
  #valid = true

  /** `any`: whether the URL may have any media type, not only that of plain bytes. */
  constructor(any: boolean) {
    this.#isPrefixed = (head) => (any ? (anyPrefix.exec(head)?.[0].length ?? 0) : head.startsWith(octetsPrefix) ? octetsPrefix.length : 0)
  }

  add(piece: string): void {
    if (!this.#valid) return
    if (this.#head === null) this.#addBase64(piece)
    else this.#head += piece
    if (this.#head !== null && this.#head.length >= prefixMax) this.#decide()
  }

  /** Returns where the Base64 begins and how many bytes it stands for; null when the text is not such a URL. */
  end(): { start: number; bytes: number } | null {
    if (this.#head !== null) this.#decide()
    const padding = this.#ending.trimEnd().length
    if (!this.#valid || !ending.test(this.#ending) || (this.#characters + padding) % 4 !== 0) return null
    return { start: this.#start, bytes: ((this.#characters + padding) / 4) * 3 - padding }
  }

  #decide(): void {
    const head = this.#head ?? ''
    this.#head = null
    this.#start = this.#isPrefixed(head.slice(0, prefixMax))
    this.#valid = this.#start > 0
    if (this.#valid) this.#addBase64(head.slice(this.#start))
  }

  #addBase64(piece: string): void {
    const more = this.#ending === '' ? /^[A-Za-z0-9+/]*/.exec(piece)![0].length : 0
    this.#characters += more
    this.#ending += piece.slice(more)
    this.#valid = this.#ending.length <= endingMax
    if (!this.#valid) this.#ending = ''
  }
}

/** Yields the bytes of a checked `data:` URL, whose Base64 begins at `start`, piece by piece. */
export function* decodeDataUrl(pieces: Iterable<Buffer>, start: number): Generator<Buffer> {
  let [skip, rest] = [start, '']
  for (const piece of pieces) {
    const text = rest + piece.toString('latin1', Math.min(skip, piece.length))
    skip = Math.max(0, skip - piece.length)
    const whole = text.length - (text.length % 4)
    rest = text.slice(whole)
    const bytes = Buffer.from(text.slice(0, whole), 'base64')
    if (bytes.length > 0) yield bytes
  }
}
