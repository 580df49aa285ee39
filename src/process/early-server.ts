import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'
import type { Env } from '../env.ts'
import { AppError, StartError } from '../errors.ts'
import { basePathOf, urlBelow } from '../http/base-path.ts'
import { errorBody } from '../http/error-handler.ts'
import { replyHeaders } from '../http/reply-headers.ts'
import { serverOptions } from '../http/server-options.ts'

type Address = Pick<Env, 'appUrl' | 'host' | 'port'>

interface HeldRequest {
  event: 'request' | 'checkContinue'
  request: IncomingMessage
  response: ServerResponse
  timer: NodeJS.Timeout
}

const MAX_HELD = 1_000 // requests that wait at a time
const RETRY_AFTER = 5 // s
const notReady = { status: 'down', dependencies: { database: 'down', queue: 'down', storage: 'down' } }

/**
 * An HTTP server that listens while the application starts. Requests wait for the application, and
 * get 503 after 10 s, for example while a large database is migrated. Health probes get their
 * response at once: the process is running, and not ready.
 */
export class EarlyServer extends Server {
  readonly #address: Address
  readonly #holdTime: number
  readonly #urlOf: (request: IncomingMessage) => string
  readonly #held = new Set<HeldRequest>()
  #isReady = false

  /** @param holdTime milliseconds that a request waits for the application */
  constructor(address: Address, holdTime = 10_000) {
    super({ ...serverOptions })
    this.#address = address
    this.#holdTime = holdTime
    this.#urlOf = urlBelow(basePathOf(address))
  }

  /**
   * Listens on `host`. `0.0.0.0` includes IPv6 if the system supports it, as does `localhost`.
   * @throws {StartError} the port can't be used
   */
  async start(): Promise<void> {
    const { host, port } = this.#address
    const hosts = host === '0.0.0.0' ? ['::', host] : host === 'localhost' ? ['127.0.0.1'] : [host]
    for (const [index, name] of hosts.entries()) {
      const problem = await problemOf(this, () => super.listen({ host: name, port }))
      if (!problem) break
      const noSuchFamily = problem.code === 'EAFNOSUPPORT' || problem.code === 'EADDRNOTAVAIL'
      if (!noSuchFamily || index === hosts.length - 1) throw startError(problem, this.#address)
    }
    if (host === 'localhost') await this.#listenOnIpv6()
  }

  /** Refuses the requests that still wait, and stops listening. */
  stop(): void {
    for (const { request, response } of this.#held) refuse(request, response)
    this.close()
  }

  /** Sets the application, which gets the requests once it calls `listen`. */
  handOver(application: RequestListener): this {
    return this.on('request', application)
  }

  /** Passes all requests to the application, which calls this when it is ready. */
  override listen(..._options: unknown[]): this {
    this.#isReady = true
    process.nextTick(() => this.emit('listening'))
    for (const { event, request, response, timer } of this.#held) {
      clearTimeout(timer)
      this.emit(event, request, response)
    }
    this.#held.clear()
    return this
  }

  override emit(event: string, ...values: unknown[]): boolean {
    if (this.#isReady || (event !== 'request' && event !== 'checkContinue')) return super.emit(event, ...values)
    const [request, response] = values as [IncomingMessage, ServerResponse]
    this.#receive(event, request, response)
    return true
  }

  #receive(event: HeldRequest['event'], request: IncomingMessage, response: ServerResponse): void {
    const path = this.#urlOf(request).replace(/\?.*/s, '')
    if (path === '/api/health') respond(response, 200, 'OK')
    else if (path === '/api/health/ready') respond(response, 503, notReady)
    else if (this.#held.size >= MAX_HELD) refuse(request, response)
    else this.#hold(event, request, response)
  }

  #hold(event: HeldRequest['event'], request: IncomingMessage, response: ServerResponse): void {
    const timer = setTimeout(() => refuse(request, response), this.#holdTime)
    const held = { event, request, response, timer }
    this.#held.add(held)
    response.once('close', () => {
      clearTimeout(timer)
      this.#held.delete(held)
    })
  }

  /** Without IPv6, `localhost` is only the address of IPv4. */
  async #listenOnIpv6(): Promise<void> {
    const { port } = this.address() as AddressInfo
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => super.emit('connection', socket))
    if (!(await problemOf(server, () => server.listen({ host: '::1', port })))) this.once('close', () => server.close())
  }
}

/** Returns the error if `listen` fails. */
async function problemOf(server: SocketServer, listen: () => unknown): Promise<NodeJS.ErrnoException | null> {
  const isListening = once(server, 'listening')
  listen()
  return isListening.then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  )
}

function startError({ code, message }: NodeJS.ErrnoException, { host, port }: Address): StartError {
  if (code === 'EADDRINUSE') return new StartError(`Port ${port} is in use by another program. Stop it, or set PORT to another number.`)
  if (code === 'EACCES') return new StartError(`This user may not listen on port ${port}. Set PORT to a number above 1023.`)
  return new StartError(`Cannot listen on ${host}, port ${port}: ${message}.`)
}

/** Responds with 503. A browser that loads a page tries again by itself. */
function refuse({ headers }: IncomingMessage, response: ServerResponse): void {
  const error = new AppError('unavailable', { retryAfter: RETRY_AFTER })
  const isPage = headers.accept?.includes('text/html')
  if (isPage) response.setHeader('refresh', RETRY_AFTER)
  response.setHeader('retry-after', RETRY_AFTER)
  respond(response, error.statusCode, isPage ? error.message : errorBody(error))
}

/** Sends a text or an object, and closes the connection. */
function respond(response: ServerResponse, status: number, content: string | object): void {
  const isText = typeof content === 'string'
  const type = `${isText ? 'text/plain' : 'application/json'}; charset=utf-8`
  response.writeHead(status, { ...replyHeaders, 'content-type': type, connection: 'close' })
  response.end(isText ? content : JSON.stringify(content))
}
