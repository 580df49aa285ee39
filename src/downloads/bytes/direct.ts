import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { PublishedFile } from '../queries.ts'

/** What makes an answer other than the whole file. */
const conditions = ['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range']

/**
 * A short-lived address at the store for a file that is to be saved whole; null where the bytes come from us: browsers are not let at the store, or it is a
 * part, a check, or to be shown, which needs headers that a store cannot give. The guard stands before this as before any byte.
 */
export async function storeAddress(
  { storage }: Pick<Context, 'storage'>,
  request: FastifyRequest<{ Querystring: { download?: boolean } }>,
  { objectKey, size }: PublishedFile,
  headers: Record<string, string>,
): Promise<string | null> {
  if (!storage.direct || size === 0 || request.method !== 'GET' || request.query.download === false) return null
  if (conditions.some((name) => request.headers[name] !== undefined)) return null
  const { url } = await storage.direct.signRead(objectKey, {
    type: headers['content-type']!,
    disposition: headers['content-disposition']!,
    cacheControl: headers['cache-control']!,
  })
  return url
}
