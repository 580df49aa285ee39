import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'

/** The internal location of a proxy that maps to the folder `objects`. */
const LOCATION = '/razorbill-objects/'

/**
 * Returns the headers that make a trusted proxy send an object's file; null if this server sends
 * the bytes: SENDFILE is off, the object is not a whole file, or the request came from elsewhere.
 */
export function sendfileHeaders(
  { env, storage }: Pick<Context, 'env' | 'storage'>,
  request: FastifyRequest,
  objectKey: string,
): Record<string, string> | null {
  if (env.sendfile === 'off' || !isFromProxy(request)) return null
  const path = storage.pathOf?.(objectKey)
  if (!path) return null
  return env.sendfile === 'x-accel' ? { 'x-accel-redirect': LOCATION + objectKey } : { 'x-sendfile': path, 'accept-ranges': 'bytes' }
}

/** A proxy in TRUST_PROXY adds the address that its request came from. */
function isFromProxy({ ips = [] }: FastifyRequest): boolean {
  return ips.length > 1
}
