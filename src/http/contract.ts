import type { Static, TSchema } from 'typebox'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/**
 * `METHOD /path`. A `?name` at the end selects between calls that share both, by the field `name`
 * in the query string.
 */
type EndpointKey = `${Method} /${string}`

/** One API call: its input and output. Without `response`, the reply is bytes or empty. */
export interface Endpoint {
  summary: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  /**
   * Bodies that the handler reads itself, by media type; null: any bytes. For the documentation.
   */
  consumes?: Record<string, TSchema | null>
  response?: TSchema
  /** The media type of a reply that is not JSON. For the documentation. */
  produces?: string
  /** Status code of a successful reply; 200 when absent. */
  status?: number
}
export type Contract = Record<EndpointKey, Endpoint>

type Part<E, K extends string> = E extends Record<K, infer S extends TSchema> ? { [P in K]: Static<S> } : unknown
/** What the handler receives and the client sends: params, querystring and body, where declared. */
export type Input<E> = Part<E, 'params'> & Part<E, 'querystring'> & Part<E, 'body'>
/** What the handler returns and the client gets. */
export type Output<E> = E extends { response: infer S extends TSchema } ? Static<S> : unknown
