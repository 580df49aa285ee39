import type { Static, TSchema } from 'typebox'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type EndpointKey = `${Method} /${string}`

/** One call: what it takes and what it answers. Where `response` is absent the answer is bytes, or empty. */
export interface Endpoint {
  summary: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  response?: TSchema
  /** The status of success; 200 when absent. */
  status?: number
}
export type Contract = Record<EndpointKey, Endpoint>

type Part<E, K extends string> = E extends Record<K, infer S extends TSchema> ? { [P in K]: Static<S> } : unknown
/** What the handler receives and the client sends: params, querystring and body, where declared. */
export type Input<E> = Part<E, 'params'> & Part<E, 'querystring'> & Part<E, 'body'>
/** What the handler returns and the client gets. */
export type Output<E> = E extends { response: infer S extends TSchema } ? Static<S> : unknown
