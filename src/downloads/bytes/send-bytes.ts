import type { Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { ByteRange } from '../../storage/object-store.ts'
import { evaluateConditions, rangeApplies } from './conditions.ts'
import { parseRange } from './ranges.ts'

/** Bytes that can be sent, whole or in part. */
export interface Representation {
  size: number
  /** Strong and quoted. */
  etag: string
  modified: Date
  /** Content-Type, Content-Disposition and what else belongs to it. */
  headers: Record<string, string>
  send(range: ByteRange, to: Writable): Promise<void>
  /** Runs once the range is known, before any byte of it; what it throws is the reply. */
  beforeSending?(range: ByteRange): Promise<void>
}

/**
 * Answers GET and HEAD of bytes with Range and conditions (RFC 9110). What fails before the first byte is an error like any other; after it the connection is
 * cut, so that nobody takes a part for the whole. Throws `precondition_failed` and `range_not_satisfiable`.
 */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Representation): Promise<void> {
  const { size, etag, modified } = bytes
  const validators = { etag, 'last-modified': modified.toUTCString(), 'accept-ranges': 'bytes', ...bytes.headers }
  const outcome = evaluateConditions(request.headers, bytes)
  if (outcome === 412) throw new AppError('precondition_failed')
  if (outcome === 304) return answer(request, reply, 304, validators)
  const asked = rangeApplies(request.headers, bytes) ? parseRange(request.headers.range, size) : null
  if (asked === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError('range_not_satisfiable')
  }
  const range = asked ?? { start: 0, end: size - 1 }
  await bytes.beforeSending?.(range)
  const headers = { ...validators, 'content-length': String(range.end - range.start + 1) }
  if (asked) return answer(request, reply, 206, { ...headers, 'content-range': `bytes ${range.start}-${range.end}/${size}` }, bytes, range)
  return answer(request, reply, 200, headers, bytes, range)
}

/** Past Fastify, which would buffer and copy: the headers are set by hand, and the store writes to the response itself. */
async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  bytes?: Representation,
  range?: ByteRange,
): Promise<void> {
  const { raw } = reply
  const before = raw.getHeaderNames()
  raw.statusCode = status
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) if (value !== undefined) raw.setHeader(name, value)
  let clientGone = raw.destroyed
  raw.once('close', () => {
    clientGone = true
  })
  try {
    if (bytes && range && range.end >= range.start && request.method !== 'HEAD') await bytes.send(range, raw)
    raw.end()
  } catch (error) {
    if (!raw.headersSent && !raw.destroyed) {
      for (const name of raw.getHeaderNames()) if (!before.includes(name)) raw.removeHeader(name)
      throw error
    }
    raw.destroy()
    if (!clientGone && !isConnectionError(error)) request.log.error({ err: error }, 'download aborted: bytes could not be read')
  }
  reply.hijack()
}

const connectionErrors = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

/**
 * Whether the client's connection failed. A failed write is reported before the response's event
 * `close`. Errors of the store have their own classes, without such a code.
 */
function isConnectionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && connectionErrors.has(String(error.code))
}
