import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import product from '../../package.json' with { type: 'json' }
import { atEnd } from './closing.ts'

const root = resolve(import.meta.dirname, '../..')
let nextPort = 18_300

/** A port for one server of this run. */
export const freePort = () => nextPort++

/** A folder that goes when the scenario is over. */
export async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-bench-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export interface Server {
  url: string
  port: number
  dataDir: string
  pid: number
  /** Of the API process, in MB. */
  resident(): number
  /** The cookies of the administrator. */
  cookie: string
  stop(): Promise<void>
}

/** Starts the product as `npm start` does, with a data folder of its own, and signs its administrator up. `variables` are further ones of its environment; its log is dropped, or written to the open file `log`. */
export async function startServer(
  dataDir?: string,
  variables: Record<string, string> = {},
  log: number | 'ignore' = 'ignore',
): Promise<Server> {
  const folder = dataDir ?? (await scratch())
  const port = freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'warn', ...variables }
  const [, ...command] = product.scripts.start.replace('exec ', '').split(' ')
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', log, 'inherit'] })
  const stop = () => stopProcess(child)
  atEnd(stop)
  const url = `http://127.0.0.1:${port}`
  await answering(`${url}/api/health`, child)
  return {
    url,
    port,
    dataDir: folder,
    pid: child.pid!,
    resident: () => residentOf(child.pid!),
    cookie: dataDir ? '' : await signUp(url),
    stop,
  }
}

/** Waits until something answers there. */
export async function answering(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await sleep(10)
  }
  throw new Error('the server ended at once')
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Resident memory of a process in MB (proc_pid_status(5)). */
function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000
}

/** Who signs up first, and so is the administrator. */
export const administrator = { username: 'bench', password: 'correct horse battery' }

async function signUp(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/signUp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...administrator, email: 'bench@example.org' }),
  })
  if (!answer.ok) throw new Error(`sign-up answered ${answer.status}: ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
