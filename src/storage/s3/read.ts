import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { type ByteRange, StoreUnavailable, WrongLength } from '../object-store.ts'
import type { S3Clients } from './client.ts'
import { rethrow, s3Error, statusOf } from './errors.ts'

const BUFFERED = 256 * 1024

/** Opens an object, or a range that must lie in it whole. Throws ObjectMissing, WrongLength when it ends before the range does, or StoreUnavailable. */
export async function openObject(
  { download, bucket, silence: { object: silence } }: S3Clients,
  key: string,
  range?: ByteRange,
): Promise<Readable> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooLong(silence)), silence)
  const command = new GetObjectCommand({ Bucket: bucket, Key: key, ...(range && { Range: `bytes=${range.start}-${range.end}` }) })
  try {
    const { Body, ContentLength } = await download.send(command, { abortSignal: late.signal })
    return checked(Body as IncomingMessage, ContentLength, range, silence)
  } catch (error) {
    if (statusOf(error) === 416) throw new WrongLength('The object ends before the range', { cause: error })
    return rethrow(late.signal.aborted ? late.signal.reason : error)
  } finally {
    clearTimeout(timer)
  }
}

/** Refuses what a server sends that does not know ranges, or whose object is shorter than the range. */
function checked(source: IncomingMessage, length: number | undefined, range: ByteRange | undefined, silence: number): Readable {
  const wanted = range ? range.end - range.start + 1 : length
  if (length !== undefined && length === wanted) return new ObjectBody(source, length, silence)
  source.on('error', () => {}).destroy()
  if (length === undefined || length > wanted!) throw new StoreUnavailable(`S3 answered ${length} bytes where ${wanted} were asked for`)
  throw new WrongLength(`The object has ${length} bytes where ${wanted} were asked for`)
}

/** The bytes of one answer, with the store's errors. Fails when nothing comes for a minute while the reader waits: a reader that takes its time is no fault. */
class ObjectBody extends Readable {
  readonly #source: IncomingMessage
  readonly #silence: NodeJS.Timeout
  #left: number
  #waiting = false

  constructor(source: IncomingMessage, length: number, silence: number) {
    super({ highWaterMark: BUFFERED })
    this.#source = source
    this.#left = length
    this.#silence = setTimeout(() => this.#waiting && this.destroy(tooLong(silence)), silence).unref()
    source.on('data', (chunk) => this.#take(chunk))
    source.pause()
    source.once('end', () => this.#end())
    source.once('error', (error) => this.destroy(s3Error(error)))
    source.once('close', () => this.#end())
  }

  override _read(): void {
    this.#waiting = true
    this.#silence.refresh()
    this.#source.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#silence)
    this.#source.on('error', () => {}).destroy()
    done(error)
  }

  #take(chunk: Buffer): void {
    this.#left -= chunk.length
    this.#silence.refresh()
    if (this.push(chunk)) return
    this.#waiting = false
    this.#source.pause()
  }

  #end(): void {
    if (this.#left === 0) this.push(null)
    else this.destroy(new StoreUnavailable(`S3 stopped ${this.#left} bytes before the end`))
  }
}

function tooLong(silence: number): StoreUnavailable {
  return new StoreUnavailable(`S3 sent nothing for ${silence} ms`)
}

/** Fills `target` with the object's bytes from `start` on; see `ObjectStore.readInto`. */
export async function readInto(clients: S3Clients, key: string, start: number, target: Uint8Array): Promise<void> {
  const body = await openObject(clients, key, { start, end: start + target.length - 1 })
  let filled = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    target.set(chunk, filled)
    filled += chunk.length
  }
}
