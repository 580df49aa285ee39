import type { FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { throwFileStoreError } from '../disk/files.ts'
import { type ByteRange, WrongLength } from '../object-store.ts'
import { Receiver, release } from './receiver.ts'

/** Block size for a receiver that is slow, or whose pace is not known yet. */
const SMALL_BLOCK = 256 * 1024
/**
 * Block size for a receiver that accepts `PACE_BYTES` within `PACE_MS`: 32 MiB/s, and more than the
 * kernel buffers.
 */
const LARGE_BLOCK = 1024 * 1024
const PACE_BYTES = 8 * 1024 * 1024
const PACE_MS = 250

/**
 * Sends `range` of an open file to `to`, which is left open. While the receiver accepts blocks at
 * once, the next one is read ahead. Otherwise nothing is read before it has accepted the last, so a
 * slow or idle receiver holds 256 KiB.
 *
 * Rejects with the receiver's error, or with `ERR_STREAM_PREMATURE_CLOSE` when it closes.
 *
 * @throws {WrongLength} the file ends early
 */
export async function sendBlocks(file: FileHandle, range: ByteRange, to: Writable): Promise<void> {
  const receiver = new BlockReceiver(to)
  const blocks = new Blocks(file, range, receiver.releasesBuffers)
  try {
    for (let block = await blocks.read(); block; ) {
      const ahead = receiver.acceptsAtOnce ? blocks.readAhead() : undefined
      await Promise.all([ahead, receiver.send(block)])
      block = await (ahead ?? blocks.read())
    }
    blocks.release()
  } finally {
    receiver.release()
  }
}

/**
 * The blocks of a range, read into two buffers in turn, or each into its own if the receiver keeps
 * what it gets.
 */
class Blocks {
  readonly #file: FileHandle
  readonly #end: number
  readonly #reuse: boolean
  readonly #buffers: [Buffer | undefined, Buffer | undefined] = [undefined, undefined]
  #position: number
  #turn: 0 | 1 = 0
  #size = SMALL_BLOCK
  #lastPace: { position: number; time: number }

  constructor(file: FileHandle, { start, end }: ByteRange, reuse: boolean) {
    this.#file = file
    this.#position = start
    this.#lastPace = { position: start, time: performance.now() }
    this.#end = end + 1
    this.#reuse = reuse
  }

  /** Reads the next block into the last one's buffer; returns undefined after the last. */
  async read(): Promise<Buffer | undefined> {
    this.#adaptToPace()
    const length = Math.min(this.#size, this.#end - this.#position)
    if (length === 0) return
    const { bytesRead, buffer } = await this.#file.read(this.#buffer(length), 0, length, this.#position).catch(throwFileStoreError)
    if (bytesRead === 0) throw new WrongLength(`The object ends at byte ${this.#position}`)
    this.#position += bytesRead
    return buffer.subarray(0, bytesRead)
  }

  /** Reads the next block into the other buffer, while the last one is still being sent. */
  readAhead(): Promise<Buffer | undefined> {
    this.#turn = this.#turn === 0 ? 1 : 0
    return this.read()
  }

  /** Frees the buffers' memory at once. Only safe while no read and no write uses them. */
  release(): void {
    for (const buffer of this.#buffers) if (buffer) release(buffer)
  }

  #adaptToPace(): void {
    if (this.#position - this.#lastPace.position < PACE_BYTES) return
    const now = performance.now()
    this.#size = now - this.#lastPace.time < PACE_MS ? LARGE_BLOCK : SMALL_BLOCK
    this.#lastPace = { position: this.#position, time: now }
  }

  /**
   * Returns the current buffer, replaced if it is too small for `bytes`, or larger than the block
   * size.
   */
  #buffer(bytes: number): Buffer {
    if (!this.#reuse) return Buffer.allocUnsafeSlow(bytes)
    const current = this.#buffers[this.#turn]
    if (current && current.length >= bytes && current.length <= this.#size) return current
    if (current) release(current)
    const fresh = Buffer.allocUnsafeSlow(bytes)
    this.#buffers[this.#turn] = fresh
    return fresh
  }
}

class BlockReceiver extends Receiver {
  /** Whether the kernel accepted the last block at once. */
  acceptsAtOnce = true

  /** Resolves when the kernel has the block. */
  async send(block: Buffer): Promise<void> {
    let isWritten = false
    this.write(block, () => {
      isWritten = true
    })
    this.acceptsAtOnce = this.keepsUp
    await this.until(() => isWritten)
  }
}
