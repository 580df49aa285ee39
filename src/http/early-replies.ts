import { once } from 'node:events'
import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Milliseconds during which the rest of a body is discarded after its response. */
const discardFor = 30_000
/**
 * Milliseconds without a byte after which a client counts as done: most stop when they read a
 * refusal.
 */
const discardIdle = 500

/** Responses of requests whose client waits for `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Lets every client read a response that comes before the end of its request's body, such as a
 * refusal. The response is sent at once, but it ends only after the rest of the body was discarded,
 * for up to 30 s. Closing while bytes arrive would reset the connection, and a proxy would report
 * 502. Over HTTP/2, proxies reset a stream whose response has ended, and some clients then lose
 * the response. A client that sends `Expect: 100-continue` is asked for its body when the body is
 * first read, so that a refusal costs no byte.
 */
export function deliverEarlyReplies(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response)
    request._read = readAfterContinue
    app.server.emit('request', request, response)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isEarly(request, reply) || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return done(null, payload)
    reply.removeHeader('content-length')
    reply.raw.once('finish', () => request.raw.complete || request.raw.socket.destroySoon())
    done(null, Readable.from(sendThenDiscard(Buffer.from(payload), request), { objectMode: false }))
  })
}

function readAfterContinue(this: IncomingMessage, size: number): void {
  askForBody(this)
  IncomingMessage.prototype._read.call(this, size)
}

function askForBody(request: IncomingMessage): void {
  const response = waiting.get(request)
  if (response && !response.headersSent) response.writeContinue()
  waiting.delete(request)
}

/** Returns whether a body is still arriving, and not too slowly. */
function isEarly({ raw, method }: FastifyRequest, reply: FastifyReply): boolean {
  return !raw.complete && !raw.destroyed && raw.socket instanceof Socket && method !== 'HEAD' && reply.statusCode !== 408
}

async function* sendThenDiscard(payload: Buffer, { raw }: FastifyRequest): AsyncGenerator<Buffer> {
  yield payload
  await discardRest(raw)
}

/** Discards the rest of a body until its end, 500 ms without a byte, or 30 s. */
async function discardRest(body: IncomingMessage): Promise<void> {
  if (body.complete || body.destroyed) return
  const over = new AbortController()
  const idleTimer = setTimeout(() => over.abort(), discardIdle).unref()
  const timer = setTimeout(() => over.abort(), discardFor).unref()
  waiting.delete(body) // the response has been sent
  body.unpipe()
  body.on('data', () => idleTimer.refresh()).resume()
  await once(body, 'close', { signal: over.signal }).catch(() => {}) // its error, or the end of the time
  clearTimeout(idleTimer)
  clearTimeout(timer)
}
