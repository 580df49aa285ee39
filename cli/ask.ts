import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure, usage } from './failure.ts'

interface Waiting {
  resolve(line: string): void
  reject(error: Failure): void
}

/** Asks questions on the terminal, or takes the answers line by line from a pipe. Questions go to standard error. */
export class Prompt {
  #muted = false
  #ended = false
  readonly #given: string[] = []
  #waiting: Waiting | null = null
  readonly #lines

  constructor() {
    const { stdin, stderr } = process
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#muted) stderr.write(chunk)
        done()
      },
    })
    this.#lines = createInterface({ input: stdin, output, terminal: stdin.isTTY === true, historySize: 0 })
    this.#lines.on('line', (line) => {
      if (this.#waiting) this.#settle((waiting) => waiting.resolve(line))
      else this.#given.push(line)
    })
    this.#lines.on('SIGINT', () => this.#settle((waiting) => waiting.reject(new Failure('interrupted', 'interrupted', 'Interrupted.'))))
    this.#lines.on('close', () => {
      this.#ended = true
      this.#settle((waiting) => waiting.reject(noAnswer()))
    })
  }

  /** The line that is given, without spaces around it. Throws a Failure when there is none. */
  async ask(question: string): Promise<string> {
    process.stderr.write(question)
    const given = this.#given.shift()
    if (given !== undefined) return given.trim()
    if (this.#ended) throw noAnswer()
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
    return (await answer).trim()
  }

  /** The same for what nobody is to read over a shoulder. */
  async askSecret(question: string): Promise<string> {
    const answer = this.ask(question)
    this.#muted = true
    try {
      return await answer
    } finally {
      this.#muted = false
      if (process.stdin.isTTY) process.stderr.write('\n')
    }
  }

  close(): void {
    this.#lines.close()
  }

  #settle(how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting) how(waiting)
  }
}

/** Asks one question and goes on. */
export async function askOnce<T>(question: (asker: Prompt) => Promise<T>): Promise<T> {
  const asker = new Prompt()
  return question(asker).finally(() => asker.close())
}

const noAnswer = () => usage('The answer is missing: standard input has ended.')
