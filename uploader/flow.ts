import { backoff } from './backoff.ts'

/** How many requests may run at once: halved when the server asks for patience (429, 503), and one more after each window that went well. */
export class ConcurrencyControl {
  limit: number
  readonly #most: number
  readonly #delay: number
  readonly #delayMax: number
  #heldUntil = 0
  #reducedAt = 0
  #inRow = 0
  #went = 0

  constructor(most: number, delay: number, delayMax: number) {
    this.limit = most
    this.#most = most
    this.#delay = delay
    this.#delayMax = delayMax
  }

  /** Milliseconds until the next request may leave. */
  wait(now = Date.now()): number {
    return Math.max(0, this.#heldUntil - now)
  }

  succeeded(): void {
    this.#inRow = 0
    if (this.limit === this.#most || ++this.#went < this.limit * 2) return
    this.#went = 0
    this.limit++
  }

  /** The server was busy for a request that left at `started`. Requests that left together count once. */
  busy(started: number, retryAfter: number | null, now = Date.now()): void {
    if (started >= this.#reducedAt) {
      this.#inRow++
      this.#reducedAt = now
      this.#went = 0
      this.limit = Math.max(1, Math.floor(this.limit / 2))
    }
    const delay = retryAfter ?? backoff(this.#inRow, this.#delay, this.#delayMax)
    this.#heldUntil = Math.max(this.#heldUntil, now + delay)
  }
}
