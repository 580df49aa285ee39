const windowMs = 10_000

/** Speed over the last ten seconds: steady enough to read, quick enough to believe. */
export class SpeedMeter {
  #total = 0
  #samples: { at: number; total: number }[] = []

  /** So many more bytes have left. */
  add(bytes: number): void {
    this.#total += bytes
  }

  /** Forgets the past, as after a pause. */
  reset(): void {
    this.#samples = []
  }

  /** Bytes a second; null before there is a second to go by. */
  read(now = Date.now()): number | null {
    this.#samples.push({ at: now, total: this.#total })
    while (this.#samples.length > 2 && now - this.#samples[1]!.at >= windowMs) this.#samples.shift()
    const first = this.#samples[0]!
    const elapsed = now - first.at
    return elapsed < 1_000 ? null : ((this.#total - first.total) * 1_000) / elapsed
  }
}
