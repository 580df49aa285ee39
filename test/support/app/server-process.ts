import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programEnv } from '../server-program.ts'
import { eventually } from './worker.ts'

const project = fileURLToPath(new URL('../../..', import.meta.url))

/** The whole product as its command starts it, in a separate process group, as in a terminal. */
export interface ServerProcess {
  child: ChildProcess
  /** All output of the server and its worker so far. */
  output(): string
  /** Objects of the structured log with this message. */
  logged(message: string): Record<string, unknown>[]
  /** Resolves when the output contains `text`. Rejects when the process ends before. */
  says(text: string): Promise<void>
  /** The address it listens on, set once it reports that it is ready. */
  url(): string
  /** Resolves with the exit code (null: killed) when all output has come. */
  ended: Promise<number | null>
  /** Sends a signal to every process of the group, as a terminal's Ctrl-C does. */
  signalGroup(signal: NodeJS.Signals): void
}

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/**
 * A folder for a server's data. At the end of the test it is removed with all processes that still
 * run on it.
 */
export async function dataFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-life-'))
  t.teardown(async () => {
    const dataDir = join(folder, 'data')
    await eventually(() => processesOf(dataDir).length === 0, 'PostgreSQL ends by itself when the server is gone')
    await rm(folder, { recursive: true, force: true })
  })
  return join(folder, 'data')
}

/**
 * Starts `node {program}` with almost nothing from our environment and kills it at the end of the test.
 * `user` may be an id without a passwd entry.
 */
export function startProcess(t: Test, environment: Record<string, string>, program = 'src/server.ts', user?: number): ServerProcess {
  const own = user === undefined ? { HOME: process.env.HOME } : {}
  const env = { ...programEnv, ...own, PORT: '0', ...environment }
  const as = user === undefined ? {} : { uid: user, gid: 0 }
  const child = spawn(process.execPath, [program], { cwd: project, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...as })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  t.teardown(async () => {
    signalGroup('SIGKILL')
    await ended
  })
  const server: ServerProcess = {
    child,
    output: () => output,
    logged(message) {
      const lines = output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
      return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
    },
    async says(text) {
      await eventually(() => output.includes(text) || child.exitCode !== null || child.signalCode !== null, `it says "${text}"`)
      if (!output.includes(text)) throw new Error(`It ended instead of saying "${text}":\n${output}`)
    },
    url: () => /^Razorbill is ready: (\S+)$/m.exec(output)![1]!,
    ended,
    signalGroup,
  }
  return server
}

/** Starts the product on a data folder and waits until it serves. */
export async function startServer(t: Test, dataDir: string, environment: Record<string, string> = {}): Promise<ServerProcess> {
  const server = startProcess(t, { DATA_DIR: dataDir, ...environment })
  await server.says('Razorbill is ready')
  return server
}

/**
 * Returns the ids of the PostgreSQL servers that run on a data folder; as root their command line
 * doesn't name it.
 */
export function processesOf(dataDir: string): number[] {
  return processes().flatMap(({ pid, command, folder }) => (command.includes('-D') && folder === join(dataDir, 'postgres') ? [pid] : []))
}

/** The process id of the PostgreSQL that runs on a data folder. */
export function postgresOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
}

/** The process id of the worker that a server has started, or undefined while there is none. */
export function workerOf({ child }: ServerProcess): number | undefined {
  return processes().find(({ parent, command }) => parent === child.pid && command.some((part) => part.endsWith('worker/main.ts')))?.pid
}

/** The ids of the processes that a process has started. */
export function childrenOf(pid: number): number[] {
  return processes().flatMap((found) => (found.parent === pid ? [found.pid] : []))
}

/** Returns the processes of this machine from /proc, which only Linux has. */
function processes(): { pid: number; parent: number; command: string[]; folder: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return [{ pid: Number(name), parent: Number(parent), command, folder: readlinkSync(`/proc/${name}/cwd`) }]
    } catch {
      return [] // it has ended, or belongs to another user
    }
  })
}
