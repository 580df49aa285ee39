import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, onRequestHookHandler } from 'fastify'
import { AppError, type ErrorCode } from '../errors.ts'
import { errorBody } from './error-handler.ts'
import { replyHeaders } from './reply-headers.ts'

const codes: Record<string, ErrorCode> = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' }

const linger = 1_000 // ms

/**
 * Refuses a request with more than one `Host` line (RFC 9112, 3.2), because a proxy and this
 * server could read different ones.
 * @throws {AppError} malformed_request: there are several
 */
export const refuseSecondHost: onRequestHookHandler = ({ raw }, _reply, done) => {
  let hosts = 0
  for (let at = 0; at < raw.rawHeaders.length; at += 2) if (raw.rawHeaders[at]?.toLowerCase() === 'host') hosts++
  done(hosts > 1 ? new AppError('malformed_request') : undefined)
}

/** Ignores the content type of an empty body, because some clients name one for every POST. */
export const ignoreTypeOfEmptyBody: onRequestHookHandler = ({ headers }, _reply, done) => {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  if (type !== undefined && length === '0' && encoding === undefined) delete headers['content-type']
  done()
}

/**
 * Returns a request's URL. Percent-encoding that is not UTF-8 (RFC 3986, 2.1) is passed through
 * literally, so that the request ends as a 404.
 */
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

/** Responds to bytes that are not HTTP, or came too late, with a JSON error, and disconnects. */
export function refuseMalformed(error: Pick<ConnectionError, 'code'>, socket: Socket): void {
  if (socket.writableEnded) return
  // node:http keeps the current response in _httpMessage. An error must not be written into it.
  const isResponding = '_httpMessage' in socket && socket._httpMessage !== null
  if (isResponding || error.code === 'ECONNRESET' || !socket.writable) {
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
  // Closing at once would reset the connection, and the client would lose the response.
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.resume()
  setTimeout(() => socket.destroy(), linger).unref()
}
