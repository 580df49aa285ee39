import { boundedText } from './bounded-text.ts'
import { directTransport, type PutOutside } from './direct-transport.ts'
import { type Answer, parseJson, parseRetryAfter, type Sending, type Transport } from './transport.ts'

interface FetchOptions {
  /** Origin of the server; empty in a browser. */
  baseUrl?: string
  /** Sent with every request to the server: a bearer token, for one. */
  headers?: Record<string, string>
  /** Whether bytes may go to the address at a store that the server named; every one when absent. */
  isAllowed?(url: string): Promise<boolean>
}

const responseMaxBytes = 4_194_304

/** Everything by `fetch`: for runtimes whose `fetch` streams a body of known length, such as Node. */
export function fetchTransport({ baseUrl = '', headers = {}, isAllowed }: FetchOptions = {}): Transport {
  const put: Transport['put'] = (path, bytes, sending) =>
    putBytes(baseUrl + path, bytes, { ...headers, 'content-type': 'application/octet-stream' }, sending)
  const putOutside: PutOutside = async (url, ...rest) => {
    if (isAllowed && !(await isAllowed(url))) throw new Error(`${url} may not be used`)
    return putBytes(url, ...rest)
  }
  return directTransport({ call: callsTo(baseUrl, headers), put }, putOutside)
}

/** Calls with JSON bodies by `fetch`. */
export function callsTo(baseUrl: string, headers: Record<string, string>): Transport['call'] {
  return async ({ method, path, body }, signal) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    return answerOf(await fetch(baseUrl + path, { method, headers, ...json, signal, redirect: 'error' }))
  }
}

const putBytes: PutOutside = async (url, bytes, headers, { signal, onProgress }) => {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'PUT',
    body: bytes.size === 0 ? '' : counted(bytes, onProgress),
    duplex: 'half',
    headers: { ...headers, 'content-length': String(bytes.size) },
    signal,
    redirect: 'error',
  }
  return answerOf(await fetch(url, init))
}

async function answerOf(response: Response): Promise<Answer> {
  const body = parseJson(await boundedText(response, responseMaxBytes))
  return { status: response.status, body, retryAfter: parseRetryAfter(response.headers.get('retry-after')) }
}

function counted(bytes: Blob, onProgress: Sending['onProgress']) {
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
