/** Renews the session once for however many requests were answered 401. */
export class Session {
  /** Counts the renewals: a request that left before the last one is simply repeated. */
  generation = 0
  readonly #renew: () => Promise<boolean>
  #running: Promise<boolean> | null = null
  #fruitless = 0

  constructor(renew: () => Promise<boolean>) {
    this.#renew = renew
  }

  /** False when the user must sign in again; rejects when the server cannot be reached. */
  async renewAfter(seen: number): Promise<boolean> {
    if (seen !== this.generation) return true
    if (this.#fruitless >= 2) return false
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** A request was let in. */
  accepted(): void {
    this.#fruitless = 0
  }

  async #run(): Promise<boolean> {
    const renewed = await this.#renew()
    if (renewed) {
      this.generation++
      this.#fruitless++
    }
    return renewed
  }
}
