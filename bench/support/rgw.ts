import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { atEnd } from './closing.ts'
import { freePort, scratch } from './server.ts'

const script = resolve(import.meta.dirname, '../../test/support/s3/s3-server.sh')

export interface Bucket {
  client: S3Client
  name: string
  /** Environment variables for the server. */
  variables: Record<string, string>
}

/** Returns whether an S3 server is installed. */
export function hasRgw(): boolean {
  try {
    execFileSync('which', ['radosgw'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts a Ceph gateway in memory, with an empty bucket and an SDK client. */
export async function startRgw(): Promise<Bucket> {
  const settings = {
    ...process.env,
    RGW_DIR: `${await scratch()}/rgw`,
    RGW_PORT: String(freePort()),
    RGW_NBASE: String(freePort() + 300),
    RGW_BYTES: String(3 * 2 ** 30),
  }
  const lines = execFileSync(script, ['start'], { env: settings, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  atEnd(() => execFileSync(script, ['stop'], { env: settings }))
  const name = `bench-${randomUUID()}`
  const variables: Record<string, string> = {
    ...Object.fromEntries(
      lines
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ),
    S3_BUCKET: name,
  }
  const client = new S3Client({
    endpoint: variables.S3_ENDPOINT!,
    region: variables.S3_REGION!,
    credentials: { accessKeyId: variables.S3_ACCESS_KEY_ID!, secretAccessKey: variables.S3_SECRET_ACCESS_KEY! },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
  })
  atEnd(() => client.destroy())
  await client.send(new CreateBucketCommand({ Bucket: name }))
  return { client, name, variables }
}
