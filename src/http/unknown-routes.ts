import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/**
 * Refuses requests without a route, before their body is read: 405 with `Allow` if the path exists
 * for other methods (RFC 9110, 15.5.6), otherwise 404. Must run before the first route is
 * registered.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes = new Map<string, { segments: string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const route = routes.get(url) ?? { segments: url.split('/'), methods: new Set() }
    for (const name of [method].flat()) route.methods.add(name)
    routes.set(url, route)
  })
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? refusal(request) : undefined))
  app.setNotFoundHandler((request) => {
    throw refusal(request)
  })

  function refusal({ url, method }: FastifyRequest): AppError {
    const segments = url.replace(/\?.*/s, '').split('/')
    const candidates = [...routes.values()].filter((route) => matches(route.segments, segments))
    const allow = [...new Set(candidates.flatMap((route) => [...route.methods]))].sort()
    return allow.length === 0 || allow.includes(method) ? new AppError('not_found') : new AppError('method_not_allowed', { allow })
  }
}

function matches(pattern: string[], path: string[]): boolean {
  return (
    pattern.length === path.length && pattern.every((part, index) => (part.startsWith(':') ? path[index] !== '' : part === path[index]))
  )
}
