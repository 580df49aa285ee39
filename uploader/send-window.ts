const periodLength = 4 // multiples of `base`

/**
 * Limits the bytes of parts in flight to those that the connection sends within `ahead`
 * milliseconds, so that an interruption loses little. `base` bytes, or one part, are always
 * allowed, and parts below a 32nd of `base` are not counted. From time to time it tries whether
 * one more part raises the speed, because some networks limit each request and not their sum.
 */
export class SendWindow {
  readonly #base: number
  readonly #ahead: number
  #inFlight = 0
  /** Bytes per millisecond in the last period; null before the first part has arrived. */
  #speed: number | null = null
  /** Multiples of `base` that may be in flight however slow the connection is. */
  #width = 1
  #trying = false
  #tryInterval = 2 // periods
  #untilTry = 2
  #period = { bytes: 0, busy: 0, since: 0 }

  constructor(base: number, ahead: number) {
    this.#base = base
    this.#ahead = ahead
  }

  /** Returns whether a part of this length may be sent beside those in flight. */
  fits(bytes: number): boolean {
    return this.#inFlight === 0 || this.#isSmall(bytes) || this.#inFlight + bytes <= this.#limit
  }

  /** Records that a part is being sent. */
  begin(bytes: number, now = Date.now()): void {
    if (this.#isSmall(bytes)) return
    if (this.#inFlight === 0) this.#period.since = now
    this.#inFlight += bytes
  }

  /** Records that more bytes of a part were sent. */
  sent(bytes: number): void {
    this.#period.bytes += bytes
  }

  /** Records that a part is no longer in flight. */
  end(bytes: number, arrived: boolean, now = Date.now()): void {
    if (this.#isSmall(bytes)) return
    this.#inFlight -= bytes
    const period = this.#period
    period.busy += now - period.since
    period.since = now
    if (arrived && (this.#speed === null || period.bytes >= this.#base * periodLength)) this.#endPeriod()
  }

  get #limit(): number {
    return Math.max(this.#base * (this.#width + (this.#trying ? 1 : 0)), (this.#speed ?? 0) * this.#ahead)
  }

  #isSmall(bytes: number): boolean {
    return bytes < this.#base / 32
  }

  #endPeriod(): void {
    const { bytes, busy, since } = this.#period
    const speed = bytes / Math.max(1, busy)
    if (this.#trying) this.#judge(speed > (this.#speed ?? 0) * (1 + 0.6 / this.#width))
    else this.#untilTry--
    this.#trying = this.#untilTry <= 0
    this.#speed = speed
    this.#period = { bytes: 0, busy: 0, since }
  }

  /** Widens the window if the trial was faster; otherwise doubles the time until the next one. */
  #judge(isFaster: boolean): void {
    if (isFaster) this.#width++
    this.#tryInterval = isFaster ? 1 : this.#tryInterval * 2
    this.#untilTry = this.#tryInterval
  }
}
