import { mostParts } from '../src/uploads/parts/part-size.ts'
import { fetchTransport } from '../uploader/fetch-transport.ts'
import type { Answer, Transport } from '../uploader/transport.ts'
import { isPermitted } from './redirect.ts'
import type { Server } from './server.ts'
import { checkedId } from './shared-files.ts'

const refused: Answer = { status: 422, body: { error: 'unexpected_answer' }, retryAfter: null }
const retryAfterMax = 300_000 // ms

/** Returns the transport of uploads to a server that may be anybody's: parts that cannot be are refused, and so are stores in places it must not reach. */
export function uploadTransport(server: Server): Transport {
  const isAllowed = (url: string) => isPermitted(url, server.url)
  const { call, put } = fetchTransport({ baseUrl: server.url, headers: server.headers(), isAllowed })
  return {
    call: async (...request) => checked(await call(...request)),
    put: async (...request) => patient(await put(...request)),
  }
}

function patient(answer: Answer): Answer {
  return { ...answer, retryAfter: answer.retryAfter === null ? null : Math.min(answer.retryAfter, retryAfterMax) }
}

function checked(answer: Answer): Answer {
  const { id, partSize, partCount, parts } = (answer.body ?? {}) as Record<string, unknown>
  if (partSize === undefined && partCount === undefined) return patient(answer)
  const isSize = Number.isSafeInteger(partSize) && Number(partSize) > 0
  const isCount = Number.isSafeInteger(partCount) && Number(partCount) >= 0 && Number(partCount) <= mostParts
  const areParts = parts === undefined || (Array.isArray(parts) && parts.length <= mostParts && parts.every(Number.isSafeInteger))
  return isSize && isCount && areParts && isId(id) ? patient(answer) : refused
}

function isId(id: unknown): boolean {
  try {
    return id === undefined || checkedId(id) === id
  } catch {
    return false
  }
}
