import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import product from '../../package.json' with { type: 'json' }
import { atEnd } from './closing.ts'
import { residentOf } from './processes.ts'

const root = resolve(import.meta.dirname, '../..')
let nextPort = 18_300 + (process.pid % 500) * 20 // another run may go on beside this one

/** Returns a port for one server of this run. */
export const freePort = () => nextPort++

/** Creates a folder that is deleted at the end of the scenario. */
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
  /** Returns the resident memory of the API process in MB. */
  resident(): number
  /** The cookies of the administrator. */
  cookie: string
  stop(): Promise<void>
}

/**
 * Starts the server as `npm start` does, with its own data folder, and signs up the administrator.
 * `variables` extend its environment; its log is dropped, or written to the open file `log`.
 */
export async function startServer(
  dataDir?: string,
  variables: Record<string, string> = {},
  log: number | 'ignore' = 'ignore',
): Promise<Server> {
  const folder = dataDir ?? (await scratch())
  const port = freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'warn', ...variables }
  const [variable, flags] = product.scripts.start.replace('exec env ', '').split(' node ') as [string, string]
  const [name, value] = variable.split('=') as [string, string]
  const child = spawn(process.execPath, flags.split(' '), { cwd: root, env: { ...env, [name]: value }, stdio: ['ignore', log, 'inherit'] })
  const stop = () => stopProcess(child)
  atEnd(stop)
  const url = `http://127.0.0.1:${port}`
  await waitForResponse(`${url}/api/health/ready`, child)
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

/** Waits until a URL responds. */
export async function waitForResponse(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok) return
    await sleep(10)
  }
  throw new Error('the server ended during its start')
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** The first account, which is the administrator. */
export const administrator = { username: 'bench', password: 'correct horse battery' }

async function signUp(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/signUp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...administrator, email: 'bench@example.org' }),
  })
  if (!response.ok) throw new Error(`sign-up responded with ${response.status}: ${await response.text()}`)
  return cookiesOf(response)
}

/** Returns the cookies that a response sets, as a browser sends them. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
