import { backoff, pause } from './backoff.ts'
import type { Transport } from './transport.ts'

interface Times {
  retryDelay: number
  retryDelayMax: number
  timeout: number
}

/** Tells an outage, which is waited out, from the failure of one request, which is counted. */
export class Connection {
  /** Nothing gets through; it is tried again and again. */
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

  /** Asked after a failure: true when the server is in good health; false once an outage has passed, or on `close`. */
  check(): Promise<boolean> {
    this.#checking ??= this.#run().finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  /** The network may be back: try at once. */
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
