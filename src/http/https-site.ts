import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Env } from '../env.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether this installation is reached by https, as APP_URL or the setting `general.appUrl` says. */
    isHttpsSite(): boolean
  }
}

const staleAfter = 5_000 // ms

/**
 * Decorates `app` with `isHttpsSite`. Without `appUrl` the setting decides, which `readUrl` returns. It is read in the background and at most every 5 s, because every response asks for it and
 * none may wait for the database. A change takes effect within that time and one request.
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
      // The last value stays while the database is away.
    }
  }
}

/** Whether a cookie for this request gets `Secure`: the request came by https, or the installation is reached by https behind a proxy. */
export function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https' || request.server.isHttpsSite()
}
