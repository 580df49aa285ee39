import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  RouteShorthandOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Contract, Endpoint, Input, Output } from './contract.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract of this route. */
    endpoint?: Endpoint
  }
}

/** Fastify passes the fields of `querystring` as `query`. */
type Query<E> = E extends { querystring: infer S extends TSchema } ? { query: Static<S> } : unknown
type Received<E> = FastifyRequest & Input<E> & Query<E>
type Handler<E> = (request: Received<E>, reply: FastifyReply) => Output<E> | Promise<Output<E> | FastifyReply>
type Options = Omit<RouteShorthandOptions, 'schema' | 'config'>

/**
 * Returns `on(key, options, handler)`, which registers a call of `contract`. Path, validation,
 * the reply's allowed fields and the handler's types come from the contract.
 */
export function endpoints<C extends Contract>(app: FastifyInstance, contract: C) {
  return function on<K extends keyof C & string>(key: K, options: Options, handler: Handler<C[K]>) {
    const [method, address] = key.split(' ') as [string, string]
    const [url, field] = address.split('?') as [string, string?]
    const endpoint = contract[key] as Endpoint
    const { summary, params, querystring, body, response, status = 200 } = endpoint
    const input = { ...(params && { params }), ...(querystring && { querystring }), ...(body && { body }) }
    app.route({
      ...options,
      ...(field && { constraints: { [queryField.name]: field } }),
      method,
      url,
      config: { endpoint } satisfies FastifyContextConfig,
      schema: { summary, ...input, ...(response && { response: { [status]: response } }) },
      handler: (request, reply) => handler(request as Received<C[K]>, reply.code(status)),
    })
  }
}

/**
 * Passes the bodies of an instance's calls as streams, whatever Content-Type the client sends, if
 * any (`curl -T` sends none).
 */
export function streamBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

type Strategy = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>[string]
type Route = Parameters<ReturnType<Strategy['storage']>['set']>[1]

/** Selects between routes with the same method and path by a field in the query string. */
export const queryField = {
  name: 'queryField',
  storage() {
    const routes = new Map<string, Route>()
    return {
      get: (query: string) => [...new URLSearchParams(query).keys()].map((field) => routes.get(field)).find(Boolean) ?? null,
      set: (field: string, route: Route) => void routes.set(field, route),
    }
  },
  deriveConstraint: ({ url = '' }: { url?: string | undefined }) => url.slice(url.indexOf('?') + 1 || url.length),
  mustMatchWhenDerived: false,
  validate() {},
} satisfies Strategy
