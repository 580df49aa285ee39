import { connect, type Socket } from 'node:net'

/**
 * The loopback address of hostile callers. The normal load has another one, because limits are
 * counted by address.
 */
const ADDRESS = '127.0.0.66'
const TIMEOUT = 8000 // ms

export interface Raw {
  bytes: Buffer | string
  /** Keeps the connection open until `signal` aborts. */
  hold?: boolean
  /** Sends one more byte at this interval in ms. */
  drip?: number
  /** Closes the connection as soon as all bytes are sent. */
  cut?: boolean
}

/**
 * Sends bytes over a new connection and returns the response's status, or what happened instead.
 */
export function sendRaw(port: number, { bytes, hold, drip, cut }: Raw, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESS, noDelay: true })
    let seen = hold ? 'held' : 'closed'
    let dripping: NodeJS.Timeout | undefined
    const end = (what = seen) => {
      clearTimeout(late)
      clearInterval(dripping)
      signal.removeEventListener('abort', stop)
      socket.destroy()
      resolve(what)
    }
    const stop = () => end()
    const late = setTimeout(() => end('no response'), TIMEOUT)
    signal.addEventListener('abort', stop)
    socket.on('error', ({ code }: NodeJS.ErrnoException) => end(seen === 'closed' || seen === 'held' ? (code ?? 'error') : seen))
    socket.on('close', () => end(seen === 'held' ? 'closed' : seen))
    if (hold) socket.pause()
    if (drip !== undefined || !hold)
      socket.once('data', (data) => {
        seen = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 'not HTTP'
        if (!hold) end()
      })
    socket.write(bytes, () => {
      if (cut) end('cut')
      if (drip !== undefined) dripping = setInterval(() => socket.write('x'), drip)
    })
  })
}

/**
 * Returns a serialized request, with a `content-length` unless `headers` frame the body otherwise.
 */
export function request(method: string, path: string, headers: Record<string, string> = {}, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body)
  const framed = 'content-length' in headers || 'transfer-encoding' in headers
  const all = { host: 'localhost', connection: 'close', ...(!framed && { 'content-length': String(bytes.length) }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes])
}

/** Returns a request with a JSON body; a string is sent as it is, so that it can be invalid. */
export function jsonRequest(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Buffer {
  return request(method, path, { 'content-type': 'application/json', ...headers }, typeof body === 'string' ? body : JSON.stringify(body))
}

/** Returns a form request with parts of `[headers, body]`. */
export function formRequest(path: string, parts: [string, string][], headers: Record<string, string> = {}, boundary = 'b'): Buffer {
  const body = `${parts.map(([head, text]) => `--${boundary}\r\n${head}\r\n\r\n${text}\r\n`).join('')}--${boundary}--\r\n`
  return request('POST', path, { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers }, body)
}
