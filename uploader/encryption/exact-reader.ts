import type { ByteSource } from './byte-source.ts'
import type { Bytes } from './bytes.ts'
import { EncryptionError } from './error.ts'

/** Reads pieces of known lengths from bytes. */
export class ExactReader {
  readonly #source: ByteSource
  #rest: Uint8Array = new Uint8Array(0)
  /** Holds a piece that two reads have brought. */
  #piece: Bytes = new Uint8Array(0)

  constructor(source: ByteSource) {
    this.#source = source
  }

  /**
   * Returns the next `length` bytes, which are valid until the next call.
   * @throws EncryptionError `damaged`: the bytes end before
   */
  async read(length: number): Promise<Bytes> {
    if (this.#piece.length < length) this.#piece = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      if (this.#rest.length === 0 && !(await this.#next())) throw new EncryptionError('damaged', 'The file was cut off.')
      const part = this.#rest.subarray(0, length - filled)
      this.#piece.set(part, filled)
      filled += part.length
      this.#rest = this.#rest.subarray(part.length)
    }
    return this.#piece.subarray(0, length)
  }

  /** @throws EncryptionError `damaged`: there are more bytes */
  async expectEnd(): Promise<void> {
    while (this.#rest.length === 0) if (!(await this.#next())) return
    throw new EncryptionError('damaged', 'The file is longer than it was when it was encrypted.')
  }

  async #next(): Promise<boolean> {
    const bytes = await this.#source.read()
    if (bytes) this.#rest = bytes
    return bytes !== null
  }
}
