/** Keeps the screen on (Screen Wake Lock API). Where there is none, or the battery is low, nothing happens. */
export class WakeLock {
  #wanted = false
  #sentinel: WakeLockSentinel | null = null

  /** The browser lets go when the page is hidden: say it again when it is seen. */
  set(wanted: boolean): void {
    this.#wanted = wanted
    if (wanted) void this.#take()
    else void this.#sentinel?.release()
  }

  async #take(): Promise<void> {
    if (!navigator.wakeLock || (this.#sentinel && !this.#sentinel.released)) return
    try {
      this.#sentinel = await navigator.wakeLock.request('screen')
      if (!this.#wanted) await this.#sentinel.release()
    } catch {
      // hidden page, or saving energy
    }
  }
}
