import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Settings } from '../../../src/storage/s3/client.ts'
import { eventually } from '../app/worker.ts'
import { freePort } from '../listening.ts'

const root = join(import.meta.dirname, '../../..')

/** Why Garage cannot run here, or undefined when it can. */
export const noGarage: string | undefined =
  spawnSync('garage', ['--version']).status === 0 ? undefined : 'garage is not installed: cargo install garage'

/**
 * Starts Garage until the end of the test, with the command of docker-compose.yml and with
 * compose/garage.toml on free ports and a temporary folder. Returns the settings of its bucket.
 */
export async function startGarage(t: { teardown(work: () => Promise<unknown>): void }): Promise<S3Settings> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-garage-'))
  const [rpc, api, admin] = [await freePort(), await freePort(), await freePort()]
  const file = join(folder, 'garage.toml')
  const printed = await readFile(join(root, 'compose/garage.toml'), 'utf8')
  const text = printed
    .replaceAll('/var/lib/garage', folder)
    .replaceAll(':3901', `:${rpc}`)
    .replaceAll(':3900', `:${api}`)
    .replaceAll(':3903', `:${admin}`)
  await writeFile(file, text)
  const compose = await readFile(join(root, 'docker-compose.yml'), 'utf8')
  const [, ...words] = JSON.parse(/command: (\["\/garage".*\])/.exec(compose)![1]!) as string[]
  const credentials = { accessKeyId: `GK${randomBytes(12).toString('hex')}`, secretAccessKey: randomBytes(32).toString('hex') }
  const env = {
    ...process.env,
    GARAGE_DEFAULT_ACCESS_KEY: credentials.accessKeyId,
    GARAGE_DEFAULT_SECRET_KEY: credentials.secretAccessKey,
    GARAGE_DEFAULT_BUCKET: 'razorbill',
    GARAGE_RPC_SECRET: randomBytes(32).toString('hex'),
  }
  const server = spawn('garage', ['--config', file, ...words], { env, stdio: 'ignore' })
  const ended = once(server, 'exit')
  t.teardown(async () => {
    server.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  const endpoint = `http://127.0.0.1:${api}`
  await eventually(() => responds(endpoint), 'Garage listens')
  return {
    endpoint,
    publicEndpoint: null,
    region: 'garage',
    bucket: 'razorbill',
    credentials,
    forcePathStyle: true,
    caFile: null,
    direct: false,
    appUrl: null,
  }
}

async function responds(endpoint: string): Promise<boolean> {
  const response = await fetch(endpoint).catch(() => null)
  await response?.text()
  return response !== null
}
