import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Env } from '../env.ts'
import { decodableUrl } from './malformed.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The path of APP_URL without a trailing slash, such as `/files`; empty at the root of a host.
     */
    basePath: string
  }
}

/** Returns the path of APP_URL without a trailing slash; empty at the root of a host. */
export function basePathOf({ appUrl }: Pick<Env, 'appUrl'>): string {
  return appUrl === null ? '' : new URL(appUrl).pathname.replace(/\/$/, '')
}

/**
 * Returns Fastify's `rewriteUrl`, which removes the base path. Requests without it are served too,
 * because some proxies remove it themselves and health checks don't have it.
 */
export function urlBelow(basePath: string): typeof decodableUrl {
  if (basePath === '') return decodableUrl
  return (request) => {
    const url = decodableUrl(request)
    const rest = url.slice(basePath.length)
    if (!url.startsWith(basePath) || !/^([/?]|$)/.test(rest)) return url
    return rest.startsWith('/') ? rest : `/${rest}`
  }
}

/** Decorates `app` with its base path, and adds that to the paths that responses redirect to. */
export function serveBelow(app: FastifyInstance, basePath: string): void {
  app.decorate('basePath', basePath)
  if (basePath === '') return
  app.addHook('onSend', async (_request, reply, payload) => {
    const target = reply.getHeader('location')
    if (typeof target === 'string' && /^\/(?!\/)/.test(target)) reply.header('location', basePath + target)
    return payload
  })
}

/** Returns the `Path` of a cookie for the requests below `path`, which is `/` for all of them. */
export function cookiePath({ server: { basePath } }: FastifyRequest, path: string): string {
  return basePath !== '' && path === '/' ? basePath : basePath + path
}

/**
 * Returns the prefix of a secure cookie's name (RFC 6265bis, 4.1.3). `__Host-` requires the path
 * `/`, so that other programs on the host would receive the cookie too.
 */
export function cookiePrefix({ server: { basePath } }: FastifyRequest): '__Host-' | '__Secure-' {
  return basePath === '' ? '__Host-' : '__Secure-'
}
