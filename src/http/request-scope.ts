import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A request whose code is running, and its reply. */
export interface RequestScope {
  request: FastifyRequest
  reply: FastifyReply
  /** Whether an uncaught error has failed the request. */
  failed: boolean
}

const scopes = new AsyncLocalStorage<RequestScope>()
const scopeKey = Symbol('scope')

/**
 * Makes the request available to `currentScope` in all code that it runs, and passes its scope to
 * `onScope`. Reading a body leaves the context of the first hook, so a second hook restores it.
 */
export function trackRequests(app: FastifyInstance, onScope: (scope: RequestScope) => void): void {
  app.decorateRequest(scopeKey)
  app.addHook('onRequest', (request, reply, done) => {
    const scope = { request, reply, failed: false }
    request.setDecorator(scopeKey, scope)
    onScope(scope)
    scopes.run(scope, done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const scope = request.getDecorator<RequestScope>(scopeKey)
    if (scopes.getStore() === scope) done()
    else scopes.run(scope, done)
  })
}

/** Returns the scope of the current request; undefined outside of requests. */
export function currentScope(): RequestScope | undefined {
  return scopes.getStore()
}
