import type { Api } from '../src/contract.ts'
import type { Input, Output } from '../src/http/contract.ts'

/** The input of an endpoint, where it has one. */
export type InputArguments<K extends keyof Api> = unknown extends Input<Api[K]> ? [] : [Input<Api[K]>]

/** What a call sends, before it has types. */
interface RequestParts {
  params?: Record<string, string>
  querystring?: Record<string, unknown>
  body?: unknown
}

export interface ApiResponse<T> {
  data: T
  headers: Headers
}

export interface ClientOptions {
  /** Origin of the server; empty in a browser. */
  baseUrl?: string
  /** Sends a request. Its errors are those of the call. */
  fetch(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response>
  /** Returns the data of a response; throws for an error response. */
  read(response: Response): Promise<unknown>
  /**
   * Returns whether to repeat a call that has failed, for example after the session has been
   * refreshed.
   */
  shouldRetry?(error: unknown, path: string): Promise<boolean>
}

/**
 * Calls the endpoints of the API by their keys in the contract: `call('DELETE /api/shares/:id', {
 * params: { id } })`.
 */
export interface ApiClient {
  call<K extends keyof Api>(key: K, ...input: InputArguments<K>): Promise<ApiResponse<Output<Api[K]>>>
  /** Calls an endpoint that accepts `multipart/form-data`. */
  sendForm<K extends keyof Api>(key: K, body: FormData): Promise<ApiResponse<Output<Api[K]>>>
}

/** Returns a typed client of the API. */
export function createClient({ baseUrl = '', fetch, read, shouldRetry }: ClientOptions): ApiClient {
  async function request(key: string, { params = {}, querystring = {}, body }: RequestParts): Promise<ApiResponse<unknown>> {
    const [method = '', path = ''] = key.split(' ')
    const isJson = body !== undefined && !(body instanceof FormData)
    const response = await fetch(baseUrl + urlPath(path, params, querystring), {
      method,
      headers: isJson ? { 'content-type': 'application/json' } : {},
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    })
    return { data: await read(response), headers: response.headers }
  }

  async function retried(key: string, parts: RequestParts): Promise<ApiResponse<unknown>> {
    try {
      return await request(key, parts)
    } catch (error) {
      if (!(await shouldRetry?.(error, key))) throw error
      return request(key, parts)
    }
  }

  // The contract types the input and the output; in between, a call is untyped JSON.
  return {
    call: (key, ...[input]) => retried(key, (input ?? {}) as RequestParts) as Promise<ApiResponse<Output<Api[typeof key]>>>,
    sendForm: (key, body) => retried(key, { body }) as Promise<ApiResponse<Output<Api[typeof key]>>>,
  }
}

/** Fills in a path's parameters and adds the query string, without its undefined fields. */
function urlPath(path: string, params: Record<string, string>, querystring: Record<string, unknown>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const fields = Object.entries(querystring).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return fields.length > 0 ? `${filled}?${new URLSearchParams(fields)}` : filled
}
