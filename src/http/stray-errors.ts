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
 * Remembers for all work that a request starts which request that is, so that `failRequest` can attribute an error that nothing has caught.
 * Handlers of the request's and the response's own events run in the connection's context instead: what they throw is caught here.
 */
export function attributeStrayErrors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const scope = { request, reply, failed: false }
    catchFromHandlers(request.raw, scope)
    catchFromHandlers(reply.raw, scope)
    scopes.run(scope, done)
  })
}

/** Ends the request in whose work an error was thrown and caught by nothing. Returns false when it was thrown outside of any request. */
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

/** Responds with the error where nothing was sent yet, which also logs it; else logs it and cuts a response that is not complete. */
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
