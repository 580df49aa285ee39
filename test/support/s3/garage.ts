import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3Settings } from '../../../src/storage/s3/client.ts'
import { freePort } from '../listening.ts'
import { startProgram, temporaryFolder, unlessRuns } from '../server-program.ts'

const root = join(import.meta.dirname, '../../..')

/** Why Garage cannot run here, or undefined when it can. */
export const noGarage = unlessRuns('garage', '--version', 'cargo install garage')

/**
 * Starts Garage until the end of the test, with the command of docker-compose.yml and with
 * compose/garage.toml on free ports and a temporary folder. Returns the settings of its bucket.
 */
export async function startGarage(t: { teardown(work: () => Promise<unknown>): void }): Promise<S3Settings> {
  const folder = await temporaryFolder(t, 'garage')
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
  const endpoint = await startProgram(t, api, 'garage', ['--config', file, ...words], { env })
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
