import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Socket } from '../../../src/db/embedded.ts'
import { freePort } from '../listening.ts'
import { databaseUrl, migratedDatabase } from '../postgres.ts'

const root = join(import.meta.dirname, '../../..')
const startWithin = 90_000 // ms, on a busy machine

/**
 * Ends the server when the test process has ended. Its worker, which has an IPC channel, ends with
 * the server.
 */
const endWithParent = `data:text/javascript,import { isMainThread } from 'node:worker_threads'; if (isMainThread && !process.channel) process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume().unref()`

interface RunningServer {
  url: string
  database: Socket
}

/**
 * Runs server and worker as `npm start` does until the end of the test, with a separate port, data
 * folder and migrated database.
 */
export async function startServer(t: Test, variables: Record<string, string> = {}): Promise<RunningServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rb-e2e-'))
  const [port, database] = [await freePort(), await migratedDatabase()]
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('S3_'))), // for the S3 tests only
    DATABASE_URL: databaseUrl(database),
    SECRET_KEY: 'the secret key of the browser tests',
    REDIS_URL: '',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    ...variables,
    DATA_DIR: dataDir,
    PORT: String(port),
  }
  const server = spawn(process.execPath, ['--import', endWithParent, 'src/server.ts'], { cwd: root, env, stdio: 'pipe' })
  const output: string[] = []
  server.stdout.on('data', (text) => output.push(String(text)))
  server.stderr.on('data', (text) => output.push(String(text)))
  t.teardown(async () => {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })
  const deadline = Date.now() + startWithin
  while (!(await isReady(url))) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${output.join('')}`)
    await sleep(100)
  }
  return { url, database }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await ended
}

/** Health probes get a response before the application is ready, and other requests after it. */
async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/api/version`).then(
    ({ ok }) => ok,
    () => false,
  )
}
