import type { FastifyRequest } from 'fastify'
import { currentScope } from './request-scope.ts'

const addressMax = 64 // characters; a proxy may forward arbitrary text

/**
 * Returns a request's IP address, or the text that a trusted proxy forwards, at most 64 characters.
 * It is empty once the connection was reset, whatever the type of `request.ip` says.
 */
export function addressOf({ ip = '' }: Partial<Pick<FastifyRequest, 'ip'>>): string {
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '').slice(0, addressMax)
}

/** Returns the address of the current request; null outside of requests. */
export function requestAddress(): string | null {
  const scope = currentScope()
  return scope ? addressOf(scope.request) : null
}
