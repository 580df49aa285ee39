import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { addressKey } from '../../http/networks.ts'
import { idleWatch, readPacer } from '../request-body.ts'
import { DataUrlCheck, decodeDataUrl, octetsPrefix } from './data-url.ts'
import { HeldBytes } from './held-bytes.ts'
import { holdChunk } from './held-chunks.ts'

/** The bytes of a chunk. */
export interface ChunkBody {
  body: Readable
  /** Bytes of `body`. */
  length: number
  /** Whether it was sent as text, by a client from before 2024. */
  isText: boolean
  /** Must be called once the bytes are no longer needed. */
  release(): void
}

/** Bodies below this many bytes are held in memory by any number of requests. */
const smallBody = 65_536

/**
 * Reads the chunk that a request sends, at most `maxLength` bytes: raw, or decoded from the Base64
 * of a `data:` URL. A raw body of announced length is streamed. Others are held in memory, by few
 * requests at once (see `holdChunk`).
 *
 * @throws {AppError} payload_too_large
 * @throws {AppError} request_timeout: the body was cut
 * @throws {AppError} unavailable: too many requests wait
 */
export async function chunkBody(request: FastifyRequest, maxLength: number): Promise<ChunkBody> {
  const { body, headers } = request
  if (!(body instanceof Readable)) return held(new HeldBytes())
  body.on('error', () => {}) // a body may fail before it is read
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (length !== undefined && length > maxTextLength(maxLength)) throw new AppError('payload_too_large')
  const isText = /^text\//i.test(headers['content-type'] ?? '')
  const idle = idleWatch(request)
  const pace = readPacer(request)
  idle.start()
  try {
    if (length !== undefined && length < smallBody) return await gather(body, isText, smallBody, pace)
    if (length !== undefined && !isText && (await peek(body, octetsPrefix.length)) !== octetsPrefix)
      return streamed(body, length, maxLength)
  } finally {
    idle.stop()
  }
  const release = await holdChunk((await callerOf(request))?.userId ?? addressKey(request.ip))
  idle.start()
  try {
    return { ...(await gather(body, isText, maxLength, pace)), release }
  } catch (error) {
    release()
    throw error
  } finally {
    idle.stop()
  }
}

function held(bytes: HeldBytes): ChunkBody {
  return { body: Readable.from(bytes.take()), length: bytes.length, isText: false, release() {} }
}

function streamed(body: Readable, length: number, maxLength: number): ChunkBody {
  if (length > maxLength) throw new AppError('payload_too_large')
  return { body, length, isText: false, release() {} }
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

/**
 * Holds a whole stream, up to `maxLength` bytes after decoding. Decoding happens on use, so that
 * nothing is held twice.
 */
async function gather(stream: Readable, isText: boolean, maxLength: number, pace: () => void): Promise<ChunkBody> {
  const maxText = maxTextLength(maxLength)
  const [bytes, check] = [new HeldBytes(), new DataUrlCheck(isText)]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cut = () => reject(new AppError('request_timeout'))
  if (stream.destroyed) cut()
  const add = (piece: Buffer) => {
    pace()
    if (bytes.length + piece.length > maxText) return reject(new AppError('payload_too_large'))
    bytes.add(piece)
    check.add(piece.toString('latin1'))
  }
  stream.on('data', add).once('end', resolve).once('close', cut).once('error', cut)
  await promise.finally(() => stream.off('data', add))
  const url = check.end()
  if ((url?.bytes ?? bytes.length) > maxLength) throw new AppError('payload_too_large')
  if (!url) return held(bytes)
  return { body: Readable.from(decodeDataUrl(bytes.take(), url.start)), length: url.bytes, isText: true, release() {} }
}
