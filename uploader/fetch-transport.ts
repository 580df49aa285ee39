import { boundedText } from './bounded-text.ts'
import { directTransport, type PutOutside } from './direct-transport.ts'
import { type PutOptions, parseJson, parseRetryAfter, type Transport, type TransportResponse } from './transport.ts'

interface FetchOptions {
  /** Origin of the server; empty in a browser. */
  baseUrl?: string
  /** Sent with every request to the server, such as a bearer token. */
  headers?: Record<string, string>
  /**
   * Returns whether bytes may be sent to a store's URL that the server named; absent: any URL is
   * allowed.
   */
  isAllowed?(url: string): Promise<boolean>
}

const responseMaxBytes = 4_194_304

/**
 * Returns a transport that uses only `fetch`, for runtimes whose `fetch` streams a body of known
 * length, such as Node.
 */
export function fetchTransport({ baseUrl = '', headers = {}, isAllowed }: FetchOptions = {}): Transport {
  const put: Transport['put'] = (path, bytes, sending) =>
    putBytes(baseUrl + path, bytes, { ...headers, 'content-type': 'application/octet-stream' }, sending)
  const putOutside: PutOutside = async (url, ...rest) => {
    if (isAllowed && !(await isAllowed(url))) throw new Error(`${url} is not allowed`)
    return putBytes(url, ...rest)
  }
  return directTransport({ call: callsTo(baseUrl, headers), put }, putOutside)
}

/** Returns the function that makes calls with JSON bodies. */
export function callsTo(baseUrl: string, headers: Record<string, string>): Transport['call'] {
  return async ({ method, path, body }, signal) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    return toTransportResponse(await fetch(baseUrl + path, { method, headers, ...json, signal, redirect: 'error' }))
  }
}

const putBytes: PutOutside = async (url, bytes, headers, { method = 'PUT', signal, onProgress }) => {
  const init: RequestInit & { duplex: 'half' } = {
    method,
    body: bytes.size === 0 ? '' : counted(bytes, onProgress),
    duplex: 'half',
    headers: { ...headers, 'content-length': String(bytes.size) },
    signal,
    redirect: 'error',
  }
  return toTransportResponse(await fetch(url, init))
}

async function toTransportResponse(response: Response): Promise<TransportResponse> {
  const body = parseJson(await boundedText(response, responseMaxBytes))
  return { status: response.status, body, retryAfter: parseRetryAfter(response.headers.get('retry-after')) }
}

function counted(bytes: Blob, onProgress: PutOptions['onProgress']) {
  let sent = 0
  return bytes.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        sent += chunk.byteLength
        onProgress(sent)
        controller.enqueue(chunk)
      },
    }),
  )
}
