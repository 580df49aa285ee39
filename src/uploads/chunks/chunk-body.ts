import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { addressKey } from '../../http/networks.ts'
import { readPacer, watchIdle } from '../request-body.ts'
import { DataUrlCheck, decodeDataUrl, octetsPrefix } from './data-url.ts'
import { HeldBytes } from './held-bytes.ts'
import { holdChunk } from './held-chunks.ts'

/** The bytes of a chunk, and how many these are. */
export interface ChunkBody {
  body: Readable
  length: number
  /** It came as text, from a client of before 2024. */
  isText: boolean
  /** To be called when the bytes are not needed any more. */
  release(): void
}

/** Bytes that are held in memory without a limit on how many requests do so. */
const small = 65_536

/**
 * Reads the bytes of a request that sends a chunk, at most `largest`: as they stand, or decoded from the Base64 of a `data:` URL. A body that announces its
 * length streams; text and other bodies are held in memory, by few requests at once (see `holdChunk`).
 *
 * @throws `payload_too_large`, `request_timeout`, `unavailable`.
 */
export async function chunkBody(request: FastifyRequest, largest: number): Promise<ChunkBody> {
  const { body, headers } = request
  if (!(body instanceof Readable)) return held(new HeldBytes())
  body.on('error', () => {}) // of a body that is not read yet
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  const isText = /^text\//i.test(headers['content-type'] ?? '')
  const idle = watchIdle(request)
  const pace = readPacer(request)
  idle.watch()
  try {
    if (length !== undefined && length < small) return await gather(body, isText, small, pace)
    if (length !== undefined && !isText && (await peek(body, octetsPrefix.length)) !== octetsPrefix) return streamed(body, length, largest)
  } finally {
    idle.rest()
  }
  const release = await holdChunk((await callerOf(request))?.userId ?? addressKey(request.ip))
  idle.watch()
  try {
    return { ...(await gather(body, isText, largest, pace)), release }
  } catch (error) {
    release()
    throw error
  } finally {
    idle.rest()
  }
}

function held(bytes: HeldBytes): ChunkBody {
  return { body: Readable.from(bytes.take()), length: bytes.length, isText: false, release() {} }
}

function streamed(body: Readable, length: number, largest: number): ChunkBody {
  if (length > largest) throw new AppError('payload_too_large')
  return { body, length, isText: false, release() {} }
}

/** The first `count` bytes of a stream that has more; they stay in it. Less when it is cut. */
async function peek(stream: Readable, count: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (stream.readableLength >= count) resolve()
  }
  stream.on('readable', look).once('close', resolve)
  look()
  await promise
  stream.off('readable', look).off('close', resolve)
  const bytes: Buffer | null = stream.read(count)
  if (bytes) stream.unshift(bytes)
  return bytes?.toString('latin1') ?? ''
}

/** Holds all of a stream, up to `largest` bytes after decoding. Decodes when the bytes are used, so nothing is held twice. */
async function gather(stream: Readable, isText: boolean, largest: number, pace: () => void): Promise<ChunkBody> {
  const textMax = Math.ceil(largest / 3) * 4 + small
  const [bytes, check] = [new HeldBytes(), new DataUrlCheck(isText)]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cut = () => reject(new AppError('request_timeout'))
  if (stream.destroyed) cut()
  const take = (piece: Buffer) => {
    pace()
    if (bytes.length + piece.length > textMax) return reject(new AppError('payload_too_large'))
    bytes.add(piece)
    check.add(piece.toString('latin1'))
  }
  stream.on('data', take).once('end', resolve).once('close', cut).once('error', cut)
  await promise.finally(() => stream.off('data', take))
  const url = check.end()
  if ((url?.bytes ?? bytes.length) > largest) throw new AppError('payload_too_large')
  if (!url) return held(bytes)
  return { body: Readable.from(decodeDataUrl(bytes.take(), url.start)), length: url.bytes, isText: true, release() {} }
}
