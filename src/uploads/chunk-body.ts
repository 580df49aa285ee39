import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { watchIdle } from './request-body.ts'

/** The bytes of a chunk, and how many these are. */
export interface ChunkBody {
  body: Readable
  length: number
  /** It came as text, from a client of before 2024. */
  isText: boolean
}

/** How a browser begins what it makes of bytes without a type (RFC 2397). Files that begin so are as good as none. */
const usual = 'data:application/octet-stream;base64,'
const anyDataUrl = /^data:[^,]*;base64,/
/** Bytes that are held in memory rather than looked into. */
const small = 65_536

/**
 * The bytes of a request that sends a chunk, at most `largest`: as they stand, or the Base64 of a `data:` URL. What announces its length streams; other
 * bodies, and text, are held in memory. Throws `payload_too_large` and `request_timeout`.
 */
export async function chunkBody(request: FastifyRequest, largest: number): Promise<ChunkBody> {
  const { body } = request
  if (!(body instanceof Readable)) return whole(Buffer.alloc(0))
  body.on('error', () => {}) // of a body that nobody reads yet
  const idle = watchIdle(request)
  idle.watch()
  try {
    const length = Number(request.headers['content-length'] ?? 0)
    const isText = /^text\//i.test(request.headers['content-type'] ?? '')
    const maybeText = isText || length < small || (await peek(body, usual.length)) === usual
    if (!maybeText) return streamed(body, length, largest)
    const bytes = await gather(body, Math.ceil(largest / 3) * 4 + small)
    const decoded = decode(bytes, isText ? anyDataUrl : new RegExp(`^${usual}`))
    if (decoded) return { ...whole(decoded), isText: true }
    if (bytes.length > largest) throw new AppError('payload_too_large')
    return whole(bytes)
  } finally {
    idle.rest()
  }
}

function whole(bytes: Buffer): ChunkBody {
  return { body: Readable.from(bytes.length > 0 ? [bytes] : []), length: bytes.length, isText: false }
}

function streamed(body: Readable, length: number, largest: number): ChunkBody {
  if (length > largest) throw new AppError('payload_too_large')
  return { body, length, isText: false }
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

/** All of a stream, up to `most` bytes. */
async function gather(stream: Readable, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cut = () => reject(new AppError('request_timeout'))
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > most) reject(new AppError('payload_too_large'))
    else chunks.push(chunk)
  })
  stream.once('end', resolve).once('close', cut).once('error', cut)
  await promise
  return Buffer.concat(chunks)
}

/** The bytes that a data URL stands for; null for what is none. */
function decode(text: Buffer, prefix: RegExp): Buffer | null {
  const [start] = prefix.exec(text.toString('latin1', 0, 1000)) ?? []
  const base64 = start === undefined ? '' : text.toString('latin1', start.length).trimEnd()
  if (start === undefined || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null
  return Buffer.from(base64, 'base64')
}
