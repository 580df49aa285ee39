import { SpeedMeter } from '../uploader/speed-meter.ts'
import type { Output } from './output.ts'
import { Progress, type TransferProgress } from './progress.ts'
import { plural } from './texts.ts'

/** Counts the bytes of a download and shows them. */
export class Meter {
  readonly #speed = new SpeedMeter()
  readonly #progress: Progress
  readonly #total: number
  readonly #count: number
  #bytes = 0
  #files = 0

  constructor(files: readonly { size: number; isDone: boolean }[], output: Output) {
    this.#progress = new Progress(output)
    this.#total = files.reduce((sum, { size }) => sum + size, 0)
    this.#count = files.length
    for (const { size, isDone } of files) if (isDone) this.addExisting(size, true)
  }

  /** Adds bytes of an earlier run; a negative number discards some. */
  addExisting(bytes: number, whole = false): void {
    this.#bytes += bytes
    if (whole) this.#files++
  }

  /** Adds received bytes. */
  received(bytes: number): void {
    this.#bytes += bytes
    this.#speed.add(bytes)
    this.#progress.show(() => this.#progressNow())
  }

  fileDone(): void {
    this.#files++
  }

  end(): void {
    this.#progress.clear()
  }

  #progressNow(): TransferProgress {
    const speed = this.#speed.read()
    const timeLeft = speed ? (this.#total - this.#bytes) / speed : null
    const more = this.#count > 1 ? `${this.#files} of ${plural(this.#count, 'file')}` : ''
    return { done: this.#bytes, total: this.#total, speed, timeLeft, more }
  }
}
