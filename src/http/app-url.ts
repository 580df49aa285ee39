import type { FastifyRequest } from 'fastify'
import type { Env } from '../env.ts'

/**
 * Returns the URL of this installation without a trailing slash. APP_URL comes first, then the
 * `configured` setting, then the request's own scheme, host and port. Forwarded headers count
 * only when they come from a proxy in TRUST_PROXY.
 */
export function appUrl(env: Pick<Env, 'appUrl'>, configured: string, request: FastifyRequest): string {
  return (env.appUrl ?? configured.trim().replace(/(?<!\/)\/+$/, '')) || `${request.protocol}://${request.host}`
}
