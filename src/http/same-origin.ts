import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { AppError } from '../errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses state-changing calls that a browser makes for another site (Fetch Metadata, W3C; Origin,
 * RFC 6454). A request with neither header does not come from a browser. A bearer token is not an
 * ambient credential; the Basic credentials of a proxy are.
 * @throws {AppError} cross_site_request: another site caused the request
 */
export const sameOrigin: onRequestHookHandler = (request, _reply, done) => {
  done(isCrossSite(request) ? new AppError('cross_site_request') : undefined)
}

function isCrossSite(request: FastifyRequest): boolean {
  if (safeMethods.has(request.method) || /^bearer /i.test(request.headers.authorization ?? '')) return false
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = request.headers
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host)
}
