import type { Api } from '../src/contract.ts'
import type { ErrorCode } from '../src/errors.ts'
import type { Output } from '../src/http/contract.ts'
import { createClient, type InputArguments } from '../uploader/client.ts'
import type { Bytes } from '../uploader/encryption/bytes.ts'
import { address } from './lib/address.ts'
import { hasSession, refreshSession } from './lib/session.ts'

/** A rule that a field broke, from `validation_failed`. */
export interface Issue {
  path: string
  rule?: string
  params?: Record<string, unknown>
}

/**
 * The server's refusal, by its code; `network` when no response came. Its text is
 * `t('error.<code>', details)`.
 */
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

const client = createClient({ fetch: send, read, shouldRetry: refreshedSession })

/** Calls one endpoint: `api('DELETE /api/shares/:id', { params: { id } })`. @throws ApiError */
export async function api<K extends keyof Api>(key: K, ...input: InputArguments<K>): Promise<Output<Api[K]>> {
  return (await client.call(key, ...input)).data
}

/** Like `api`, with the response's headers. */
export const call = client.call

/** Like `api`, for an endpoint that accepts `multipart/form-data`. */
export async function sendForm<K extends keyof Api>(key: K, body: FormData): Promise<Output<Api[K]>> {
  return (await client.sendForm(key, body)).data
}

/** Like `api`, for an endpoint of bytes. Returns those of the response. */
export async function callForBytes(path: string, init: RequestInit): Promise<Bytes> {
  try {
    return await readBytes(await send(path, init))
  } catch (error) {
    if (!(await refreshedSession(error, path))) throw error
    return readBytes(await send(path, init))
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  return fetch(address(url), init).catch(() => {
    throw new ApiError('network', 0)
  })
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => '')
  if (!response.ok) throw refusal(response.status, text)
  return text ? JSON.parse(text) : null
}

async function readBytes(response: Response): Promise<Bytes> {
  if (!response.ok) throw refusal(response.status, await response.text().catch(() => ''))
  return new Uint8Array(await response.arrayBuffer())
}

/** Refreshes a session whose access token has expired. */
async function refreshedSession(error: unknown, path: string): Promise<boolean> {
  const isExpired = error instanceof ApiError && error.status === 401 && hasSession() && !path.includes('/api/auth/')
  return isExpired && refreshSession()
}

/** A proxy in between may respond with HTML. */
function refusal(status: number, text: string): ApiError {
  try {
    const { error, ...details } = JSON.parse(text) as { error: ErrorCode }
    return new ApiError(error, status, details)
  } catch {
    return new ApiError(status === 429 ? 'too_many_requests' : status === 413 ? 'payload_too_large' : 'unavailable', status)
  }
}
