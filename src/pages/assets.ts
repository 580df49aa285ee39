import { relative } from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const year = 31_536_000 // seconds, for files with a hash in their name
const hour = 3_600 // seconds, for other files
const serviceWorker = 'service-worker.js'
/** Everything except these types is internal to the server. */
const internalFiles = '**/!(*.@(js|css|svg|png|txt|webmanifest))'

/**
 * Serves the built files, compressed by the build where possible. The list of files is read once,
 * so restart the server after a build.
 */
export async function serveAssets(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onSend', correctScriptType)
    await scope.register(fastifyStatic, optionsFor(folder))
  })
}

/** Replaces the obsolete type that the plugin sends for scripts (RFC 9239). */
async function correctScriptType(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const type = reply.getHeader('content-type')
  if (typeof type === 'string') reply.header('content-type', type.replace(/^application\/javascript/, 'text/javascript'))
}

function optionsFor(folder: string): FastifyStaticOptions {
  return {
    root: folder,
    wildcard: false,
    index: false,
    preCompressed: true,
    globIgnore: [internalFiles],
    cacheControl: false,
    lastModified: false,
    acceptRanges: false,
    decorateReply: false,
    setHeaders(reply, path) {
      const file = relative(folder, path).replace(/\.(br|gz)$/, '')
      reply.header('cache-control', cacheControlOf(file))
      if (file === serviceWorker) reply.header('content-security-policy', "default-src 'none'; connect-src 'self'")
    },
  }
}

function cacheControlOf(file: string): string {
  if (file === serviceWorker) return 'no-cache'
  return file.startsWith('assets/') ? `public, max-age=${year}, immutable` : `public, max-age=${hour}`
}
