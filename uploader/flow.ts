import { backoff } from './backoff.ts'

/**
 * Decides how many requests run at once: half as many when the server is busy (429, 503), one more
 * after each successful window.
 */
export class ConcurrencyControl {
  limit: number
  readonly #max: number
  readonly #delay: number
  readonly #delayMax: number
  #heldUntil = 0
  #reducedAt = 0
  #busyInRow = 0
  #successes = 0

  constructor(max: number, delay: number, delayMax: number) {
    this.limit = max
    this.#max = max
    this.#delay = delay
    this.#delayMax = delayMax
  }

  /** Returns the milliseconds until the next request may be sent. */
  wait(now = Date.now()): number {
    return Math.max(0, this.#heldUntil - now)
  }

  succeeded(): void {
    this.#busyInRow = 0
    if (this.limit === this.#max || ++this.#successes < this.limit * 2) return
    this.#successes = 0
    this.limit++
  }

  /**
   * Records that the server was busy for a request sent at `started`. Requests that were sent
   * together count once.
   */
  busy(started: number, retryAfter: number | null, now = Date.now()): void {
    if (started >= this.#reducedAt) {
      this.#busyInRow++
      this.#reducedAt = now
      this.#successes = 0
      this.limit = Math.max(1, Math.floor(this.limit / 2))
    }
    const delay = retryAfter ?? backoff(this.#busyInRow, this.#delay, this.#delayMax)
    this.#heldUntil = Math.max(this.#heldUntil, now + delay)
  }
}
