import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { AppError, type ErrorCode } from '../errors.ts'
import { errorBody } from './error-handler.ts'
import { replyHeaders } from './reply-headers.ts'

const codes: Record<string, ErrorCode> = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' }

const linger = 1_000 // ms

/** A request's URL. A path with an escape that stands for no UTF-8 (RFC 3986, 2.1) names nothing here: its `%` is taken as it stands, so that it is a 404 like others. */
export function decodableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (!url.includes('%')) return url
  const end = url.search(/[?#]|$/)
  const path = url.slice(0, end)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(end)
  }
}

/** Answers what is no HTTP request, or did not come in time, as every other error is answered, and hangs up. */
export function refuseMalformed(error: Pick<ConnectionError, 'code'>, socket: Socket): void {
  if (socket.writableEnded) return
  // Into an answer that is on its way nothing is mixed: node:http keeps it here.
  const isAnswering = '_httpMessage' in socket && socket._httpMessage !== null
  if (isAnswering || error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseConnection(socket, new AppError((Object.hasOwn(codes, error.code) && codes[error.code]) || 'malformed_request'))
}

/** Sends an error response over a connection that has no request, and closes it. */
export function refuseConnection(socket: Socket, error: AppError): void {
  const { statusCode, ...body } = errorBody(error)
  const { retryAfter } = error.details
  const text = JSON.stringify({ statusCode, ...body })
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Connection: close',
    ...(typeof retryAfter === 'number' ? [`Retry-After: ${Math.ceil(retryAfter)}`] : []),
    ...Object.entries(replyHeaders).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  // Closing at once, with bytes still coming in, would take the response from the client.
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.resume()
  setTimeout(() => socket.destroy(), linger).unref()
}
