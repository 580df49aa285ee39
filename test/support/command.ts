import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type TestApp, testApp } from './app/app.ts'
import { callsOf } from './calls.ts'
import { type Headers, signUp } from './people/people.ts'
import { programEnv } from './server-program.ts'

const program = join(import.meta.dirname, '../../cli/main.ts')

export interface ParsedOptions {
  /** null when it was killed. */
  code: number | null
  out: string
  err: string
}

export interface Running {
  child: ChildProcess
  ended: Promise<ParsedOptions>
}

/** A user's machine: a separate home in which `razorbill` runs, and a folder for files. */
export class Machine {
  readonly folder: string
  readonly files: string
  env: Record<string, string> = {}

  constructor(t: Test) {
    this.folder = mkdtempSync(join(tmpdir(), 'razorbill-cli-'))
    this.files = mkdtempSync(join(this.folder, 'files-'))
    t.teardown(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  /** Starts a command with almost nothing from our environment. `input` is its standard input. */
  start(words: readonly string[], input = ''): Running {
    const running = this.#spawn(process.execPath, [program, ...words])
    running.child.stdin?.end(input)
    return running
  }

  #spawn(command: string, words: readonly string[]): Running {
    const env = { ...programEnv, HOME: this.folder, ...this.env }
    const child = spawn(command, words, { cwd: this.files, env, stdio: 'pipe' })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.stdin.on('error', () => {}) // the command may exit without reading it
    const ended = new Promise<ParsedOptions>((resolve) => child.once('close', (code) => resolve({ code, out, err })))
    return { child, ended }
  }

  /** Starts a command in a terminal, whose output is all in `out`. */
  startInTerminal(words: readonly string[]): Running {
    const command = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ')
    return this.#spawn('script', ['-qec', command, '/dev/null'])
  }

  run(...words: string[]): Promise<ParsedOptions> {
    return this.start(words).ended
  }
}

interface Installation extends TestApp {
  url: string
  alice: Headers
  /** An API token of alice's. */
  token: string
}

/**
 * The real server on a free port, with an administrator and alice. `before` receives the
 * application before it listens.
 */
export async function installation(t: Test, before: (app: TestApp['app']) => void = () => {}): Promise<Installation> {
  const running = await testApp(t)
  before(running.app)
  const url = await running.app.listen({ port: 0, host: '127.0.0.1' })
  await signUp(running.app, 'root')
  const alice = await signUp(running.app, 'alice')
  const made = await callsOf(running.app, alice)('POST auth/tokens', { name: 'cli', scopes: ['shares:read', 'shares:write'] })
  return { ...running, url, alice, token: made.json().token }
}
