import type { Bytes } from './bytes.ts'
import { EncryptionError } from './error.ts'

/** Reads pieces of known lengths from a stream of bytes. */
export class ExactReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /**
   * Returns the next `length` bytes.
   * @throws EncryptionError `damaged`: the stream ends before
   */
  async read(length: number): Promise<Bytes> {
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      if (this.#rest.length === 0 && !(await this.#next())) throw new EncryptionError('damaged', 'The file was cut off.')
      const piece = this.#rest.subarray(0, length - filled)
      bytes.set(piece, filled)
      filled += piece.length
      this.#rest = this.#rest.subarray(piece.length)
    }
    return bytes
  }

  /** @throws EncryptionError `damaged`: the stream has more bytes */
  async expectEnd(): Promise<void> {
    while (this.#rest.length === 0) if (!(await this.#next())) return
    throw new EncryptionError('damaged', 'The file is longer than it was when it was encrypted.')
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#reader.cancel(reason)
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (!done) this.#rest = value
    return !done
  }
}
