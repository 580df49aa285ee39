import { OutgoingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/**
 * The stream that bytes are sent to, watched for errors and for closing: once a connection is lost,
 * the callback of a write may never come. From the first failure on, waiting rejects. The stream is
 * left open.
 */
export class Receiver {
  /**
   * Whether a write callback means that the buffer is free again: true for sockets and responses,
   * which pass nothing on.
   */
  readonly releasesBuffers: boolean
  readonly #to: Writable
  #failure: Error | undefined
  #wake = () => {}
  readonly #closed = () => this.fail(closedEarly())

  constructor(to: Writable) {
    this.#to = to
    this.releasesBuffers = to instanceof Socket || (to as unknown) instanceof OutgoingMessage
    to.on('close', this.#closed).on('error', this.fail)
    if (to.destroyed || to.writableEnded) this.#failure = closedEarly()
  }

  /**
   * Stops watching the stream. After a failure the error listener stays: a failed write's callback
   * comes before its `error` event, which would end the process if no one listened.
   */
  release(): void {
    this.#to.off('close', this.#closed)
    if (!this.#failure) this.#to.off('error', this.fail)
  }

  protected get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /** Whether the kernel has accepted everything written so far. */
  protected get keepsUp(): boolean {
    return this.#to.writableLength === 0
  }

  protected readonly fail = (error: Error): void => {
    this.#failure ??= error
    this.wake()
  }

  /** Makes `until` check its condition again. */
  protected wake(): void {
    this.#wake()
  }

  /**
   * Waits until `isReady` returns true, checked after each write and each `wake`. Rejects with the
   * first failure. One caller at a time.
   */
  protected async until(isReady: () => boolean): Promise<void> {
    while (!this.#failure && !isReady()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#failure) throw this.#failure
  }

  /** Writes bytes, unless the receiver has failed; `onWritten` runs when the kernel has them. */
  protected write(bytes: Uint8Array, onWritten: () => void): void {
    if (this.#failure) return
    this.#to.write(bytes, (error) => {
      if (error) return this.fail(error)
      onWritten()
      this.wake()
    })
  }
}

/**
 * Detaches the memory of a chunk that is all of its ArrayBuffer. This frees it without a garbage
 * collection.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

function closedEarly(): Error {
  return Object.assign(new Error('The receiver closed before all was sent'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
}
