import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './listening.ts'

/** Why tests with Redis cannot run here, or false when they can. */
export const withoutRedis = (await run(['--version'], '/'))[1] ? false : 'redis-server is not installed'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/**
 * Starts a Redis on a free port of this machine until the end of the test, with optional extra
 * settings. Returns its URL.
 */
export async function startRedis(t: Test, settings: string[] = []): Promise<string> {
  return (await restartableRedis(t, settings)).url
}

/** The same, but it can be killed and restarted. It persists nothing. */
export async function restartableRedis(
  t: Test,
  settings: string[] = [],
): Promise<{ url: string; kill(): Promise<void>; start(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server: ChildProcess

  async function start(): Promise<void> {
    ;[server] = await run(['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...settings], folder)
    const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
    client.on('error', () => {}) // until it listens
    await client.ping()
    client.disconnect()
  }

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  await start()
  t.teardown(async () => {
    await kill()
    await rm(folder, { recursive: true })
  })
  return { url, kill, start }
}

async function run(settings: string[], cwd: string): Promise<[server: ChildProcess, started: boolean]> {
  const server = spawn('redis-server', settings, { stdio: 'ignore', cwd })
  return [server, await Promise.race([once(server, 'spawn').then(() => true), once(server, 'error').then(() => false)])]
}
