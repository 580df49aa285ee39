import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses state-changing calls that a browser makes for another site (Fetch Metadata, W3C; Origin, RFC 6454). A request with neither header
 * is not a browser's; one with a bearer token carries no ambient credentials. (Basic ones, of a proxy before us, are ambient.)
 */
export async function sameOrigin(request: FastifyRequest): Promise<void> {
  if (reading.has(request.method) || /^bearer /i.test(request.headers.authorization ?? '')) return
  refuseOtherSites(request)
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined || origin === undefined) return
  if (!URL.canParse(origin) || new URL(origin).host !== request.host) throw new AppError('cross_site_request')
}

/** Refuses what a browser says that another site has asked it to do; for reading calls that are more than that. */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('cross_site_request')
}
