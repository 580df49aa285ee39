import { type ClientRequest, IncomingMessage } from 'node:http'
import { finished, Readable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import { StoreUnavailable, WrongLength } from '../object-store.ts'
import { drainBody } from '../streams/receive.ts'
import { release } from '../streams/release.ts'
import { s3Error } from './errors.ts'

/** Bytes handed to the connection and not yet with the kernel: beyond this the source waits. */
const MOST_UNDER_WAY = 512 * 1024
const FEW_UNDER_WAY = 256 * 1024

type Send<T> = (body: Readable, signal: AbortSignal) => Promise<T>

/**
 * Sends exactly `length` bytes of `source` as the body of one request of the SDK, and takes their CRC-32. The SDK itself waits for ever when its source
 * fails, and writes what is too much on the kept connection, where a server reads it as another request. Throws WrongLength when the source is cut, short,
 * long or stalls, and the store's error for anything else; then the connection is closed and the source given up (see `drainBody`).
 */
export async function sendExact<T>(source: Readable, length: number, send: Send<T>): Promise<{ answer: T; crc32: number }> {
  const body = new ExactBody(source, length)
  const stopped = new AbortController()
  body.whole.catch((error) => stopped.abort(error))
  try {
    const answer = await send(body, stopped.signal)
    await body.whole
    return { answer, crc32: body.crc32 }
  } catch (error) {
    const { name } = error as Error
    const starved = name === 'TimeoutError' && body.starved
    body.destroy()
    drainBody(source, length)
    if (starved) throw new WrongLength('The body stalled', { cause: error })
    throw s3Error(name === 'AbortError' && stopped.signal.aborted ? stopped.signal.reason : error)
  }
}

/** A stream for the SDK, which calls nothing but `pipe`: the chunks go straight to its request, and each is given back when it is with the kernel. */
class ExactBody extends Readable {
  crc32 = 0
  /** Resolves when the last byte has been handed to the request, and the source has ended there. */
  readonly whole: Promise<void>
  readonly #source: Readable
  readonly #length: number
  readonly #ownsChunks: boolean
  readonly #unwatch: () => void
  readonly #settle: PromiseWithResolvers<void>
  #request: ClientRequest | undefined
  #taken = 0
  #underWay = 0
  /** The chunk that completes the body, kept until it is sure that nothing follows. */
  #last: Buffer | undefined
  #done = false

  constructor(source: Readable, length: number) {
    super()
    this.#source = source
    this.#length = length
    this.#ownsChunks = source instanceof IncomingMessage
    this.#settle = Promise.withResolvers()
    this.whole = this.#settle.promise
    this.#unwatch = finished(source, { writable: false }, (error) => {
      if (error) this.#fail(new WrongLength(`The body was cut: ${error.message}`, { cause: error }))
      else this.#end()
    })
  }

  /** Whether all that came has been sent, and more is missing. */
  get starved(): boolean {
    return !this.#done && this.#underWay === 0
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    if (this.#request) throw new TypeError('A body can be sent once')
    this.#request = destination as unknown as ClientRequest
    this.#request.once('close', () => this.#fail(new StoreUnavailable('The connection closed before all was sent')))
    this.#source.on('data', this.#take)
    return destination
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#fail(new StoreUnavailable('The request was given up', { cause: error }))
    this.#source.off('data', this.#take)
    this.#unwatch()
    this.#source.on('error', () => {}) // of a source that nobody watches any more
    this.#request?.destroy()
    done(error)
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#done) return
    this.#taken += chunk.length
    this.crc32 = crc32(chunk, this.crc32)
    if (this.#taken > this.#length) this.#fail(new WrongLength(`The body is longer than ${this.#length} bytes`))
    else if (this.#taken === this.#length) this.#last = chunk
    else this.#write(chunk)
  }

  #write(chunk: Buffer): void {
    this.#underWay += chunk.length
    if (this.#underWay >= MOST_UNDER_WAY) this.#source.pause()
    this.#request?.write(chunk, (error) => {
      if (error) return
      this.#underWay -= chunk.length
      if (this.#ownsChunks) release(chunk)
      if (this.#underWay <= FEW_UNDER_WAY && !this.#done) this.#source.resume()
    })
  }

  #end(): void {
    if (this.#done) return
    if (this.#last) this.#sendLast(this.#last)
    else this.#fail(new WrongLength(`The body ended after ${this.#taken} of ${this.#length} bytes`))
  }

  #sendLast(chunk: Buffer): void {
    this.#done = true
    this.#request?.end(chunk, () => this.#ownsChunks && release(chunk))
    this.#settle.resolve()
  }

  #fail(error: Error): void {
    if (this.#done) return
    this.#done = true
    this.#settle.reject(error)
  }
}
