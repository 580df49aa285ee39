import type { Static, TSchema } from 'typebox'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `METHOD /path`, and `?name` where two calls share both and the one that is meant has that field in its query string. */
export type EndpointKey = `${Method} /${string}`

/** One call: what it takes and what it answers. Where `response` is absent the answer is bytes, or empty. */
export interface Endpoint {
  summary: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  /** Bodies that the handler reads itself, by media type, for the documentation; null: any bytes. */
  consumes?: Record<string, TSchema | null>
  response?: TSchema
  /** The media type of an answer that is not JSON, beside `response` or in its place; for the documentation. */
  produces?: string
  /** The status of success; 200 when absent. */
  status?: number
}
export type Contract = Record<EndpointKey, Endpoint>

type Part<E, K extends string> = E extends Record<K, infer S extends TSchema> ? { [P in K]: Static<S> } : unknown
/** What the handler receives and the client sends: params, querystring and body, where declared. */
export type Input<E> = Part<E, 'params'> & Part<E, 'querystring'> & Part<E, 'body'>
/** What the handler returns and the client gets. */
export type Output<E> = E extends { response: infer S extends TSchema } ? Static<S> : unknown
