import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Env } from '../env.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns whether APP_URL, or else the setting `general.appUrl`, starts with https. */
    isHttpsSite(): boolean
  }
}

const staleAfter = 5_000 // ms

/**
 * Decorates `app` with `isHttpsSite`. Without `appUrl`, the URL comes from `readUrl`, which is
 * called in the background and at most every 5 s, because no response may wait for the database.
 * A change takes effect within 5 s and one request.
 */
export function trackHttpsSite(app: FastifyInstance, { appUrl }: Pick<Env, 'appUrl'>, readUrl: () => Promise<string>): void {
  let isHttps = appUrl?.startsWith('https:') ?? false
  let readAt = Number.NEGATIVE_INFINITY
  app.decorate('isHttpsSite', () => {
    if (appUrl === null && performance.now() - readAt > staleAfter) read()
    return isHttps
  })
  if (appUrl === null) app.addHook('onReady', read)

  async function read(): Promise<void> {
    readAt = performance.now()
    try {
      isHttps = (await readUrl()).trim().startsWith('https:')
    } catch {
      // The last value remains valid while the database is unavailable.
    }
  }
}

/** Returns whether a cookie gets `Secure`: the request or the site's public URL uses https. */
export function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https' || request.server.isHttpsSite()
}
