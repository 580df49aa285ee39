import { maxParts } from '../src/uploads/parts/part-size.ts'
import { fetchTransport } from '../uploader/fetch-transport.ts'
import type { Transport, TransportResponse } from '../uploader/transport.ts'
import { isPermitted } from './redirect.ts'
import type { Server } from './server.ts'
import { checkedId } from './shared-files.ts'

const invalid: TransportResponse = { status: 422, body: { error: 'unexpected_answer' }, retryAfter: null }
const retryAfterMax = 300_000 // ms

/**
 * Returns the transport for uploads to a server that may be hostile. It refuses impossible part
 * sizes and stores that are not permitted.
 */
export function uploadTransport(server: Server): Transport {
  const isAllowed = (url: string) => isPermitted(url, server.url)
  const { call, put } = fetchTransport({ baseUrl: server.url, headers: server.headers(), isAllowed })
  return {
    call: async (...request) => checked(await call(...request)),
    put: async (...request) => limitRetryAfter(await put(...request)),
  }
}

function limitRetryAfter(response: TransportResponse): TransportResponse {
  return { ...response, retryAfter: response.retryAfter === null ? null : Math.min(response.retryAfter, retryAfterMax) }
}

function checked(response: TransportResponse): TransportResponse {
  const { id, partSize, partCount, parts } = (response.body ?? {}) as Record<string, unknown>
  if (partSize === undefined && partCount === undefined) return limitRetryAfter(response)
  const isSize = Number.isSafeInteger(partSize) && Number(partSize) > 0
  const isCount = Number.isSafeInteger(partCount) && Number(partCount) >= 0 && Number(partCount) <= maxParts
  const areParts = parts === undefined || (Array.isArray(parts) && parts.length <= maxParts && parts.every(Number.isSafeInteger))
  return isSize && isCount && areParts && isId(id) ? limitRetryAfter(response) : invalid
}

function isId(id: unknown): boolean {
  try {
    return id === undefined || checkedId(id) === id
  } catch {
    return false
  }
}
