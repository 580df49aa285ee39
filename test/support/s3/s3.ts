import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import type { S3Settings } from '../../../src/storage/s3/client.ts'
import { s3Store } from '../../../src/storage/s3/s3-store.ts'

/** The part of tap's `t` in use: cleanup at the end of the test, in reverse order. */
interface Test {
  teardown(work: () => Promise<unknown>): void
}

export type Variables = Record<'S3_ENDPOINT' | 'S3_REGION' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY', string>

const script = join(import.meta.dirname, 's3-server.sh')

/**
 * Why S3 cannot be tested here, or undefined when it can: by the server in `S3_ENDPOINT`, or by one
 * that the test starts.
 */
export const noS3: string | undefined =
  process.env.S3_ENDPOINT || spawnSync('which', ['radosgw']).status === 0
    ? undefined
    : 'no S3 server: run "test/support/s3/s3-server.sh install", or set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'

/**
 * A new empty bucket, removed with its content at the end of the test; of another server if given.
 */
export async function testBucket(t: Test, server?: Variables): Promise<S3Settings> {
  const variables = server ?? (process.env.S3_ENDPOINT ? (process.env as unknown as Variables) : await startServer(t))
  const settings: S3Settings = {
    endpoint: variables.S3_ENDPOINT,
    publicEndpoint: null,
    region: variables.S3_REGION ?? 'us-east-1',
    bucket: `test-${randomUUID()}`,
    credentials: { accessKeyId: variables.S3_ACCESS_KEY_ID, secretAccessKey: variables.S3_SECRET_ACCESS_KEY },
    forcePathStyle: true,
    caFile: null,
    direct: false,
    appUrl: null,
  }
  const client = plainClient(settings)
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }))
  t.teardown(async () => {
    await removeBucket(client, settings)
    client.destroy()
  })
  return settings
}

/** A client without the product's settings or guards, for inspecting the bucket. */
export function plainClient({ endpoint, region, credentials }: S3Settings): S3Client {
  return new S3Client({ endpoint: endpoint!, region, credentials: credentials!, forcePathStyle: true })
}

/** The keys of the objects and of the open uploads in the bucket. */
export async function contentOf(client: S3Client, bucket: string): Promise<{ objects: string[]; uploads: { key: string; id: string }[] }> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
  return { objects: Contents.map(({ Key }) => Key!), uploads: Uploads.map(({ Key, UploadId }) => ({ key: Key!, id: UploadId! })) }
}

async function removeBucket(client: S3Client, settings: S3Settings): Promise<void> {
  const { bucket } = settings
  const store = s3Store(settings)
  for (;;) {
    const { objects, uploads } = await contentOf(client, bucket)
    if (objects.length === 0 && uploads.length === 0) break
    await store.remove(objects)
    for (const { key, id } of uploads) {
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id }))
    }
  }
  await store.close()
  await client.send(new DeleteBucketCommand({ Bucket: bucket }))
}

/** A Ceph gateway for this test alone, on free ports. */
export async function startServer(t: Test): Promise<Variables> {
  const port = await freePorts()
  const environment = {
    ...process.env,
    RGW_DIR: join(tmpdir(), `rgw-${process.pid}-${port}`),
    RGW_PORT: String(port),
    RGW_BYTES: String(2 ** 30),
  }
  const run = async (command: string) => {
    const child = spawn(script, [command], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: Buffer[] = []
    child.stdout.on('data', (chunk) => lines.push(chunk))
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`s3-server.sh ${command} ended with ${code}`)
    return Buffer.concat(lines).toString()
  }
  t.teardown(() => run('stop'))
  const lines = (await run('start')).trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string])) as Variables
}

/** The first of 60 ports outside the system's ephemeral range, as far as its bounds are known. */
async function freePorts(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 220) * 100
    const free = await Promise.all([0, 20, 21, 22, 23, 24, 25].map((offset) => isFree(port + offset)))
    if (!free.includes(false)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.once('listening', () => server.close(() => resolve(true)))
  })
}
