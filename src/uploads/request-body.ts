import { Socket } from 'node:net'
import { finished, Readable, type Writable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { WrongLength } from '../storage/object-store.ts'

const idleTimeout = 120_000 // ms without a byte; then the connection counts as dead, and the client retries

/** The idle timeout of a request's connection. */
export interface IdleWatch {
  /** Starts the timeout: the client has to send now. */
  start(): void
  /** Stops the timeout: the client is not waited for. */
  stop(): void
}

/**
 * Creates an idle timeout that closes the connection after two minutes without a byte. It is
 * stopped until `start`.
 */
export function idleWatch({ raw }: FastifyRequest): IdleWatch {
  const socket = raw.socket instanceof Socket ? raw.socket : null // injected requests have none
  return {
    start: () => void socket?.setTimeout(idleTimeout),
    stop: () => void socket?.setTimeout(0),
  }
}

/**
 * Pipes a request's body into a stream, which fails with `request_timeout` if the body is cut. The
 * stream may be destroyed, and the connection stays open for the response.
 */
export function pipeBody({ body, raw }: FastifyRequest, into: Writable): void {
  into.on('error', () => {}) // the body may fail before it is read
  if (!(body instanceof Readable)) {
    into.end()
    return
  }
  finished(raw, { writable: false }, (error) => error && into.destroy(new AppError('request_timeout', {}, { cause: error })))
  into.once('close', () => body.unpipe(into))
  body.pipe(into)
}

/**
 * Returns `request_timeout` if a store received fewer bytes than announced, as the body was cut or
 * stalled and a retry may succeed. Returns other errors unchanged.
 */
export function asTimeout(error: unknown): unknown {
  return error instanceof WrongLength ? new AppError('request_timeout', {}, { cause: error }) : error
}
