const blockBytes = 65_536

/**
 * Bytes held in memory in blocks of 64 KiB, so that a body in tiny pieces needs no more memory than
 * its bytes.
 */
export class HeldBytes {
  /** Bytes held now. */
  length = 0
  readonly #blocks: Buffer[] = []
  #used = blockBytes

  /** Appends a copy of a piece. */
  add(piece: Buffer): void {
    this.length += piece.length
    for (let done = 0; done < piece.length; ) {
      const copied = piece.copy(this.#blockWithRoom(), this.#used, done)
      this.#used += copied
      done += copied
    }
  }

  #blockWithRoom(): Buffer {
    const last = this.#blocks.at(-1)
    if (last && this.#used < blockBytes) return last
    const block = Buffer.allocUnsafeSlow(blockBytes)
    this.#blocks.push(block)
    this.#used = 0
    return block
  }

  /** Removes and returns the first bytes, at most 64 KiB; undefined if none are left. */
  shift(): Buffer | undefined {
    const block = this.#blocks.shift()
    if (!block) return undefined
    const bytes = this.#blocks.length === 0 ? block.subarray(0, this.#used) : block
    if (this.#blocks.length === 0) this.#used = blockBytes
    this.length -= bytes.length
    return bytes.length < blockBytes / 2 ? Buffer.from(bytes) : bytes // so that few bytes don't keep a whole block
  }

  /** Yields all bytes in order, once. Each block is released before the next. */
  *take(): Generator<Buffer> {
    for (let bytes = this.shift(); bytes; bytes = this.shift()) yield bytes
  }
}
