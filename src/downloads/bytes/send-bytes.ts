import type { Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { type ByteRange, DamagedObject } from '../../storage/object-store.ts'
import { evaluateConditions, rangeApplies } from './conditions.ts'
import { parseRange } from './ranges.ts'

/** How a proxy is made to send bytes. */
export interface HandOver {
  headers: Record<string, string>
  /** Runs before the response. An error it throws becomes the response. */
  begin(range: ByteRange): Promise<void>
}

/** Bytes that can be sent completely or in part. */
export interface Representation {
  size: number
  /** Strong and quoted. */
  etag: string
  modified: Date
  /** Content-Type, Content-Disposition and so on. */
  headers: Record<string, string>
  /** Lets a proxy send the bytes, and select the range; null: this server sends them. */
  handOver?: HandOver | null
  /** Sends a range. Awaits `onOpen` once the bytes are known to exist, before the first one. */
  send(range: ByteRange, to: Writable, onOpen: () => Promise<void>): Promise<void>
  /** Checks that the bytes exist, for responses without any. */
  check(range: ByteRange): Promise<void>
  /** Runs before the head of the response. An error it throws becomes the response. */
  beforeSending?(range: ByteRange): Promise<void>
}

/**
 * Responds to GET and HEAD of bytes, with Range and conditions (RFC 9110). A failure before the
 * first byte becomes an error response. After it the connection is cut, so that no client takes a
 * part for the whole.
 *
 * @throws {AppError} precondition_failed
 * @throws {AppError} range_not_satisfiable
 */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Representation): Promise<void> {
  const { size, etag, modified } = bytes
  const validators = { etag, 'last-modified': modified.toUTCString(), 'accept-ranges': 'bytes', ...bytes.headers }
  const outcome = evaluateConditions(request.headers, bytes)
  if (outcome === 412) throw new AppError('precondition_failed')
  if (outcome === 304) return respond(request, reply, 304, validators)
  const requested = rangeApplies(request.headers, bytes) ? parseRange(request.headers.range, size) : null
  if (requested === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError('range_not_satisfiable')
  }
  const range = requested ?? { start: 0, end: size - 1 }
  const { handOver } = bytes
  if (handOver && isForProxy(request, range)) {
    const { 'accept-ranges': _, ...described } = validators // nginx adds it
    return respond(request, reply, 200, { ...described, ...handOver.headers }, async (begin) => {
      await bytes.check(range)
      await handOver.begin(range)
      begin()
    })
  }
  const headers = { ...validators, 'content-length': String(range.end - range.start + 1) }
  const send = (begin: () => void) => sendRange(request, bytes, range, reply.raw, begin)
  if (requested) return respond(request, reply, 206, { ...headers, 'content-range': `bytes ${range.start}-${range.end}/${size}` }, send)
  return respond(request, reply, 200, headers, send)
}

/**
 * Returns whether a proxy may send the bytes. Probes of the first byte count no view, so they get no
 * more than that byte. Proxies don't know the validators when they check `If-Match`.
 */
function isForProxy({ method, headers }: FastifyRequest, { end }: ByteRange): boolean {
  return method === 'GET' && end > 0 && headers['if-match'] === undefined
}

/** Sends the range if the response has a body, and only checks it otherwise. */
async function sendRange(
  { method }: FastifyRequest,
  bytes: Representation,
  range: ByteRange,
  to: Writable,
  begin: () => void,
): Promise<void> {
  const onOpen = async () => {
    await bytes.beforeSending?.(range)
    begin()
  }
  if (range.end >= range.start && method !== 'HEAD') return bytes.send(range, to, onOpen)
  await bytes.check(range)
  await onOpen()
}

/**
 * Bypasses Fastify, which would buffer and copy: `begin` sets the headers, and the store writes to
 * the response.
 */
async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  send: (begin: () => void) => Promise<void> = async (begin) => begin(),
): Promise<void> {
  const { raw } = reply
  const namesBefore = raw.getHeaderNames()
  let hasClosed = raw.destroyed
  raw.once('close', () => {
    hasClosed = true
  })
  try {
    await send(() => setHeaders(reply, status, headers))
    raw.end()
  } catch (error) {
    if (!raw.headersSent && !raw.destroyed) {
      for (const name of raw.getHeaderNames()) if (!namesBefore.includes(name)) raw.removeHeader(name)
      throw error
    }
    raw.destroy()
    if (!hasClosed && !isConnectionError(error) && !(error instanceof DamagedObject))
      request.log.error({ err: error }, 'download aborted: bytes could not be read')
  }
  reply.hijack()
}

function setHeaders(reply: FastifyReply, status: number, headers: Record<string, string>): void {
  reply.raw.statusCode = status
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers }))
    if (value !== undefined) reply.raw.setHeader(name, value)
}

const connectionErrors = new Set(['ECANCELED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

/**
 * Whether the client's connection failed. A failed write is reported before the response's event
 * `close`. Errors of the store have their own classes, without such a code.
 */
function isConnectionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && connectionErrors.has(String(error.code))
}
