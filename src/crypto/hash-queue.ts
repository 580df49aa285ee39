import { AppError } from '../errors.ts'

/**
 * Why a password is hashed: a sign-in, a user's new password, or the password of a share or an
 * upload link.
 */
export type HashPurpose = 'sign-in' | 'new-password' | 'share'

// Hashing occupies threads of libuv's pool, which files and DNS need too.
// More than two at a time would slow down every upload. Each hash needs 19 MiB.
const maxRunning = 2
/**
 * Sign-ins always find a thread that no other purpose uses, because the others run one at a time.
 */
const maxRunningOthers = 1
const maxWaiting = { 'sign-in': 256, 'new-password': 64, share: 64 }
const retryAfter = 3 // seconds

const waiting: Record<HashPurpose, (() => void)[]> = { 'sign-in': [], 'new-password': [], share: [] }
const running = { all: 0, others: 0 }

/**
 * Runs a hash when a thread is free. Each purpose has its own queue, and sign-ins never wait for
 * other purposes.
 * @throws {AppError} unavailable: with `retryAfter` in seconds, when the queue of `purpose` is full
 */
export async function queueHash<T>(purpose: HashPurpose, hash: () => Promise<T>): Promise<T> {
  const queue = waiting[purpose]
  if (canRun(purpose)) start(purpose)
  else if (queue.length >= maxWaiting[purpose]) throw new AppError('unavailable', { retryAfter })
  else await new Promise<void>((resolve) => queue.push(resolve))
  try {
    return await hash()
  } finally {
    finish(purpose)
  }
}

function canRun(purpose: HashPurpose): boolean {
  return running.all < maxRunning && (purpose === 'sign-in' || running.others < maxRunningOthers)
}

function start(purpose: HashPurpose): void {
  running.all++
  if (purpose !== 'sign-in') running.others++
}

/**
 * Other purposes come first when they can run. Sign-ins have the remaining threads, so neither
 * starves.
 */
function finish(purpose: HashPurpose): void {
  running.all--
  if (purpose !== 'sign-in') running.others--
  const order = ['new-password', 'share', 'sign-in'] as const
  const next = order.find((candidate) => waiting[candidate].length > 0 && canRun(candidate))
  if (!next) return
  start(next)
  waiting[next].shift()?.()
}
