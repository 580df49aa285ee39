import { AppError } from '../../errors.ts'

/** Chunks that this process keeps in temporary files at once. */
const maxHeld = 2
/** Requests that may wait for this, per caller and in total. */
const maxWaitingPerCaller = 4
const maxWaiting = 32
const maxWait = 60_000 // ms
const retryAfter = 5 // s

interface Waiting {
  caller: string
  start: () => void
}

const holding = new Set<string>()
let waiting: Waiting[] = []

/**
 * Waits until this process may keep one more chunk in a temporary file: at most two at once, and
 * one per caller, so that no one fills the disk. Returns the function that frees the slot. The body
 * must not be read before.
 *
 * @throws {AppError} unavailable: too many requests wait, or this one for a minute; with
 *   `retryAfter` in seconds
 */
export async function reserveSpool(caller: string): Promise<() => void> {
  if (!mayHold(caller)) await waitForTurn(caller)
  else holding.add(caller)
  return () => {
    holding.delete(caller)
    startNext()
  }
}

function mayHold(caller: string): boolean {
  return holding.size < maxHeld && !holding.has(caller)
}

async function waitForTurn(caller: string): Promise<void> {
  const waitingOfCaller = waiting.filter((other) => other.caller === caller).length
  if (waitingOfCaller >= maxWaitingPerCaller || waiting.length >= maxWaiting) throw new AppError('unavailable', { retryAfter })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = { caller, start: resolve }
  const timer = setTimeout(() => {
    waiting = waiting.filter((other) => other !== entry)
    reject(new AppError('unavailable', { retryAfter }))
  }, maxWait)
  waiting.push(entry)
  await promise.finally(() => clearTimeout(timer))
}

function startNext(): void {
  const next = waiting.find(({ caller }) => mayHold(caller))
  if (!next) return
  waiting = waiting.filter((other) => other !== next)
  holding.add(next.caller)
  next.start()
}
