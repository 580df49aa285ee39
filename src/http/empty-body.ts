import type { FastifyRequest } from 'fastify'

/** A request without a byte has no body, whatever type its client names: some name one for every POST. */
export async function emptyBody({ headers }: FastifyRequest): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  if (length === '0' && encoding === undefined) delete headers['content-type']
}
