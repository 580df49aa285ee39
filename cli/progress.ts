import type { Output } from './output.ts'
import { sizeText, timeText } from './texts.ts'

/** How far a transfer is. Bytes; seconds; null while unknown. */
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

/** One line: `[######------]  52.0 %  1.0 GB of 2.0 GB  85.1 MB/s  12 s left`, cut to `columns`. */
export function progressLine({ done, total, speed, timeLeft, more }: TransferProgress, columns: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(part * barWidth)
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] `
  const said = [
    `${(Math.floor(part * 1000) / 10).toFixed(1).padStart(5)} %`,
    `${sizeText(done)} of ${sizeText(total)}`,
    speed !== null && done < total && `${sizeText(Math.round(speed))}/s`,
    timeLeft !== null && done < total && `${timeText(timeLeft)} left`,
    more,
  ]
  const text = said.filter(Boolean).join('  ')
  return (columns >= barWidth + 40 ? bar + text : text).slice(0, Math.max(0, columns - 1))
}

/** Shows how far a transfer is on standard error: over one line of a terminal, or as a line now and then. */
export class Progress {
  readonly #mode: Output['progress']
  #last = Date.now()
  #drawn = false

  constructor(output: Output) {
    this.#mode = output.progress
  }

  /** Asks for the standing only when it is time to show it. */
  show(standing: () => TransferProgress): void {
    const now = Date.now()
    if (this.#mode === 'none' || now - this.#last < (this.#mode === 'bar' ? redrawEvery : lineEvery)) return
    this.#last = now
    if (this.#mode === 'lines') process.stderr.write(`${progressLine(standing(), 60).trim()}\n`)
    else this.#draw(progressLine(standing(), process.stderr.columns || 80))
  }

  /** Leaves the line free for what is said next. */
  clear(): void {
    if (this.#drawn) process.stderr.write('\r\x1b[K')
    this.#drawn = false
  }

  #draw(line: string): void {
    process.stderr.write(`\r${line}\x1b[K`)
    this.#drawn = true
  }
}
