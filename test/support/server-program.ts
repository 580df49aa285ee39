import { type SpawnOptionsWithoutStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './app/worker.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** The environment of a program of ours: our PATH, and the folder of compiled code. */
export const programEnv = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/** Returns why a program can't run here; undefined if it can. */
export function unlessRuns(program: string, parameter: string, install?: string): string | undefined {
  if (spawnSync(program, [parameter]).status === 0) return undefined
  return `${program} is not installed${install ? `: ${install}` : ''}`
}

/** Creates a folder, which is deleted at the end of the test. */
export async function temporaryFolder(t: Test, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `razorbill-${name}-`))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

/**
 * Starts a server program, which is ended at the end of the test. Returns its URL once it accepts
 * connections at a port of this machine.
 */
export async function startProgram(
  t: Test,
  port: number,
  program: string,
  parameters: string[],
  options: SpawnOptionsWithoutStdio = {},
): Promise<string> {
  const child = spawn(program, parameters, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await eventually(async () => child.exitCode !== null || (await listens(port)), `${program} listens`)
  if (child.exitCode !== null) throw new Error(`${program} did not start:\n${output}`)
  return `http://127.0.0.1:${port}`
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })
}
