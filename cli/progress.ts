import type { Output } from './output.ts'
import { sizeText, timeText } from './texts.ts'

/** The progress of a transfer, in bytes and seconds; null while unknown. */
export interface TransferProgress {
  done: number
  total: number
  speed: number | null
  timeLeft: number | null
  /** Such as `2 of 5 files`. */
  more?: string
}

const barWidth = 24
const redrawEvery = 100 // ms
const lineEvery = 10_000 // ms

/**
 * Formats one line: `[######------]  52.0 %  1.0 GB of 2.0 GB  85.1 MB/s  12 s left`, cut to
 * `columns`.
 */
export function progressLine({ done, total, speed, timeLeft, more }: TransferProgress, columns: number): string {
  const ratio = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(ratio * barWidth)
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] `
  const parts = [
    `${(Math.floor(ratio * 1000) / 10).toFixed(1).padStart(5)} %`,
    `${sizeText(done)} of ${sizeText(total)}`,
    speed !== null && done < total && `${sizeText(Math.round(speed))}/s`,
    timeLeft !== null && done < total && `${timeText(timeLeft)} left`,
    more,
  ]
  const text = parts.filter(Boolean).join('  ')
  return (columns >= barWidth + 40 ? bar + text : text).slice(0, Math.max(0, columns - 1))
}

/**
 * Shows the progress of a transfer on standard error: on one line of a terminal, or as a line now
 * and then.
 */
export class Progress {
  readonly #mode: Output['progress']
  #last = Date.now()
  #drawn = false

  constructor(output: Output) {
    this.#mode = output.progress
  }

  /** Shows progress when it is time to, and computes it only then. */
  show(progress: () => TransferProgress): void {
    const now = Date.now()
    if (this.#mode === 'none' || now - this.#last < (this.#mode === 'bar' ? redrawEvery : lineEvery)) return
    this.#last = now
    if (this.#mode === 'lines') process.stderr.write(`${progressLine(progress(), 60).trim()}\n`)
    else this.#draw(progressLine(progress(), process.stderr.columns || 80))
  }

  /** Clears the line for the next output. */
  clear(): void {
    if (this.#drawn) process.stderr.write('\r\x1b[K')
    this.#drawn = false
  }

  #draw(line: string): void {
    process.stderr.write(`\r${line}\x1b[K`)
    this.#drawn = true
  }
}
