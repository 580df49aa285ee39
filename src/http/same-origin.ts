import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses state-changing calls that a browser makes for another site (Fetch Metadata, W3C; Origin, RFC 6454). A request with neither header
 * is not a browser's; one with a bearer token carries no ambient credentials. (Basic ones, of a proxy before us, are ambient.)
 */
export async function sameOrigin(request: FastifyRequest): Promise<void> {
  if (reading.has(request.method) || /^bearer /i.test(request.headers.authorization ?? '')) return
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
    throw new AppError('cross_site_request')
  }
  const { origin } = request.headers
  if (origin === undefined) return
  if (!URL.canParse(origin) || new URL(origin).host !== request.host) throw new AppError('cross_site_request')
}
