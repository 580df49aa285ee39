import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure, usage } from './failure.ts'

interface Waiting {
  resolve(line: string): void
  reject(error: Failure): void
}

/**
 * Asks questions on the terminal, or reads the answers from a pipe, one per line. Questions are
 * written to standard error.
 */
export class Prompt {
  #muted = false
  #ended = false
  readonly #lineBuffer: string[] = []
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
      else this.#lineBuffer.push(line)
    })
    this.#lines.on('SIGINT', () => this.#settle((waiting) => waiting.reject(new Failure('interrupted', 'interrupted', 'Interrupted.'))))
    this.#lines.on('close', () => {
      this.#ended = true
      this.#settle((waiting) => waiting.reject(noAnswer()))
    })
  }

  /**
   * Asks a question and returns the answer, trimmed. @throws Failure when standard input has ended
   */
  async ask(question: string): Promise<string> {
    process.stderr.write(question)
    const line = this.#lineBuffer.shift()
    if (line !== undefined) return line.trim()
    if (this.#ended) throw noAnswer()
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
    return (await answer).trim()
  }

  /** Asks a question without showing the answer. */
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

/** Runs `question` with a prompt and closes the prompt. */
export async function askOnce<T>(question: (prompt: Prompt) => Promise<T>): Promise<T> {
  const prompt = new Prompt()
  return question(prompt).finally(() => prompt.close())
}

const noAnswer = () => usage('The answer is missing: standard input has ended.')
