import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../listening.ts'
import { startProgram, temporaryFolder, unlessRuns } from '../server-program.ts'
import type { Variables } from './s3.ts'

/** Why VersityGW cannot run here, or undefined when it can. */
export const noVersityGw = unlessRuns('versitygw', '--version', 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0')

/** Starts a VersityGW, a second S3 server, on a folder until the end of the test. */
export async function startVersityGw(t: { teardown(work: () => Promise<unknown>): void }): Promise<Variables> {
  const folder = await temporaryFolder(t, 'versitygw')
  const [data, sidecar] = [join(folder, 'data'), join(folder, 'sidecar')]
  await Promise.all([data, sidecar].map((path) => mkdir(path)))
  const port = await freePort()
  const [id, secret] = ['testaccess', 'testsecret12345678']
  const words = ['--port', `127.0.0.1:${port}`, '--access', id, '--secret', secret, '--quiet', 'posix', '--sidecar', sidecar, data]
  const endpoint = await startProgram(t, port, 'versitygw', words)
  return { S3_ENDPOINT: endpoint, S3_REGION: 'us-east-1', S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }
}
