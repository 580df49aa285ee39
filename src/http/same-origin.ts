import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses state-changing calls that a browser makes for another site (Fetch Metadata, W3C; Origin,
 * RFC 6454). A request with neither header does not come from a browser. A bearer token is not an
 * ambient credential; the Basic credentials of a proxy are.
 * @throws {AppError} cross_site_request: another site caused the request
 */
export async function sameOrigin(request: FastifyRequest): Promise<void> {
  if (safeMethods.has(request.method) || /^bearer /i.test(request.headers.authorization ?? '')) return
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
    throw new AppError('cross_site_request')
  }
  const { origin } = request.headers
  if (origin === undefined) return
  if (!URL.canParse(origin) || new URL(origin).host !== request.host) throw new AppError('cross_site_request')
}
