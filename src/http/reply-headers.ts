import type { FastifyInstance } from 'fastify'

/**
 * Headers of every response, including errors. Routes for bytes and pages set their own
 * `cache-control`.
 */
export const replyHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** One year. Subdomains are excluded, because they may serve other software. */
const strictTransport = 'max-age=31536000'

/** Sets `replyHeaders` on every response, and HSTS (RFC 6797) while the site's URL uses https. */
export function setReplyHeaders(app: FastifyInstance, isHttps: () => boolean): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(replyHeaders)
    if (isHttps()) reply.header('strict-transport-security', strictTransport)
    done()
  })
}
