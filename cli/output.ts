import { exitCodes, type Failure } from './failure.ts'
import { plain } from './texts.ts'

interface OutputOptions {
  json: boolean
  quiet: boolean
}

/** Writes results to standard output and everything else to standard error. */
export class Output {
  readonly json: boolean
  readonly #quiet: boolean

  constructor({ json, quiet }: OutputOptions) {
    this.json = json
    this.#quiet = quiet
  }

  /** Writes the result: lines for people, or one JSON value. */
  result(lines: string | readonly string[], value: unknown): void {
    const text = this.json ? JSON.stringify(value) : [lines].flat().map(plain).join('\n')
    if (text) process.stdout.write(`${text}\n`)
  }

  /** Writes a message, unless in quiet or JSON mode. */
  note(text: string): void {
    if (!this.#quiet && !this.json) process.stderr.write(`${plain(text)}\n`)
  }

  failed({ code, message, details, ending }: Failure): void {
    const value = { error: code, message, exitCode: exitCodes[ending], ...details }
    process.stderr.write(this.json ? `${JSON.stringify(value)}\n` : `razorbill: ${plain(message)}\n`)
  }

  /** Returns whether progress is drawn on one line, written as lines now and then, or not shown. */
  get progress(): 'bar' | 'lines' | 'none' {
    if (this.#quiet || this.json) return 'none'
    return process.stderr.isTTY ? 'bar' : 'lines'
  }
}
