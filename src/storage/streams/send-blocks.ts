import type { FileHandle } from 'node:fs/promises'
import { OutgoingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { rethrow } from '../disk/files.ts'
import { type ByteRange, WrongLength } from '../object-store.ts'
import { release } from './release.ts'

/** A block for a receiver that has yet to show its pace, or is slow. */
const SMALL = 256 * 1024
/** A block for one that takes so many bytes within so many milliseconds: more than the kernel takes in advance, at 32 MiB a second or more. */
const LARGE = 1024 * 1024
const PACE_BYTES = 8 * 1024 * 1024
const PACE_MS = 250

/**
 * Sends `range` of an open file to `to` and leaves `to` open. While the receiver takes at once all that it is given, the next block is read meanwhile;
 * while it does not, nothing is read before it has taken the block, so that a slow or idle receiver holds 256 KiB. Rejects with WrongLength when the
 * file ends early, and with the receiver's own error or `ERR_STREAM_PREMATURE_CLOSE` when `to` closes.
 */
export async function sendBlocks(file: FileHandle, range: ByteRange, to: Writable): Promise<void> {
  const blocks = new Blocks(file, range, releasesBuffer(to))
  const receiver = new Receiver(to)
  try {
    for (let block = await blocks.read(); block; ) {
      const ahead = receiver.keepsUp ? blocks.readAhead() : undefined
      await Promise.all([ahead, receiver.take(block)])
      block = await (ahead ?? blocks.read())
    }
    blocks.release()
  } finally {
    receiver.release()
  }
}

/** Whether the write callback means that the chunk is done with: so for sockets and responses, not for streams that pass chunks on. */
export function releasesBuffer(to: Writable): boolean {
  return to instanceof Socket || (to as unknown) instanceof OutgoingMessage
}

/** The blocks of a range, read into two buffers by turns, or each into its own where the receiver keeps what it gets. */
class Blocks {
  readonly #file: FileHandle
  readonly #end: number
  readonly #reuse: boolean
  readonly #buffers: [Buffer | undefined, Buffer | undefined] = [undefined, undefined]
  #position: number
  #turn: 0 | 1 = 0
  #size = SMALL
  #paced: { position: number; time: number }

  constructor(file: FileHandle, { start, end }: ByteRange, reuse: boolean) {
    this.#file = file
    this.#position = start
    this.#paced = { position: start, time: performance.now() }
    this.#end = end + 1
    this.#reuse = reuse
  }

  /** The next block, into the buffer of the last one; undefined after the last. */
  async read(): Promise<Buffer | undefined> {
    this.#keepPace()
    const wanted = Math.min(this.#size, this.#end - this.#position)
    if (wanted === 0) return
    const { bytesRead, buffer } = await this.#file.read(this.#buffer(wanted), 0, wanted, this.#position).catch(rethrow)
    if (bytesRead === 0) throw new WrongLength(`The object ends at byte ${this.#position}`)
    this.#position += bytesRead
    return buffer.subarray(0, bytesRead)
  }

  /** The next block, into the other buffer, while the last one is still being sent. */
  readAhead(): Promise<Buffer | undefined> {
    this.#turn = this.#turn === 0 ? 1 : 0
    return this.read()
  }

  /** Gives the buffers' memory back at once; only when no read and no write has them. */
  release(): void {
    for (const buffer of this.#buffers) if (buffer) release(buffer)
  }

  #keepPace(): void {
    if (this.#position - this.#paced.position < PACE_BYTES) return
    const now = performance.now()
    this.#size = now - this.#paced.time < PACE_MS ? LARGE : SMALL
    this.#paced = { position: this.#position, time: now }
  }

  /** The buffer whose turn it is, with room for `bytes` but not for a large block where a small one is wanted. */
  #buffer(bytes: number): Buffer {
    if (!this.#reuse) return Buffer.allocUnsafeSlow(bytes)
    const held = this.#buffers[this.#turn]
    if (held && held.length >= bytes && held.length <= this.#size) return held
    if (held) release(held)
    const fresh = Buffer.allocUnsafeSlow(bytes)
    this.#buffers[this.#turn] = fresh
    return fresh
  }
}

/** The other end, watched: the callback of a write to a response whose connection went away may never come. */
class Receiver {
  /** Whether the last block was taken at once. */
  keepsUp = true
  readonly #to: Writable
  #failure: Error | undefined
  #reject: (error: Error) => void = () => {}
  readonly #fail = (error: Error) => {
    this.#failure ??= error
    this.#reject(this.#failure)
  }
  readonly #closed = () => {
    this.#fail(Object.assign(new Error('The receiver closed before all was sent'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
  }

  constructor(to: Writable) {
    this.#to = to
    to.on('error', this.#fail).on('close', this.#closed)
    if (to.destroyed || to.writableEnded) this.#closed()
  }

  /** Resolves when the block is with the kernel. */
  take(block: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      if (this.#failure) return reject(this.#failure)
      this.#to.write(block, (error) => (error ? this.#fail(error) : resolve()))
      this.keepsUp = this.#to.writableLength === 0
    })
  }

  release(): void {
    this.#to.off('error', this.#fail).off('close', this.#closed)
  }
}
