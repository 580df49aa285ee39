import { backoff, pause } from './backoff.ts'
import type { Transport } from './transport.ts'

interface Times {
  retryDelay: number
  retryDelayMax: number
  timeout: number
}

/**
 * Distinguishes an outage, which ends the waiting by itself, from the failure of one request, which
 * is counted.
 */
export class Connection {
  /** The server is unreachable; the connection is checked again until it is back. */
  lost = false
  readonly #transport: Transport
  readonly #times: Times
  readonly #changed: () => void
  #checking: Promise<boolean> | null = null
  #sleep: AbortController | null = null
  #closed = false

  constructor(transport: Transport, times: Times, changed: () => void) {
    this.#transport = transport
    this.#times = times
    this.#changed = changed
  }

  /**
   * Checks the server after a failure: true when it is healthy; false after an outage has ended, or
   * on `close`.
   */
  check(): Promise<boolean> {
    this.#checking ??= this.#run().finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  /** Checks the server at once, because the network may be back. */
  wake(): void {
    this.#sleep?.abort()
  }

  close(): void {
    this.#closed = true
    this.wake()
  }

  async #run(): Promise<boolean> {
    if (await this.#healthy()) return true
    this.#set(true)
    for (let attempt = 1; !this.#closed; attempt++) {
      this.#sleep = new AbortController()
      await pause(backoff(attempt, this.#times.retryDelay, this.#times.retryDelayMax), this.#sleep.signal)
      if (await this.#healthy()) break
    }
    this.#set(false)
    return false
  }

  async #healthy(): Promise<boolean> {
    try {
      const { status } = await this.#transport.call({ method: 'GET', path: '/api/health' }, AbortSignal.timeout(this.#times.timeout))
      return status < 500
    } catch {
      return false
    }
  }

  #set(lost: boolean): void {
    this.lost = lost
    this.#changed()
  }
}
