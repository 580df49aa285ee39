/**
 * The prefix that browsers write for bytes without a type (RFC 2397). Real files practically never
 * begin with it.
 */
export const octetsPrefix = 'data:application/octet-stream;base64,'
const anyPrefix = /^data:[^,]*;base64,/
const ending = /^={0,2}\s*$/
/** Maximum length of the prefix in characters. */
const maxPrefix = 1000
/** Maximum length in characters of the padding and white space at the end. */
const maxEnding = 1000

/**
 * Checks piece by piece whether a text is a `data:` URL in Base64, and how many bytes it encodes.
 */
export class DataUrlCheck {
  readonly #prefixLength: (head: string) => number
  #head: string | null = ''
  #start = 0
  #characters = 0
  #ending = ''
  #isValid = true

  /** `any` allows every media type, not only `application/octet-stream`. */
  constructor(any: boolean) {
    this.#prefixLength = (head) => (any ? (anyPrefix.exec(head)?.[0].length ?? 0) : head.startsWith(octetsPrefix) ? octetsPrefix.length : 0)
  }

  add(piece: string): void {
    if (!this.#isValid) return
    if (this.#head === null) this.#addBase64(piece)
    else this.#head += piece
    if (this.#head !== null && this.#head.length >= maxPrefix) this.#decide()
  }

  /**
   * Returns where the Base64 begins and how many bytes it encodes; null if the text is not such a
   * URL.
   */
  end(): { start: number; bytes: number } | null {
    if (this.#head !== null) this.#decide()
    const padding = this.#ending.trimEnd().length
    if (!this.#isValid || !ending.test(this.#ending) || (this.#characters + padding) % 4 !== 0) return null
    return { start: this.#start, bytes: ((this.#characters + padding) / 4) * 3 - padding }
  }

  #decide(): void {
    const head = this.#head ?? ''
    this.#head = null
    this.#start = this.#prefixLength(head.slice(0, maxPrefix))
    this.#isValid = this.#start > 0
    if (this.#isValid) this.#addBase64(head.slice(this.#start))
  }

  #addBase64(piece: string): void {
    const more = this.#ending === '' ? (/^[A-Za-z0-9+/]*/.exec(piece)?.[0].length ?? 0) : 0
    this.#characters += more
    this.#ending += piece.slice(more)
    this.#isValid = this.#ending.length <= maxEnding
    if (!this.#isValid) this.#ending = ''
  }
}

/** Yields the bytes of a checked `data:` URL, whose Base64 begins at `start`, piece by piece. */
export async function* decodeDataUrl(pieces: Iterable<Buffer> | AsyncIterable<Buffer>, start: number): AsyncGenerator<Buffer> {
  let [skip, rest] = [start, '']
  for await (const piece of pieces) {
    const text = rest + piece.toString('latin1', Math.min(skip, piece.length))
    skip = Math.max(0, skip - piece.length)
    const whole = text.length - (text.length % 4)
    rest = text.slice(whole)
    const bytes = Buffer.from(text.slice(0, whole), 'base64')
    if (bytes.length > 0) yield bytes
  }
}
