/** Keeps the screen on (Screen Wake Lock API). Does nothing where the API is missing or refuses. */
export class WakeLock {
  #enabled = false
  #sentinel: WakeLockSentinel | null = null

  /**
   * Turns the lock on or off. The browser releases it when the page is hidden, so set it again when
   * it is visible.
   */
  set(enabled: boolean): void {
    this.#enabled = enabled
    if (enabled) void this.#request()
    else void this.#sentinel?.release()
  }

  async #request(): Promise<void> {
    if (!navigator.wakeLock || (this.#sentinel && !this.#sentinel.released)) return
    try {
      this.#sentinel = await navigator.wakeLock.request('screen')
      if (!this.#enabled) await this.#sentinel.release()
    } catch {
      // the page is hidden or the device saves energy
    }
  }
}
