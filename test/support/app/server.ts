import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

const root = join(import.meta.dirname, '../../..')
const startWithin = 90_000 // ms, on a busy machine

/** Ends the server when the test that started it is gone, however it went. Its worker, which has a channel, ends with it. */
const endWithParent = `data:text/javascript,import { isMainThread } from 'node:worker_threads'; if (isMainThread && !process.channel) process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume().unref()`

interface RunningServer {
  url: string
  dataDir: string
}

/** Runs the whole product as `npm start` does, on a data folder and a port of its own; it is stopped and its folder removed with the test. */
export async function startServer(t: Test, variables: Record<string, string> = {}): Promise<RunningServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rb-e2e-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('S3_'))), // those are for the tests of S3
    DATABASE_URL: '',
    REDIS_URL: '',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    ...variables,
    DATA_DIR: dataDir,
    PORT: String(port),
  }
  const server = spawn(process.execPath, ['--import', endWithParent, 'src/server.ts'], { cwd: root, env, stdio: 'pipe' })
  const said: string[] = []
  server.stdout.on('data', (text) => said.push(String(text)))
  server.stderr.on('data', (text) => said.push(String(text)))
  t.teardown(async () => {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })
  const deadline = Date.now() + startWithin
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${said.join('')}`)
    await sleep(100)
  }
  return { url, dataDir }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await ended
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
