import type { Writable } from 'node:stream'
import { releasesBuffer } from './send-blocks.ts'

export const BLOCK_BYTES = 256 * 1024
/** One with the receiver, one being read, one being laid out. A receiver that does not take a block at once gets no third. */
const BLOCKS = 3
/** Reads under way at once, over all blocks of one writer. */
const READS = 32

interface Block {
  bytes: Buffer
  used: number
  reads: number
}

/**
 * Gathers bytes, copied in or still being read, into a few blocks, and writes the blocks in order, waiting whenever `to` has all of them. Every method
 * rejects from the first failure on: a read's, one of `to`, or `to` closing. `to` is left open. One caller at a time.
 */
export class BlockWriter {
  readonly #to: Writable
  readonly #reuse: boolean
  readonly #free: Buffer[] = []
  #allowed = BLOCKS
  #filling: Block | undefined
  readonly #full: Block[] = []
  #reads = 0
  #writes = 0
  #failure: Error | undefined
  #wake = () => {}
  readonly #fail = (error: Error) => {
    this.#failure ??= error
    this.#wake()
  }
  readonly #closed = () => {
    this.#fail(Object.assign(new Error('The receiver closed before all was sent'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
  }

  constructor(to: Writable) {
    this.#to = to
    this.#reuse = releasesBuffer(to)
    to.on('close', this.#closed).on('error', this.#fail)
    if (to.destroyed || to.writableEnded) this.#closed()
  }

  /** Copies `bytes` in. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#fitting(1) ?? (await this.#next())
      const part = bytes.subarray(at, at + BLOCK_BYTES - block.used)
      block.bytes.set(part, block.used)
      block.used += part.length
      at += part.length
    }
  }

  /** Keeps the next `length` bytes (at most BLOCK_BYTES) for `read` to fill, which goes on while more is added. */
  async fill(length: number, read: (target: Uint8Array) => Promise<void>): Promise<void> {
    const block = this.#fitting(length) ?? (await this.#next())
    if (this.#reads >= READS) await this.#until(() => this.#reads < READS)
    const target = block.bytes.subarray(block.used, block.used + length)
    block.used += length
    block.reads++
    this.#reads++
    read(target).then(() => {
      block.reads--
      this.#reads--
      this.#advance()
    }, this.#fail)
  }

  /** Waits until `to` has been given all so far; another may write to it then. */
  async flush(): Promise<void> {
    this.#seal()
    await this.#until(() => this.#full.length === 0)
  }

  /** Waits for work that writes to `to` itself, but no longer than `to` is open. */
  async during(work: Promise<void>): Promise<void> {
    let done = false
    work.then(() => {
      done = true
      this.#wake()
    }, this.#fail)
    await this.#until(() => done)
  }

  /** Waits until `to` is done with all of it. */
  async finish(): Promise<void> {
    await this.flush()
    await this.#until(() => this.#writes === 0)
  }

  /** Stops watching `to`; not for errors when something failed, because a failed write's callback comes before the event, which nobody else may hear. */
  release(): void {
    this.#to.off('close', this.#closed)
    if (!this.#failure) this.#to.off('error', this.#fail)
  }

  #fitting(bytes: number): Block | undefined {
    if (!this.#failure && this.#filling && BLOCK_BYTES - this.#filling.used >= bytes) return this.#filling
  }

  async #next(): Promise<Block> {
    this.#seal()
    await this.#until(() => this.#full.length + this.#writes < this.#allowed)
    this.#filling = { bytes: this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES), used: 0, reads: 0 }
    return this.#filling
  }

  #seal(): void {
    if (this.#filling) this.#full.push(this.#filling)
    this.#filling = undefined
    this.#advance()
  }

  /** Writes the blocks that are whole, up to the first that is still being read. */
  #advance(): void {
    while (this.#full[0]?.reads === 0 && !this.#failure) this.#write(this.#full.shift()!)
    this.#wake()
  }

  #write({ bytes, used }: Block): void {
    this.#writes++
    this.#to.write(bytes.subarray(0, used), (error) => {
      if (error) return this.#fail(error)
      this.#writes--
      if (this.#reuse && this.#free.length < this.#allowed - 1) this.#free.push(bytes)
      this.#wake()
    })
    this.#allowed = this.#to.writableLength === 0 ? BLOCKS : BLOCKS - 1
  }

  async #until(ready: () => boolean): Promise<void> {
    while (!this.#failure && !ready()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#failure) throw this.#failure
  }
}
