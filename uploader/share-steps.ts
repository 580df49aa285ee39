import { backoff, pause } from './backoff.ts'
import type { Exchange, Outcome, Request } from './exchange.ts'
import type { Problem, Tuning } from './types.ts'

const discardAttempts = 4
const discardTimeout = 20_000

/**
 * Completes the share, which opens it to visitors, and returns the problem, or null on success.
 * Deletes files that were announced but never sent, because the response to their announcement was
 * lost.
 */
export async function completeShare(
  exchange: Exchange,
  shareId: string,
  ours: ReadonlySet<string | null>,
  signal: AbortSignal,
  tuning: Tuning,
): Promise<Problem | null> {
  const share = pathOf(shareId)
  let attempt = 1
  while (!signal.aborted) {
    const outcome = await exchange.send({ method: 'POST', path: `${share}/complete` }, signal)
    if (outcome.kind === 'done') return null
    const problem = 'problem' in outcome ? outcome.problem : null
    if (problem?.code === 'share_already_completed') return null // the response to an earlier attempt was lost
    const unknown = unknownFiles(problem, ours)
    for (const id of unknown) await exchange.send({ method: 'DELETE', path: `${share}/files/${encodeURIComponent(id)}` }, signal)
    const hopeless = outcome.kind === 'stop' || (outcome.kind === 'refused' && unknown.length === 0)
    if (problem && (hopeless || attempt >= tuning.attempts)) return problem
    await pause(delayAfter(outcome, attempt, tuning), signal)
    if (problem) attempt++
  }
  return null
}

/**
 * Deletes the share, or each of its files where that is not allowed or not wanted. Gives up after
 * four attempts each.
 */
export async function discardUpload(
  exchange: Exchange,
  { shareId, discard = 'share' }: { shareId: string; discard?: 'share' | 'files' },
  fileIds: readonly string[],
  tuning: Tuning,
): Promise<void> {
  const share = pathOf(shareId)
  if (discard === 'share' && (await sendRepeatedly(exchange, { method: 'DELETE', path: share }, tuning)) !== 'refused') return
  const remaining = [...fileIds]
  const deleteNext = async () => {
    for (let id = remaining.pop(); id !== undefined; id = remaining.pop()) {
      await sendRepeatedly(exchange, { method: 'DELETE', path: `${share}/files/${encodeURIComponent(id)}` }, tuning)
    }
  }
  await Promise.all(Array.from({ length: tuning.concurrency }, deleteNext))
}

async function sendRepeatedly(exchange: Exchange, request: Request, tuning: Tuning): Promise<'done' | 'refused' | 'unreachable'> {
  const signal = AbortSignal.timeout(discardTimeout)
  for (let attempt = 1; attempt <= discardAttempts && !signal.aborted; attempt++) {
    const outcome = await exchange.send(request, signal)
    if (outcome.kind === 'done') return 'done'
    if (outcome.kind === 'stop' && outcome.problem.code === 'share_not_found') return 'done'
    if (outcome.kind === 'refused' || outcome.kind === 'stop') return 'refused'
    await pause(delayAfter(outcome, attempt, tuning), signal)
  }
  return 'unreachable'
}

function unknownFiles(problem: Problem | null, ours: ReadonlySet<string | null>): string[] {
  const files = problem?.code === 'upload_incomplete' ? problem.details.files : null
  return Array.isArray(files) ? files.filter((id): id is string => typeof id === 'string' && !ours.has(id)) : []
}

function delayAfter(outcome: Outcome, attempt: number, { retryDelay, retryDelayMax }: Tuning): number {
  if (outcome.kind === 'busy' && outcome.retryAfter !== null) return outcome.retryAfter
  return outcome.kind === 'refused' ? 0 : backoff(attempt, retryDelay, retryDelayMax)
}

const pathOf = (shareId: string) => `/api/shares/${encodeURIComponent(shareId)}`
