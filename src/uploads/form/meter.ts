import { Transform, type TransformCallback } from 'node:stream'
import { crc32 } from '@node-rs/crc32'

const reserveBytes = 8 * 1_048_576
const reserveInterval = 60_000 // ms

/**
 * Passes bytes through, counts them and computes their CRC-32. Calls `reserve` for every 8 MiB,
 * once a minute and at the end; its rejection ends the stream.
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
    const isDue = this.#unreserved >= reserveBytes || performance.now() - this.#reservedAt > reserveInterval
    if (isDue) this.#reservePending(() => done(null, chunk), done)
    else done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    this.#reservePending(() => done(), done)
  }

  #reservePending(onSuccess: () => void, onFailure: (error: Error) => void): void {
    const bytes = this.#unreserved
    this.#unreserved = 0
    this.#reservedAt = performance.now()
    if (bytes === 0) onSuccess()
    else this.#reserve(bytes).then(onSuccess, onFailure)
  }
}
