import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Contract, Endpoint, Input, Output } from './contract.ts'

/** Fastify's name for the query string's fields. */
type Query<E> = E extends { querystring: infer S extends TSchema } ? { query: Static<S> } : unknown
type Received<E> = FastifyRequest & Input<E> & Query<E>
type Handler<E> = (request: Received<E>, reply: FastifyReply) => Output<E> | Promise<Output<E>>
type Options = Omit<RouteShorthandOptions, 'schema'>

/** Gives `on(key, options, handler)` for one contract: the path, the validation, the answer's whitelist and the handler's types come from it. */
export function endpoints<C extends Contract>(app: FastifyInstance, contract: C) {
  return function on<K extends keyof C & string>(key: K, options: Options, handler: Handler<C[K]>) {
    const [method, url] = key.split(' ') as [string, string]
    const { summary, response, status = 200, ...input } = contract[key] as Endpoint
    app.route({
      ...options,
      method,
      url,
      schema: { summary, ...input, ...(response && { response: { [status]: response } }) },
      handler: (request, reply) => handler(request as Received<C[K]>, reply.code(status)),
    })
  }
}
