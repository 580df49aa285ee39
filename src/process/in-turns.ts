import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from './steps.ts'

/** Milliseconds that work may hold the event loop at a time. */
const turnLength = 10

let lastTurn: Promise<void> = Promise.resolve()

/**
 * Does long work without blocking the event loop: after each 10 ms, other requests get their turn.
 * All such work of the process takes turns, so that the delay of other requests doesn't grow with
 * its amount.
 */
export async function inTurns<T>(work: Steps<T>): Promise<T> {
  let end = performance.now() + turnLength
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value
    if (performance.now() < end) continue
    lastTurn = lastTurn.then(() => nextTurn())
    await lastTurn
    end = performance.now() + turnLength
  }
}
