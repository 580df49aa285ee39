import { once } from 'node:events'
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What fails in a request that matches. */
export type Fault =
  | 'slow down' // 503 at once
  | 'cut request' // the connection is reset in the middle of the body
  | 'cut answer' // the connection is reset in the middle of the response body
  | 'stall' // the body is read, and no response is sent
  | 'stall answer' // the response body stops in the middle
  | 'error in 200' // nothing is done, and the response is an error with status 200
  | 'done, then error' // it is done, and the response is an error with status 200
  | 'done, then stall'
  | 'half object' // its length in the response is half of the real one
  | { status: number; code: string; message?: string }

/** `meets` selects the requests. The fault affects the first `times` of them. */
interface Trouble {
  fault: Fault
  meets: (method: string, url: URL, headers: IncomingHttpHeaders) => boolean
  times?: number
}

export interface FaultProxy {
  url: string
  /** Every received request, as `METHOD /path?query`. */
  seen: string[]
  trouble: Trouble | undefined
  close(): Promise<void>
}

const ignore = () => {}
const errorText = (code: string, message: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

/**
 * A proxy before an S3 server that injects the requested faults. The Host header passes, so
 * signatures hold.
 */
export async function faultProxy(target: string, port = 0): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url!, proxy.url)
    proxy.seen.push(`${incoming.method} ${incoming.url}`)
    serve(incoming, outgoing, struck(proxy, incoming, url), { target, agent })
  })
  const proxy: FaultProxy = {
    url: '',
    seen: [],
    trouble: undefined,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

function struck(proxy: FaultProxy, { method, headers }: IncomingMessage, url: URL): Fault | undefined {
  const { trouble } = proxy
  if (!trouble?.meets(method!, url, headers)) return
  if (trouble.times !== undefined && --trouble.times <= 0) proxy.trouble = undefined
  return trouble.fault
}

interface Upstream {
  target: string
  agent: Agent
}

function serve(incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | undefined, upstream: Upstream): void {
  incoming.on('error', ignore)
  outgoing.on('error', ignore)
  if (fault === 'slow down') answer(incoming, outgoing, 503, 'SlowDown')
  else if (fault === 'error in 200') answer(incoming, outgoing, 200, 'InternalError')
  else if (typeof fault === 'object') answer(incoming, outgoing, fault.status, fault.code, fault.message)
  else if (fault === 'stall') incoming.resume()
  else if (fault === 'cut request') incoming.once('data', () => incoming.socket.resetAndDestroy())
  else pass(incoming, outgoing, fault, upstream)
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | undefined, { target, agent }: Upstream): void {
  const forward = request(new URL(incoming.url!, target), { method: incoming.method, headers: incoming.headers, agent }, (reply) => {
    if (fault === 'done, then error') return answer(reply, outgoing, 200, 'InternalError')
    if (fault === 'done, then stall') return reply.resume()
    const length = reply.headers['content-length']
    const half = fault === 'half object' && { 'content-length': String(Math.floor(Number(length) / 2)) }
    outgoing.writeHead(reply.statusCode!, { ...reply.headers, ...half })
    if (fault === 'cut answer') reply.once('data', (chunk) => outgoing.write(chunk, () => outgoing.socket?.resetAndDestroy()))
    else if (fault === 'stall answer') reply.once('data', (chunk) => outgoing.write(chunk)).once('data', () => reply.pause())
    else reply.pipe(outgoing)
  })
  forward.on('error', () => outgoing.destroy())
  incoming.on('close', () => incoming.complete || forward.destroy())
  outgoing.on('close', () => forward.destroy())
  incoming.pipe(forward)
}

/** Reads the available body, then responds with an S3 error. */
function answer(source: IncomingMessage, outgoing: ServerResponse, status: number, code: string, message = 'on purpose'): void {
  source.resume()
  const send = () => outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(errorText(code, message))
  if (status === 503) send()
  else source.once('end', send)
}
