/** Renews the session once for all requests that got a 401. */
export class Session {
  /** Counts the renewals: a request sent before the last one is repeated. */
  generation = 0
  readonly #renew: () => Promise<boolean>
  #running: Promise<boolean> | null = null
  #renewalsInRow = 0

  constructor(renew: () => Promise<boolean>) {
    this.#renew = renew
  }

  /**
   * Renews the session. False when the user must sign in again; rejects when the server cannot be
   * reached.
   */
  async renewAfter(seen: number): Promise<boolean> {
    if (seen !== this.generation) return true
    if (this.#renewalsInRow >= 2) return false
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Records that a request was accepted. */
  accepted(): void {
    this.#renewalsInRow = 0
  }

  async #run(): Promise<boolean> {
    const renewed = await this.#renew()
    if (renewed) {
      this.generation++
      this.#renewalsInRow++
    }
    return renewed
  }
}
