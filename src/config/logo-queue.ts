import { AppError } from '../errors.ts'

const placesMax = 4 // one logo is decoded, three wait: decoding takes up to 200 MB and some seconds
const secondsToWait = 10

let places = 0
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs `receive` at once and `decode` with its result when the logos before it are done, one at a time.
 * @throws `unavailable` with `retryAfter` in seconds, before anything is received, when too many are waiting.
 */
export async function inLogoQueue<Received, Result>(
  receive: () => Promise<Received>,
  decode: (received: Received) => Promise<Result>,
): Promise<Result> {
  if (places >= placesMax) throw new AppError('unavailable', { retryAfter: secondsToWait })
  places++
  try {
    const received = await receive()
    const result = last.then(() => decode(received))
    last = result.catch(() => {})
    return await result
  } finally {
    places--
  }
}
