import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { type ByteRange, StoreUnavailable, WrongLength } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { s3Error, statusOf, throwS3Error } from './errors.ts'

const BUFFER_BYTES = 256 * 1024

interface OpenObject {
  body: Readable
  /** Bytes of the whole object; null if the server does not report them. */
  size: number | null
}

/**
 * Opens an object, or a range that must lie inside it.
 *
 * @throws {ObjectMissing}
 * @throws {WrongLength} the object ends before the range
 * @throws {StoreUnavailable}
 */
export async function openObject(
  { download, bucket, idleTimeout: { object: timeout } }: S3Clients,
  key: string,
  range?: ByteRange,
): Promise<OpenObject> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(idleError(timeout)), timeout)
  const command = new GetObjectCommand({ Bucket: bucket, Key: key, ...(range && { Range: `bytes=${range.start}-${range.end}` }) })
  try {
    const { Body, ContentLength, ContentRange } = await download.send(command, { abortSignal: abort.signal })
    const body = checked(Body as IncomingMessage, ContentLength, range, timeout)
    return { body, size: ContentRange === undefined ? (ContentLength ?? null) : totalOf(ContentRange) }
  } catch (error) {
    if (statusOf(error) === 416) throw new WrongLength('The object ends before the range', { cause: error })
    return throwS3Error(abort.signal.aborted ? abort.signal.reason : error)
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the total of a header such as `bytes 0-9/20`; null if it is unknown. */
function totalOf(contentRange: string): number | null {
  const total = /\/(\d+)$/.exec(contentRange)?.[1]
  return total === undefined ? null : Number(total)
}

/**
 * Refuses the response of a server without support for ranges, or of an object shorter than the
 * range.
 */
function checked(source: IncomingMessage, length: number | undefined, range: ByteRange | undefined, timeout: number): Readable {
  const expected = range ? range.end - range.start + 1 : length
  if (length !== undefined && length === expected) return new ObjectBody(source, length, timeout)
  source.on('error', () => {}).destroy()
  if (length === undefined || expected === undefined || length > expected)
    throw new StoreUnavailable(`S3 returned ${length} bytes instead of ${expected}`)
  throw new WrongLength(`The object has ${length} bytes instead of ${expected}`)
}

/**
 * The body of one response, with the store's errors. Fails if nothing arrives for a minute while
 * the reader waits; slow readers are fine.
 */
class ObjectBody extends Readable {
  readonly #source: IncomingMessage
  readonly #timer: NodeJS.Timeout
  #left: number
  #isWaiting = false

  constructor(source: IncomingMessage, length: number, timeout: number) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#source = source
    this.#left = length
    this.#timer = setTimeout(() => this.#isWaiting && this.destroy(idleError(timeout)), timeout).unref()
    source.on('data', (chunk) => this.#receive(chunk))
    source.pause()
    source.once('end', () => this.#end())
    source.once('error', (error) => this.destroy(s3Error(error)))
    source.once('close', () => this.#end())
  }

  override _read(): void {
    this.#isWaiting = true
    this.#timer.refresh()
    this.#source.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#source.on('error', () => {}).destroy()
    done(error)
  }

  #receive(chunk: Buffer): void {
    this.#left -= chunk.length
    this.#timer.refresh()
    if (this.push(chunk)) return
    this.#isWaiting = false
    this.#source.pause()
  }

  #end(): void {
    if (this.#left === 0) this.push(null)
    else this.destroy(new StoreUnavailable(`S3 stopped ${this.#left} bytes before the end`))
  }
}

function idleError(timeout: number): StoreUnavailable {
  return new StoreUnavailable(`S3 sent nothing for ${timeout} ms`)
}

/** Implements `ObjectStore.readInto`. */
export async function readInto(clients: S3Clients, key: string, start: number, target: Uint8Array): Promise<void> {
  const { body } = await openObject(clients, key, { start, end: start + target.length - 1 })
  let filled = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    target.set(chunk, filled)
    filled += chunk.length
  }
}
