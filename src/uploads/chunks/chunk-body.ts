import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { HeldBytes } from '../../http/held-bytes.ts'
import { addressKey } from '../../http/networks.ts'
import { asTimeout, idleWatch } from '../request-body.ts'
import { DataUrlCheck, decodeDataUrl, octetsPrefix } from './data-url.ts'
import { reserveSpool } from './spool-slots.ts'
import { SpooledBytes } from './spooled-bytes.ts'

/** The bytes of a chunk. */
export interface ChunkBody {
  body: Readable
  /** Bytes of `body`. */
  length: number
  /** Whether it was sent as text, by a client from before 2024. */
  isText: boolean
  /** Must be called once the bytes are no longer needed. */
  release(): Promise<void>
}

/** Bodies of announced lengths below this many bytes are held in memory. */
const smallBody = 65_536

/**
 * Reads the chunk that a request sends, at most `maxLength` bytes: raw, or decoded from the Base64
 * of a `data:` URL. A raw body of announced length is streamed. The length of others is known, and
 * whether they are Base64 at all, only at their end. So they are kept in a temporary file in
 * `folder`, for few requests at once (see `reserveSpool`).
 *
 * @throws {AppError} payload_too_large
 * @throws {AppError} request_timeout: the body was cut
 * @throws {AppError} unavailable: too many requests wait
 * @throws {StoreFull} the temporary file has no room
 */
export async function chunkBody(request: FastifyRequest, maxLength: number, folder: string): Promise<ChunkBody> {
  const { body, headers } = request
  if (!(body instanceof Readable)) return { body: Readable.from([]), length: 0, isText: false, release }
  body.on('error', () => {}) // a body may fail before it is read
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (length !== undefined && length > maxTextLength(maxLength)) throw new AppError('payload_too_large')
  const isText = /^text\//i.test(headers['content-type'] ?? '')
  const idle = idleWatch(request)
  idle.start()
  try {
    if (length !== undefined && length < smallBody) return await hold(body, isText)
    if (length !== undefined && !isText && (await peek(body, octetsPrefix.length)) !== octetsPrefix)
      return streamed(body, length, maxLength)
  } finally {
    idle.stop()
  }
  const leave = await reserveSpool((await callerOf(request))?.userId ?? addressKey(request.ip))
  idle.start()
  try {
    return await spool(body, { isText, maxLength, folder }, leave)
  } catch (error) {
    leave()
    throw asTimeout(error)
  } finally {
    idle.stop()
  }
}

async function release(): Promise<void> {}

function streamed(body: Readable, length: number, maxLength: number): ChunkBody {
  if (length > maxLength) throw new AppError('payload_too_large')
  return { body, length, isText: false, release }
}

/** Returns the maximum length in bytes of a `data:` URL for `maxLength` bytes. */
function maxTextLength(maxLength: number): number {
  return Math.ceil(maxLength / 3) * 4 + smallBody
}

/** Returns the first `count` bytes of a longer stream without removing them; fewer if it is cut. */
async function peek(stream: Readable, count: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => {
    if (stream.readableLength >= count) resolve()
  }
  stream.on('readable', check).once('close', resolve)
  check()
  await promise
  stream.off('readable', check).off('close', resolve)
  const bytes: Buffer | null = stream.read(count)
  if (bytes) stream.unshift(bytes)
  return bytes?.toString('latin1') ?? ''
}

/** Holds a small body in memory. */
async function hold(stream: Readable, isText: boolean): Promise<ChunkBody> {
  const [bytes, check] = [new HeldBytes(), new DataUrlCheck(isText)]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cut = () => reject(new AppError('request_timeout'))
  if (stream.destroyed) cut()
  const add = (piece: Buffer) => {
    bytes.add(piece)
    check.add(piece.toString('latin1'))
  }
  stream.on('data', add).once('end', resolve).once('close', cut).once('error', cut)
  await promise.finally(() => stream.off('data', add))
  return { ...content(check, bytes.length, () => bytes.take()), release }
}

/** Keeps a body in a temporary file, up to `maxLength` bytes after decoding. */
async function spool(
  stream: Readable,
  options: { isText: boolean; maxLength: number; folder: string },
  leave: () => void,
): Promise<ChunkBody> {
  const { isText, maxLength, folder } = options
  const [maxText, check] = [maxTextLength(maxLength), new DataUrlCheck(isText)]
  let received = 0
  const file = await SpooledBytes.of(stream, folder, (piece) => {
    received += piece.length
    if (received > maxText) throw new AppError('payload_too_large')
    check.add(piece.toString('latin1'))
  })
  const decoded = content(check, received, () => file.read())
  const release = () => file.delete().finally(leave)
  if (decoded.length <= maxLength) return { ...decoded, release }
  await file.delete()
  throw new AppError('payload_too_large')
}

/** Returns the bytes that a text encodes, or the text itself if it is no `data:` URL. */
function content(check: DataUrlCheck, length: number, read: () => Iterable<Buffer> | AsyncIterable<Buffer>): Omit<ChunkBody, 'release'> {
  const url = check.end()
  if (!url) return { body: Readable.from(read()), length, isText: false }
  return { body: Readable.from(decodeDataUrl(read(), url.start)), length: url.bytes, isText: true }
}
