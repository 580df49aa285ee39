import type { Dirent } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Embedded, type Socket, startEmbedded } from '../../src/db/embedded.ts'
import { silentLog } from '../../test/support/app/log.ts'
import { startReplicas } from '../../test/support/app/replicas.ts'
import { dataFolder, postgresOf, type ServerProcess, startProcess, workerOf } from '../../test/support/app/server-process.ts'
import { freePort } from '../../test/support/listening.ts'
import { restartableRedis } from '../../test/support/redis.ts'
import { contentOf, plainClient, testBucket } from '../../test/support/s3/s3.ts'
import { socketOf } from '../scenarios/share-page.ts'

interface Cleanup {
  teardown(work: () => Promise<unknown>): void
}

/** A process that the soak kills and that runs again afterwards. */
interface Victim {
  name: string
  /** Kills it with SIGKILL, and returns when another one runs in its place. */
  kill(): Promise<void>
}

/** A running Razorbill with its processes. */
export interface Installation {
  name: string
  url(): string
  setupCode: string
  victims: Victim[]
  /** The process ids of the API and of workers, by name. */
  processes(): Record<string, number | undefined>
  /** The ports of the metrics. */
  metricsPorts: number[]
  query(text: string): Promise<pg.QueryResult>
  /** The keys of the stored objects. */
  objects(): Promise<string[]>
}

const quiet = { LOG_LEVEL: 'warn', TRUST_PROXY: '127.0.0.1' }

/** One server on one machine, with everything embedded and a worker process. */
export async function onDisk(t: Cleanup): Promise<Installation> {
  const dataDir = await dataFolder(t)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const environment = { ...quiet, DATA_DIR: dataDir, PORT: String(port), METRICS_PORT: String(metricsPort), WORKER: 'process' }
  let server: ServerProcess
  const start = async () => {
    server = startProcess(t, environment)
    await server.says('Razorbill is ready')
  }
  await start()
  return {
    name: 'one server, on disk',
    url: () => `http://127.0.0.1:${port}`,
    setupCode: '',
    processes: () => ({ server: server.child.pid, worker: workerOf(server) }),
    metricsPorts: [metricsPort],
    victims: [
      {
        name: 'server',
        async kill() {
          server.child.kill('SIGKILL')
          await server.ended
          await start()
        },
      },
      { name: 'worker', kill: async () => void process.kill(workerOf(server) as number, 'SIGKILL') },
      { name: 'PostgreSQL', kill: async () => void process.kill(postgresOf(dataDir), 'SIGKILL') },
    ],
    query: (text) => patientQuery(() => ({ host: socketOf(dataDir), port: 5432, user: 'razorbill', database: 'razorbill' }), text),
    async objects() {
      const entries = await entriesOf(join(dataDir, 'objects'))
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      return paths.map((path) => path.slice(join(dataDir, 'objects/').length)).filter((key) => !key.startsWith('tmp/'))
    },
  }
}

/** Reads a folder with its folders, again if one of them is removed meanwhile. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return entriesOf(folder)
  }
}

/** Two API processes behind a proxy, a worker, Redis and a Ceph gateway. */
export async function onS3(t: Cleanup): Promise<Installation> {
  const bucket = await testBucket(t as Parameters<typeof testBucket>[0])
  const redis = await restartableRedis(t)
  const database = await postgres(t)
  const metricsPorts = [await freePort(), await freePort()]
  const replicas = await startReplicas(t, { database, redisUrl: redis.url, bucket, environment: quiet, metricsPorts })
  let worker = await replicas.startWorker({ LOG_LEVEL: 'info' })
  const client = plainClient(bucket)
  t.teardown(async () => client.destroy())
  return {
    name: 'two replicas, on S3',
    url: replicas.url,
    setupCode: replicas.setupCode,
    processes: () => ({ 'first API': replicas.apis[0]?.child.pid, 'second API': replicas.apis[1]?.child.pid, worker: worker.child.pid }),
    metricsPorts,
    victims: [
      ...[0, 1].map((at) => ({
        name: ['first API', 'second API'][at] as string,
        async kill() {
          replicas.apis[at]?.child.kill('SIGKILL')
          await replicas.apis[at]?.ended
          await replicas.startApi(at)
        },
      })),
      {
        name: 'worker',
        async kill() {
          worker.child.kill('SIGKILL')
          await worker.ended
          worker = await replicas.startWorker({ LOG_LEVEL: 'info' })
        },
      },
      {
        name: 'Redis',
        async kill() {
          await redis.kill()
          await redis.start()
        },
      },
    ],
    query: (text) => patientQuery(() => database, text),
    objects: async () => (await contentOf(client, bucket.bucket)).objects,
  }
}

/** Runs a statement, again and again for a minute while PostgreSQL is away. */
async function patientQuery(database: () => Socket, text: string): Promise<pg.QueryResult> {
  for (const deadline = Date.now() + 60_000; ; await sleep(300)) {
    try {
      const client = new pg.Client(database())
      client.on('error', () => {}) // the connection is lost
      await client.connect()
      return await client.query(text).finally(() => client.end())
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

async function postgres(t: Cleanup): Promise<Socket> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-soak-'))
  const embedded: Embedded = await startEmbedded({ dataDir: join(folder, 'data'), log: silentLog, durable: true })
  t.teardown(async () => {
    await embedded.stop()
    await rm(folder, { recursive: true })
  })
  return embedded.connection
}
