import { Transform, type TransformCallback } from 'node:stream'
import { crc32 } from '@node-rs/crc32'

const reserveBytes = 8 * 1_048_576
const reserveEvery = 60_000 // ms

/**
 * Passes bytes on, counts them and takes their CRC-32. Tells `reserve` of them as they come, some MiB at a time and the rest at the end: what it rejects
 * with ends the stream.
 */
export class Meter extends Transform {
  bytes = 0
  crc32 = 0
  readonly #reserve: (bytes: number) => Promise<void>
  #unreserved = 0
  #reservedAt = performance.now()

  constructor(reserve: (bytes: number) => Promise<void>) {
    super()
    this.#reserve = reserve
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    this.crc32 = crc32(chunk, this.crc32)
    this.#unreserved += chunk.length
    const isTime = this.#unreserved >= reserveBytes || performance.now() - this.#reservedAt > reserveEvery
    if (isTime) this.#take(() => done(null, chunk), done)
    else done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    this.#take(() => done(), done)
  }

  #take(taken: () => void, refused: (error: Error) => void): void {
    const bytes = this.#unreserved
    this.#unreserved = 0
    this.#reservedAt = performance.now()
    if (bytes === 0) taken()
    else this.#reserve(bytes).then(taken, refused)
  }
}
