import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../app/worker.ts'
import { freePort } from '../listening.ts'
import type { Variables } from './s3.ts'

/** Why VersityGW cannot run here, or undefined when it can. */
export const noVersityGw: string | undefined =
  spawnSync('versitygw', ['--version']).status === 0
    ? undefined
    : 'versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0'

/** Starts a VersityGW, a second S3 server, on a folder until the end of the test. */
export async function startVersityGw(t: { teardown(work: () => Promise<unknown>): void }): Promise<Variables> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-versitygw-'))
  const [data, sidecar] = [join(folder, 'data'), join(folder, 'sidecar')]
  await Promise.all([data, sidecar].map((path) => mkdir(path)))
  const port = await freePort()
  const [id, secret] = ['testaccess', 'testsecret12345678']
  const words = ['--port', `127.0.0.1:${port}`, '--access', id, '--secret', secret, '--quiet', 'posix', '--sidecar', sidecar, data]
  const server = spawn('versitygw', words, { stdio: 'ignore' })
  const ended = once(server, 'exit')
  t.teardown(async () => {
    server.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  const endpoint = `http://127.0.0.1:${port}`
  await eventually(() => responds(endpoint), 'VersityGW listens')
  return { S3_ENDPOINT: endpoint, S3_REGION: 'us-east-1', S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }
}

async function responds(endpoint: string): Promise<boolean> {
  const reply = await fetch(endpoint).catch(() => null)
  await reply?.text()
  return reply !== null
}
