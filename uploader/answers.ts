import type { Answer } from './transport.ts'
import type { Problem } from './types.ts'

export type ResponseClass =
  | { kind: 'done'; body: unknown }
  /** May go well the next time. */
  | { kind: 'again'; problem: Problem }
  | { kind: 'busy'; retryAfter: number | null }
  | { kind: 'unauthorized' }
  /** This file cannot go on. */
  | { kind: 'refused'; problem: Problem }
  /** Nothing can go on. */
  | { kind: 'stop'; problem: Problem }

const passing = new Set(['upload_in_progress', 'digest_mismatch'])
const final = new Set(['share_not_found', 'share_already_completed', 'unauthenticated_shares_disabled'])
const codeOfStatus: Record<number, string> = { 413: 'payload_too_large', 507: 'insufficient_storage' }

/** What an answer means for the upload. */
export function classifyResponse({ status, body, retryAfter }: Answer): ResponseClass {
  if (status >= 200 && status < 300) return { kind: 'done', body }
  if (status === 401) return { kind: 'unauthorized' }
  if (status === 429 || status === 503) return { kind: 'busy', retryAfter }
  const problem = problemOf(status, body)
  if (status === 413 || status === 507 || final.has(problem.code)) return { kind: 'stop', problem }
  if (status >= 500 || status === 408 || status === 425 || passing.has(problem.code)) return { kind: 'again', problem }
  return { kind: 'refused', problem }
}

/** A proxy's answer has no code of ours: then its status says what it can. */
function problemOf(status: number, body: unknown): Problem {
  const { error, statusCode, message, ...details } = (body ?? {}) as Record<string, unknown>
  const known = typeof error === 'string' && /^[a-z_]+$/.test(error)
  return { code: known ? error : (codeOfStatus[status] ?? 'internal'), details: { ...details, status } }
}
