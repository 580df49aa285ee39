import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A server's response over a real connection. */
export interface Reply {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

interface Sent {
  method?: string
  headers?: OutgoingHttpHeaders
}

/** Returns a TCP port on which no server listens now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Listens on a free port of this machine and returns the port. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

/** Begins a request on a separate connection. The caller writes its body and ends or cuts it. */
export function begin(port: number, path: string, { method = 'GET', headers }: Sent = {}): ClientRequest {
  return request({ host: '127.0.0.1', port, path, method, headers, agent: false })
}

/**
 * The response to a begun request, with its whole body. Rejects when the connection is cut before
 * its end.
 */
export async function replyTo(sent: ClientRequest): Promise<Reply> {
  const answer = await answerTo(sent)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) }
}

/** The head of the response, with its body unread. */
export function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => sent.once('response', resolve).on('error', reject))
}

/** Sends a whole request and waits for the whole response. */
export function fetchWhole(port: number, path: string, sent: Sent = {}, body?: Buffer): Promise<Reply> {
  const begun = begin(port, path, sent)
  begun.end(body)
  return replyTo(begun)
}

/** Begins a request and resets its connection after the first bytes of the response. */
export function beginAndReset(port: number, path: string, cookie = ''): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
    socket.once('data', () => socket.resetAndDestroy()).on('error', () => {})
    socket.once('close', () => resolve())
  })
}
