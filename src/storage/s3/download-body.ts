import type { Readable, Writable } from 'node:stream'
import { Receiver, release } from '../streams/receiver.ts'

/**
 * Bytes written that the receiver has not accepted yet. At this many the body is paused, at
 * `RESUME_BYTES` it goes on.
 */
const PAUSE_BYTES = 512 * 1024
const RESUME_BYTES = 256 * 1024

/**
 * Sends all of `body` to `to`, which is left open, after `onOpen`. Resolves when the kernel has the
 * last byte. Rejects with the error of `onOpen`. Rejects with the error of the body or of the
 * receiver, or with `ERR_STREAM_PREMATURE_CLOSE` when the receiver closes; the body is destroyed in
 * any case.
 */
export async function sendBody(body: Readable, to: Writable, onOpen?: () => Promise<void>): Promise<void> {
  const receiver = new BodyReceiver(to)
  try {
    await receiver.receive(body, onOpen)
  } finally {
    receiver.release()
    body.on('error', () => {}).destroy()
  }
}

class BodyReceiver extends Receiver {
  #pending = 0
  #hasEnded = false

  async receive(body: Readable, onOpen?: () => Promise<void>): Promise<void> {
    body.once('error', this.fail)
    await onOpen?.()
    body.on('data', (chunk: Buffer) => this.#send(body, chunk))
    body.once('end', () => {
      this.#hasEnded = true
      this.wake()
    })
    await this.until(() => this.#hasEnded && this.#pending === 0)
  }

  #send(body: Readable, chunk: Buffer): void {
    this.#pending += chunk.length
    if (this.#pending >= PAUSE_BYTES) body.pause()
    this.write(chunk, () => {
      this.#pending -= chunk.length
      if (this.releasesBuffers) release(chunk)
      if (!this.#hasEnded && this.#pending <= RESUME_BYTES) body.resume()
    })
  }
}
