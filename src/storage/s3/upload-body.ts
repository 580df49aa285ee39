import { type ClientRequest, IncomingMessage } from 'node:http'
import { finished, Readable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import { StoreUnavailable, WrongLength } from '../object-store.ts'
import { drainBody } from '../streams/receive.ts'
import { release } from '../streams/receiver.ts'
import { s3Error } from './errors.ts'

/**
 * Bytes written that the kernel has not accepted yet. At this many the source is paused, at
 * `RESUME_BYTES` it goes on.
 */
const PAUSE_BYTES = 512 * 1024
const RESUME_BYTES = 256 * 1024

type Send<T> = (body: Readable, signal: AbortSignal) => Promise<T>

/**
 * Sends exactly `length` bytes of `source` as the body of one request of the SDK, and computes
 * their CRC-32. By itself the SDK waits forever when its source fails, and writes surplus bytes to
 * the kept connection, where a server reads them as another request. On failure the connection is
 * closed and the source is disposed of (see `drainBody`).
 *
 * Rejects with the store's error.
 *
 * @throws {WrongLength} the source was cut, too short, too long, or stalled
 */
export async function sendExact<T>(source: Readable, length: number, send: Send<T>): Promise<{ response: T; crc32: number }> {
  const body = new ExactBody(source, length)
  const abort = new AbortController()
  body.sent.catch((error) => abort.abort(error))
  try {
    const response = await send(body, abort.signal)
    await body.sent
    return { response, crc32: body.crc32 }
  } catch (error) {
    const { name } = error as Error
    const hasStalled = name === 'TimeoutError' && body.isStarved
    body.destroy()
    drainBody(source, length)
    if (hasStalled) throw new WrongLength('The body stalled', { cause: error })
    throw s3Error(name === 'AbortError' && abort.signal.aborted ? abort.signal.reason : error)
  }
}

/**
 * A stream for the SDK, which calls only `pipe`. Chunks go straight to the SDK's request, and each
 * is freed once the kernel has it.
 */
class ExactBody extends Readable {
  crc32 = 0
  /** Resolves when the last byte has been written to the request and the source has ended. */
  readonly sent: Promise<void>
  readonly #source: Readable
  readonly #length: number
  readonly #ownsChunks: boolean
  readonly #unwatch: () => void
  readonly #settle: PromiseWithResolvers<void>
  #request: ClientRequest | undefined
  #received = 0
  #pending = 0
  /** The chunk that completes the body, held back until the source has ended. */
  #last: Buffer | undefined
  #isSettled = false

  constructor(source: Readable, length: number) {
    super()
    this.#source = source
    this.#length = length
    this.#ownsChunks = source instanceof IncomingMessage
    this.#settle = Promise.withResolvers()
    this.sent = this.#settle.promise
    this.#unwatch = finished(source, { writable: false }, (error) => {
      if (error) this.#fail(new WrongLength(`The body was cut: ${error.message}`, { cause: error }))
      else this.#end()
    })
  }

  /** Whether everything received has been sent, and more is missing. */
  get isStarved(): boolean {
    return !this.#isSettled && this.#pending === 0
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    if (this.#request) throw new TypeError('A body can be sent once')
    this.#request = destination as unknown as ClientRequest // NodeJS.WritableStream lacks destroy(); the SDK passes its request
    this.#request.once('close', () => this.#fail(new StoreUnavailable('The connection closed before the whole body was sent')))
    this.#source.on('data', this.#send)
    return destination
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#fail(new StoreUnavailable('The request was aborted', { cause: error }))
    this.#source.off('data', this.#send)
    this.#unwatch()
    this.#source.on('error', () => {}) // a late error would end the process
    this.#request?.destroy()
    done(error)
  }

  readonly #send = (chunk: Buffer): void => {
    if (this.#isSettled) return
    this.#received += chunk.length
    this.crc32 = crc32(chunk, this.crc32)
    if (this.#received > this.#length) this.#fail(new WrongLength(`The body is longer than ${this.#length} bytes`))
    else if (this.#received === this.#length) this.#last = chunk
    else this.#write(chunk)
  }

  #write(chunk: Buffer): void {
    this.#pending += chunk.length
    if (this.#pending >= PAUSE_BYTES) this.#source.pause()
    this.#request?.write(chunk, (error) => {
      if (error) return
      this.#pending -= chunk.length
      if (this.#ownsChunks) release(chunk)
      if (this.#pending <= RESUME_BYTES && !this.#isSettled) this.#source.resume()
    })
  }

  #end(): void {
    if (this.#isSettled) return
    if (this.#last) this.#sendLast(this.#last)
    else this.#fail(new WrongLength(`The body ended after ${this.#received} of ${this.#length} bytes`))
  }

  #sendLast(chunk: Buffer): void {
    this.#isSettled = true
    this.#request?.end(chunk, () => this.#ownsChunks && release(chunk))
    this.#settle.resolve()
  }

  #fail(error: Error): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settle.reject(error)
  }
}
