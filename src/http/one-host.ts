import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** Refuses a request with more than one `Host` line (RFC 9112, 3.2): a proxy and this server could read different ones. */
export async function oneHost({ raw }: FastifyRequest): Promise<void> {
  const names = raw.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host')
  if (names.length > 1) throw new AppError('malformed_request')
}
