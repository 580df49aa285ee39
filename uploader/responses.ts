import type { TransportResponse } from './transport.ts'
import type { Problem } from './types.ts'

export type ResponseClass =
  | { kind: 'done'; body: unknown }
  /** May succeed the next time. */
  | { kind: 'again'; problem: Problem }
  | { kind: 'busy'; retryAfter: number | null }
  | { kind: 'unauthorized' }
  /** This file cannot continue. */
  | { kind: 'refused'; problem: Problem }
  /** No file can continue. */
  | { kind: 'stop'; problem: Problem }

const temporary = new Set(['upload_in_progress', 'digest_mismatch'])
const fatal = new Set(['share_not_found', 'share_already_completed', 'unauthenticated_shares_disabled'])
const codeOfStatus: Record<number, string> = {
  403: 'proxy_refusal',
  408: 'proxy_timeout',
  413: 'payload_too_large',
  504: 'proxy_timeout',
  507: 'insufficient_storage',
  524: 'proxy_timeout', // Cloudflare's
}

/** Returns what a response means for the upload. */
export function classifyResponse({ status, body, retryAfter }: TransportResponse): ResponseClass {
  if (status >= 200 && status < 300) return { kind: 'done', body }
  if (status === 401) return { kind: 'unauthorized' }
  if (status === 429 || status === 503) return { kind: 'busy', retryAfter }
  const problem = problemOf(status, body)
  if (status === 413 || status === 507 || fatal.has(problem.code)) return { kind: 'stop', problem }
  if (status >= 500 || status === 408 || status === 425 || temporary.has(problem.code)) return { kind: 'again', problem }
  return { kind: 'refused', problem }
}

/** A proxy's response has no code of ours, so its status decides. */
function problemOf(status: number, body: unknown): Problem {
  const { error, statusCode, message, ...details } = (body ?? {}) as Record<string, unknown>
  const hasCode = typeof error === 'string' && /^[a-z_]+$/.test(error)
  return { code: hasCode ? error : (codeOfStatus[status] ?? 'proxy_error'), details: { ...details, status } }
}
