import { Receiver } from './receiver.ts'

export const BLOCK_BYTES = 256 * 1024
/**
 * One being sent, one being read, one being filled. A receiver that does not accept a block at once
 * gets no third.
 */
const BLOCKS = 3
/** Concurrent reads of one writer, over all its blocks. */
const READS = 32

interface Block {
  bytes: Buffer
  used: number
  reads: number
}

/**
 * Gathers bytes, copied or still being read, in a few blocks and writes the blocks in order. Waits
 * while the receiver has all of them. Every method rejects from the first failure on: of a read or
 * of the receiver. One caller at a time.
 */
export class BlockWriter extends Receiver {
  readonly #free: Buffer[] = []
  #allowed = BLOCKS
  #filling: Block | undefined
  readonly #full: Block[] = []
  #reads = 0
  #writes = 0

  /** Copies `bytes`. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#blockWithRoom(1) ?? (await this.#nextBlock())
      const part = bytes.subarray(at, at + BLOCK_BYTES - block.used)
      block.bytes.set(part, block.used)
      block.used += part.length
      at += part.length
    }
  }

  /**
   * Reserves the next `length` bytes (at most BLOCK_BYTES) for `read`, which may run while more is
   * added.
   */
  async fill(length: number, read: (target: Uint8Array) => Promise<void>): Promise<void> {
    const block = this.#blockWithRoom(length) ?? (await this.#nextBlock())
    if (this.#reads >= READS) await this.until(() => this.#reads < READS)
    const target = block.bytes.subarray(block.used, block.used + length)
    block.used += length
    block.reads++
    this.#reads++
    read(target).then(() => {
      block.reads--
      this.#reads--
      this.#advance()
    }, this.fail)
  }

  /**
   * Waits until everything so far has been passed to the receiver. Then other code may write to it.
   */
  async flush(): Promise<void> {
    this.#seal()
    await this.until(() => this.#full.length === 0)
  }

  /** Waits for work that writes to the receiver itself. Rejects early if the receiver closes. */
  async during(work: Promise<void>): Promise<void> {
    let isDone = false
    work.then(() => {
      isDone = true
      this.wake()
    }, this.fail)
    await this.until(() => isDone)
  }

  /** Waits until the receiver has written everything. */
  async finish(): Promise<void> {
    await this.flush()
    await this.until(() => this.#writes === 0)
  }

  #blockWithRoom(bytes: number): Block | undefined {
    if (!this.hasFailed && this.#filling && BLOCK_BYTES - this.#filling.used >= bytes) return this.#filling
  }

  async #nextBlock(): Promise<Block> {
    this.#seal()
    await this.until(() => this.#full.length + this.#writes < this.#allowed)
    this.#filling = { bytes: this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES), used: 0, reads: 0 }
    return this.#filling
  }

  #seal(): void {
    if (this.#filling) this.#full.push(this.#filling)
    this.#filling = undefined
    this.#advance()
  }

  /** Writes the complete blocks, up to the first that is still being read. */
  #advance(): void {
    for (let block = this.#full[0]; block?.reads === 0 && !this.hasFailed; block = this.#full[0]) {
      this.#full.shift()
      this.#writeBlock(block)
    }
    this.wake()
  }

  #writeBlock({ bytes, used }: Block): void {
    this.#writes++
    this.write(bytes.subarray(0, used), () => {
      this.#writes--
      if (this.releasesBuffers && this.#free.length < this.#allowed - 1) this.#free.push(bytes)
    })
    this.#allowed = this.keepsUp ? BLOCKS : BLOCKS - 1
  }
}
