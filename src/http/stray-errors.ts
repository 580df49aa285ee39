import { EventEmitter } from 'node:events'
import { currentScope, type RequestScope } from './request-scope.ts'

interface ScopedEmitter extends EventEmitter {
  [scopeKey]?: RequestScope
}

const scopeKey = Symbol('scope')
const { emit } = EventEmitter.prototype

/**
 * Attributes errors of event handlers of the request and the response to the request. They run in
 * the connection's context, where `failRequest` does not know it.
 */
export function catchFromHandlers(scope: RequestScope): void {
  catchFrom(scope.request.raw, scope)
  catchFrom(scope.reply.raw, scope)
}

/** Fails the request that caused an uncaught error. Returns false outside of any request. */
export function failRequest(error: unknown): boolean {
  const scope = currentScope()
  if (scope) fail(scope, error)
  return scope !== undefined
}

/** Replaces `emit` by one shared function, because one for each request would cost more. */
function catchFrom(emitter: ScopedEmitter, scope: RequestScope): void {
  emitter[scopeKey] = scope
  emitter.emit = emitGuarded
}

function emitGuarded(this: ScopedEmitter, ...event: Parameters<EventEmitter['emit']>): boolean {
  try {
    return emit.apply(this, event)
  } catch (error) {
    const scope = this[scopeKey]
    if (!scope) throw error
    fail(scope, error)
    return true
  }
}

/**
 * Sends the error if nothing was sent yet, which also logs it. Otherwise cuts an incomplete
 * response.
 */
function fail(scope: RequestScope, error: unknown): void {
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
