import type { FastifyRequest } from 'fastify'
import type { Env } from '../env.ts'

/**
 * Where this installation is reached, without a slash at the end: what the deployment says, else what an administrator has `configured`, else where the
 * request came to (scheme and host with port; behind a proxy inside TRUST_PROXY what that says).
 */
export function appUrl(env: Pick<Env, 'appUrl'>, configured: string, request: FastifyRequest): string {
  return (env.appUrl ?? configured.trim().replace(/(?<!\/)\/+$/, '')) || `${request.protocol}://${request.host}`
}
