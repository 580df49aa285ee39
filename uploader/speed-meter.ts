const windowMs = 10_000

/** Measures the speed over the last ten seconds. */
export class SpeedMeter {
  #total = 0
  #samples: { at: number; total: number }[] = []

  /** Adds bytes that were transferred. */
  add(bytes: number): void {
    this.#total += bytes
  }

  /** Forgets the past, as after a pause. */
  reset(): void {
    this.#samples = []
  }

  /** Returns the bytes per second; null in the first second. */
  read(now = Date.now()): number | null {
    this.#samples.push({ at: now, total: this.#total })
    const start = this.#samples.findLastIndex(({ at }) => now - at >= windowMs)
    const latestStart = this.#samples.length - 2
    this.#samples.splice(0, Math.min(Math.max(0, start), Math.max(0, latestStart)))
    const [first = { at: now, total: this.#total }] = this.#samples
    const elapsed = now - first.at
    return elapsed < 1_000 ? null : ((this.#total - first.total) * 1_000) / elapsed
  }
}
