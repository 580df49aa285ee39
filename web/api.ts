import type { Api } from '../src/contract.ts'
import type { ErrorCode } from '../src/errors.ts'
import type { Input, Output } from '../src/http/contract.ts'
import { hasSession, refreshSession } from './lib/session.ts'

/** A rule that a field broke, from `validation_failed`. */
export interface Issue {
  path: string
  rule?: string
  params?: Record<string, unknown>
}

/** The server's refusal, by its code; `network` when no answer came. Its text is `t('error.<code>', details)`. */
export class ApiError extends Error {
  readonly code: ErrorCode | 'network'
  readonly status: number
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode | 'network', status: number, details: Record<string, unknown> = {}) {
    super(code)
    this.code = code
    this.status = status
    this.details = details
  }

  get issues(): Issue[] {
    return Array.isArray(this.details.issues) ? (this.details.issues as Issue[]) : []
  }
}

interface Sent {
  params?: Record<string, string>
  querystring?: Record<string, unknown>
  body?: unknown
}
type Arguments<E> = unknown extends Input<E> ? [] : [Input<E>]
export interface Answer<T> {
  data: T
  headers: Headers
}

/** Calls one endpoint: `api('DELETE /api/shares/:id', { params: { id } })`. Throws ApiError. */
export async function api<K extends keyof Api>(key: K, ...input: Arguments<Api[K]>): Promise<Output<Api[K]>> {
  return (await call(key, ...input)).data
}

/** Like `api`, with the answer's headers. A session whose access token has run out is refreshed once. */
export async function call<K extends keyof Api>(key: K, ...[input]: Arguments<Api[K]>): Promise<Answer<Output<Api[K]>>> {
  return withSession(key, (input ?? {}) as Sent) as Promise<Answer<Output<Api[K]>>>
}

/** Like `api`, for a call that takes `multipart/form-data`. */
export async function sendForm<K extends keyof Api>(key: K, body: FormData): Promise<Output<Api[K]>> {
  return (await withSession(key, { body })).data as Output<Api[K]>
}

async function withSession(key: string, sent: Sent): Promise<Answer<unknown>> {
  try {
    return await request(key, sent)
  } catch (error) {
    const expired = error instanceof ApiError && error.status === 401 && hasSession() && !key.includes('/api/auth/')
    if (!expired || !(await refreshSession())) throw error
    return request(key, sent)
  }
}

async function request(key: string, { params = {}, querystring, body }: Sent): Promise<Answer<unknown>> {
  const [method, path] = key.split(' ') as [string, string]
  const response = await fetch(addressOf(path, params, querystring), { method, ...content(body) }).catch(() => {
    throw new ApiError('network', 0)
  })
  const text = await response.text().catch(() => '')
  if (!response.ok) throw refusal(response.status, text)
  return { data: text ? JSON.parse(text) : null, headers: response.headers }
}

function content(body: unknown): RequestInit {
  if (body === undefined) return {}
  return body instanceof FormData ? { body } : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

function addressOf(path: string, params: Record<string, string>, querystring?: Record<string, unknown>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
  const given = Object.entries(querystring ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length > 0 ? `${filled}?${new URLSearchParams(given)}` : filled
}

/** A proxy in between may answer in HTML. */
function refusal(status: number, text: string): ApiError {
  try {
    const { error, ...details } = JSON.parse(text) as { error: ErrorCode }
    return new ApiError(error, status, details)
  } catch {
    return new ApiError(status === 429 ? 'too_many_requests' : status === 413 ? 'payload_too_large' : 'unavailable', status)
  }
}
