import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setupCode } from '../../../src/auth/setup-code.ts'
import { createSealer } from '../../../src/crypto/sealed.ts'
import { connectDatabases } from '../../../src/db/connect.ts'
import type { Socket } from '../../../src/db/embedded.ts'
import type { S3Settings } from '../../../src/storage/s3/client.ts'
import { freePort } from '../listening.ts'
import { databaseUrl } from '../postgres.ts'
import { withoutRedis } from '../redis.ts'
import { noS3 } from '../s3/s3.ts'
import { noBalancer, startBalancer } from './balancer.ts'
import { silentLog } from './log.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

const secretKey = 'the secret key of the replicas, 32 characters and more'

/** Why no replicas can run here, or undefined when they can. */
export const noReplicas: string | undefined = noS3 ?? noBalancer ?? (withoutRedis || undefined)

interface Test {
  teardown(work: () => Promise<unknown>): void
}

interface Common {
  database: Socket
  redisUrl: string
  bucket: S3Settings
  /** Additional environment variables for every process. */
  environment?: Record<string, string>
  /** The ports of the metrics of both API processes. Default: free ones. */
  metricsPorts?: number[]
}

export interface Replicas {
  /** The fields of the first account, as calls come through a proxy. */
  setupCode: string
  /** The proxy before the API processes. */
  url(): string
  apis: ServerProcess[]
  /** Starts an API process, or restarts one in its place. Resolves when it serves. */
  startApi(at: number): Promise<void>
  startWorker(environment?: Record<string, string>): Promise<ServerProcess>
}

/** Two API processes behind a proxy, and their shared settings. The test starts the workers. */
export async function startReplicas(
  t: Test,
  { database, redisUrl, bucket, environment = {}, metricsPorts = [0, 0] }: Common,
): Promise<Replicas> {
  const dataDir = await mkdtemp(join(tmpdir(), 'razorbill-replica-'))
  t.teardown(() => rm(dataDir, { recursive: true }))
  const ports = [await freePort(), await freePort()]
  const url = await startBalancer(t, ports)
  const common = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl(database),
    REDIS_URL: redisUrl,
    SECRET_KEY: secretKey,
    S3_ENDPOINT: bucket.endpoint!,
    S3_REGION: bucket.region,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY_ID: bucket.credentials!.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucket.credentials!.secretAccessKey,
    APP_URL: url,
    TRUST_PROXY: '127.0.0.1',
    METRICS_PORT: '0',
    WORKER: 'off',
    ...environment,
  }
  const replicas: Replicas = {
    url: () => url,
    setupCode: setupCode(createSealer(secretKey)),
    apis: [],
    async startApi(at) {
      const api = startProcess(t, { ...common, PORT: String(ports[at]), METRICS_PORT: String(metricsPorts[at]) })
      replicas.apis[at] = api
      await api.says('Razorbill is ready')
    },
    async startWorker(more = {}) {
      const worker = startProcess(t, { ...common, ...more }, 'worker/main.ts')
      await worker.says('worker is ready')
      return worker
    },
  }
  await Promise.all(ports.map((_, at) => replicas.startApi(at)))
  return replicas
}

/** A connection to the database of the replicas, until the end of the test. */
export function lookInto(t: Test, database: Socket) {
  const { db, close } = connectDatabases(database, silentLog)
  t.teardown(close)
  return db
}
