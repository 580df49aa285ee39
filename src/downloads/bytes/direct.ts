import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { sliceOf } from '../../storage/slices.ts'
import type { PublishedFile } from '../queries.ts'
import type { DescriptiveHeaders } from './headers.ts'

type FileRequest = FastifyRequest<{ Querystring: { download?: boolean } }>

/**
 * Returns the validators of a file's responses. Where clients may be redirected to the store, they
 * are the store's own, so that a download from there can be continued here, and the reverse.
 */
export async function validatorsOf(
  { storage }: Pick<Context, 'storage'>,
  { query }: FileRequest,
  { id, objectKey, size, completedAt }: PublishedFile,
): Promise<{ etag: string; modified: Date }> {
  const mayBeRedirected = size > 0 && query.download !== false
  const ofStore = mayBeRedirected ? await storage.validatorsOf?.(objectKey) : null
  return ofStore ?? { etag: `"${id}"`, modified: completedAt }
}

/** Headers that may lead to a response other than the whole file. */
const conditions = ['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range']

/**
 * Returns a short-lived URL at the store for a file that is saved whole. Returns null if this
 * server sends the bytes: direct mode is off, the file shares its object with others, or the request
 * is for a range, a check, or a preview, which needs headers that a store can't set. Callers must
 * have passed the guard.
 */
export async function storeAddress(
  { storage }: Pick<Context, 'storage'>,
  request: FileRequest,
  { objectKey, size }: PublishedFile,
  headers: DescriptiveHeaders,
): Promise<string | null> {
  if (!storage.direct || size === 0 || request.method !== 'GET' || request.query.download === false) return null
  if (sliceOf(objectKey) || conditions.some((name) => request.headers[name] !== undefined)) return null
  const { url } = await storage.direct.signRead(objectKey, {
    type: headers['content-type'],
    disposition: headers['content-disposition'],
    cacheControl: headers['cache-control'],
  })
  return url
}
