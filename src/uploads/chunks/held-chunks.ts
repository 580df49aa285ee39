import { AppError } from '../../errors.ts'

/** Chunks held in memory at once, by all callers of this process. */
const heldMax = 2
/** Requests of one caller, and of all, that may wait for that. */
const waitingOfCallerMax = 4
const waitingMax = 32
const waitMax = 60_000 // ms
const retryAfter = 5 // s

interface Waiting {
  caller: string
  start: () => void
}

const holding = new Set<string>()
let waiting: Waiting[] = []

/**
 * Waits until this process may hold one more chunk in memory: two at once, and one for each caller. Returns how to end that; the body is not read before.
 *
 * @throws `unavailable` with `retryAfter` in seconds when too many wait, or for more than a minute.
 */
export async function holdChunk(caller: string): Promise<() => void> {
  if (!mayHold(caller)) await turnOf(caller)
  else holding.add(caller)
  return () => {
    holding.delete(caller)
    startNext()
  }
}

function mayHold(caller: string): boolean {
  return holding.size < heldMax && !holding.has(caller)
}

async function turnOf(caller: string): Promise<void> {
  const own = waiting.filter((other) => other.caller === caller).length
  if (own >= waitingOfCallerMax || waiting.length >= waitingMax) throw new AppError('unavailable', { retryAfter })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = { caller, start: resolve }
  const late = setTimeout(() => {
    waiting = waiting.filter((other) => other !== entry)
    reject(new AppError('unavailable', { retryAfter }))
  }, waitMax)
  waiting.push(entry)
  await promise.finally(() => clearTimeout(late))
}

function startNext(): void {
  const next = waiting.find(({ caller }) => mayHold(caller))
  if (!next) return
  waiting = waiting.filter((other) => other !== next)
  holding.add(next.caller)
  next.start()
}
