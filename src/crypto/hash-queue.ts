import { AppError } from '../errors.ts'

/** What a password is hashed for: an account's sign-in, an account's new password, or the password of a share or an upload link. */
export type Purpose = 'sign-in' | 'new-password' | 'share'

// Hashing takes threads of libuv's pool, which files and DNS need too: more than two at a time would hold up every upload. Each hash takes 19 MiB.
const parallel = 2
/** Everything but sign-ins runs one at a time, so that a sign-in always finds a thread that no other purpose uses. */
const parallelOthers = 1
const waitingMax = { 'sign-in': 256, 'new-password': 64, share: 64 }
const secondsToWait = 3

const waiting: Record<Purpose, (() => void)[]> = { 'sign-in': [], 'new-password': [], share: [] }
const running = { all: 0, others: 0 }

/**
 * Runs the work when a thread is free. Purposes have queues of their own, and a sign-in never waits for the hashes of other purposes.
 * @throws `unavailable` with `retryAfter` in seconds when too many of the same purpose wait already.
 */
export async function queued<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
  const queue = waiting[purpose]
  if (mayRun(purpose)) start(purpose)
  else if (queue.length >= waitingMax[purpose]) throw new AppError('unavailable', { retryAfter: secondsToWait })
  else await new Promise<void>((resolve) => queue.push(resolve))
  try {
    return await work()
  } finally {
    finish(purpose)
  }
}

function mayRun(purpose: Purpose): boolean {
  return running.all < parallel && (purpose === 'sign-in' || running.others < parallelOthers)
}

function start(purpose: Purpose): void {
  running.all++
  if (purpose !== 'sign-in') running.others++
}

/** Other purposes come first where they may run: sign-ins have the rest of the threads, so that neither starves. */
function finish(purpose: Purpose): void {
  running.all--
  if (purpose !== 'sign-in') running.others--
  const order = ['new-password', 'share', 'sign-in'] as const
  const next = order.find((candidate) => waiting[candidate].length > 0 && mayRun(candidate))
  if (!next) return
  start(next)
  waiting[next].shift()?.()
}
