import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Test } from 'tap'
import type { Socket } from '../../../src/db/embedded.ts'

/** The program that runs only the embedded PostgreSQL. */
export const program = fileURLToPath(new URL('./embedded-program.ts', import.meta.url))

export interface Running {
  child: ChildProcess
  connection: Socket
}

export interface How {
  uid?: number
  env?: NodeJS.ProcessEnv
  durable?: boolean
  /** A folder with former PostgreSQL versions in its node_modules. */
  formerPrograms?: string
}

type ParsedOptions = { connection: Socket } | { refused: string }

/** Starts the program on `dataDir` and stops it at the end of the test. */
export function run(t: Test, dataDir: string, { uid, env, durable, formerPrograms = '' }: How = {}): ChildProcess {
  const child = spawn(process.execPath, [program, dataDir, durable ? 'durable' : '', formerPrograms], {
    stdio: ['ignore', 'pipe', 'inherit'],
    uid,
    gid: uid,
    env,
    cwd: '/',
  })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return child
}

async function firstLine(child: ChildProcess): Promise<ParsedOptions> {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
  return JSON.parse(line) as ParsedOptions
}

/** Starts the program and waits until PostgreSQL runs. */
export async function start(t: Test, dataDir: string, how: How = {}): Promise<Running> {
  const child = run(t, dataDir, how)
  const answer = await firstLine(child)
  if ('refused' in answer) throw new Error(answer.refused)
  return { child, connection: answer.connection }
}

/** Returns why the program does not start. */
export async function refusal(t: Test, dataDir: string, how: How = {}): Promise<string> {
  const answer = await firstLine(run(t, dataDir, how))
  return 'refused' in answer ? answer.refused : 'not refused'
}

/** Sends a signal and waits for the exit. */
export async function end({ child }: Pick<Running, 'child'>, signal: NodeJS.Signals): Promise<void> {
  if (!child.kill(signal)) throw new Error('it has ended already')
  await once(child, 'exit')
}

/** Runs one statement on a separate connection. */
export async function query<Row extends pg.QueryResultRow>(connection: Socket, text: string): Promise<Row[]> {
  const client = new pg.Client({ ...connection })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** The process id of the server on `dataDir`. */
export function postmasterOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** The path of a future data folder, in a folder that only its owner may enter. */
export function folder(t: Test): string {
  const dir = realpathSync(mkdtempSync('/tmp/razorbill-embedded-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'data')
}
