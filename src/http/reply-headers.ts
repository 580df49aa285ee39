import type { FastifyInstance } from 'fastify'

/**
 * The headers of every response, errors and redirects included. A route that serves bytes or pages sets a `cache-control` of its own.
 */
export const replyHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** One year, in seconds. Subdomains are not included, because they may serve other software. */
export const strictTransport = 'max-age=31536000'

/** Sets `replyHeaders` on every response, and HSTS (RFC 6797) while this installation is reached by https. */
export function setReplyHeaders(app: FastifyInstance, isHttps: () => boolean): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(replyHeaders)
    if (isHttps()) reply.header('strict-transport-security', strictTransport)
  })
}
