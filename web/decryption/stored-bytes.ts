import { type ByteSource, byteSourceOf } from '../../uploader/encryption/byte-source.ts'

/** Attempts in a row without a byte. */
const attempts = 6
const delay = 500 // ms

/** A refusal that another attempt doesn't change. */
class Refused extends Error {}

/**
 * Stored bytes from `start` up to `end`. If the connection is cut, such as while a download is
 * paused, another request continues where it ended.
 */
export class StoredBytes implements ByteSource {
  readonly #address: string
  readonly #end: number
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  #at: number
  #connection: ByteSource | null = null
  #failures = 0

  constructor(address: string, start: number, end: number, signal: AbortSignal) {
    this.#address = address
    this.#at = start
    this.#end = end
    this.#signal = AbortSignal.any([signal, this.#ending.signal])
  }

  /** @throws {Error} the server refuses, or can't be reached */
  async read(): Promise<Uint8Array | null> {
    for (;;) {
      try {
        return await this.#readOnce()
      } catch (error) {
        this.#connection = null
        this.#failures++
        if (this.#signal.aborted || error instanceof Refused || this.#failures === attempts) throw error
        await new Promise((resolve) => setTimeout(resolve, delay * this.#failures))
      }
    }
  }

  async cancel(reason?: unknown): Promise<void> {
    this.#ending.abort(reason)
  }

  async #readOnce(): Promise<Uint8Array | null> {
    if (!this.#connection && this.#at >= this.#end) return null
    this.#connection ??= byteSourceOf(await this.#open(), this.#end - this.#at)
    const bytes = await this.#connection.read()
    if (!bytes && this.#at < this.#end) throw new Error('The connection was cut')
    this.#at += bytes?.length ?? 0
    this.#failures = 0
    return bytes
  }

  async #open(): Promise<ReadableStream<Uint8Array>> {
    const headers = { range: `bytes=${this.#at}-${this.#end - 1}` }
    const response = await fetch(this.#address, { headers, cache: 'no-store', signal: this.#signal })
    if (response.status === 206 && response.body) return response.body
    const isTemporary = response.status === 429 || response.status >= 500
    throw isTemporary ? new Error(`Status ${response.status}`) : new Refused(`Status ${response.status}`)
  }
}
