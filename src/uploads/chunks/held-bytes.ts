const blockBytes = 65_536

/** Bytes held in memory in blocks of 64 KiB, so that a body in tiny pieces takes no more memory than its bytes. */
export class HeldBytes {
  /** Bytes that are held now. */
  length = 0
  readonly #blocks: Buffer[] = []
  #used = blockBytes

  /** Copies a piece to the end. */
  add(piece: Buffer): void {
    this.length += piece.length
    for (let done = 0; done < piece.length; ) {
      if (this.#used === blockBytes) {
        this.#blocks.push(Buffer.allocUnsafeSlow(blockBytes))
        this.#used = 0
      }
      const copied = piece.copy(this.#blocks.at(-1)!, this.#used, done)
      this.#used += copied
      done += copied
    }
  }

  /** Removes and returns the first bytes, at most 64 KiB; undefined when none are left. */
  shift(): Buffer | undefined {
    const block = this.#blocks.shift()
    if (!block) return undefined
    const bytes = this.#blocks.length === 0 ? block.subarray(0, this.#used) : block
    if (this.#blocks.length === 0) this.#used = blockBytes
    this.length -= bytes.length
    return bytes
  }

  /** Yields all bytes in order, once; each block is let go of before the next. */
  *take(): Generator<Buffer> {
    for (let bytes = this.shift(); bytes; bytes = this.shift()) yield bytes
  }
}
