import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

interface Scope {
  request: FastifyRequest
  reply: FastifyReply
  failed: boolean
}

const scopes = new AsyncLocalStorage<Scope>()

/**
 * Tracks the current request through asynchronous work, so that `failRequest` can attribute an
 * uncaught error. Event handlers of the request and the response run in the connection's context
 * instead, so their errors are caught here.
 */
export function attributeStrayErrors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const scope = { request, reply, failed: false }
    catchFromHandlers(request.raw, scope)
    catchFromHandlers(reply.raw, scope)
    scopes.run(scope, done)
  })
}

/** Fails the request that caused an uncaught error. Returns false outside of any request. */
export function failRequest(error: unknown): boolean {
  const scope = scopes.getStore()
  if (scope) fail(scope, error)
  return scope !== undefined
}

function catchFromHandlers(emitter: EventEmitter, scope: Scope): void {
  const emit = emitter.emit.bind(emitter)
  emitter.emit = (...event: Parameters<EventEmitter['emit']>) => {
    try {
      return emit(...event)
    } catch (error) {
      fail(scope, error)
      return true
    }
  }
}

/**
 * Sends the error if nothing was sent yet, which also logs it. Otherwise cuts an incomplete
 * response.
 */
function fail(scope: Scope, error: unknown): void {
  const { request, reply, failed } = scope
  if (failed) return
  scope.failed = true
  if (!reply.sent && !reply.raw.headersSent) {
    reply.send(error instanceof Error ? error : new Error(String(error)))
    return
  }
  request.log.error({ err: error }, 'request failed')
  if (!reply.raw.writableFinished) reply.raw.destroy()
}
