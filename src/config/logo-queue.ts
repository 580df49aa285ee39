import { AppError } from '../errors.ts'

const queueMax = 4 // one logo is decoded while three wait: decoding needs up to 200 MB and some seconds
const retryAfter = 10 // seconds

let queued = 0
let previous: Promise<unknown> = Promise.resolve()

/**
 * Runs `receive` at once, and `decode` with its result after the logos that are already in the
 * queue.
 * @throws {AppError} unavailable: too many are queued, with `retryAfter` in seconds; `receive` has
 *   not run
 */
export async function decodeInTurn<Received, Result>(
  receive: () => Promise<Received>,
  decode: (received: Received) => Promise<Result>,
): Promise<Result> {
  if (queued >= queueMax) throw new AppError('unavailable', { retryAfter })
  queued++
  try {
    const received = await receive()
    const result = previous.then(() => decode(received))
    previous = result.catch(() => {})
    return await result
  } finally {
    queued--
  }
}
