import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

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
