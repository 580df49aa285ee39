import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'
import type { Context } from '../context.ts'
import { createSealer } from '../crypto/sealed.ts'
import { buildIndexes } from '../db/build-indexes.ts'
import { type Connection, connectDatabases } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import type { Env } from '../env.ts'
import { StartError } from '../errors.ts'
import { createLimiters } from '../http/rate-limit.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { watchedStore } from '../metrics/watched-store.ts'
import { identityProviders } from '../oauth/providers.ts'
import { connectQueue, type QueueConnection, throttled } from '../queue/connection.ts'
import { openQueue } from '../queue/queue.ts'
import { diskStore } from '../storage/disk/disk-store.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { S3Settings } from '../storage/s3/client.ts'
import type { S3Store } from '../storage/s3/s3-store.ts'
import { type Closer, createCloser } from './closing.ts'
import { checkSecretKey } from './secret-check.ts'
import { waitForDatabase } from './wait-for-database.ts'

interface OpenContext {
  ctx: Context
  /** For processes that also run workers. */
  queueConnection: QueueConnection
  /** Closes everything in reverse order. Stop everything that uses the context first. */
  close(): Promise<void>
}

interface Options {
  connection: Connection
  secretKey: string
  metrics: Metrics
  /** Maximum number of connections of the pool. */
  poolSize: number
  /**
   * Whether this process serves browsers, which may upload directly to the bucket. It also builds
   * missing indexes.
   */
  servesBrowsers?: boolean
  /** Cancels the wait for PostgreSQL. */
  signal?: AbortSignal
}

const needsDirectUrl =
  'DATABASE_URL leads to a connection pooler such as PgBouncer, through which the queue cannot wait for jobs: ' +
  'set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or REDIS_URL.'
const STORE_TIMEOUT = 5_000 // ms that a start waits for the object store

/**
 * Opens the shared resources of a process and migrates the database. Several processes may do so at
 * once. After an error, everything that was opened is closed again.
 * @throws {StartError} PostgreSQL can't be reached for 30 s, the database is too new, SECRET_KEY
 *   doesn't open its secrets, or a pooler needs another URL
 */
export async function openContext(env: Env, log: FastifyBaseLogger, options: Options): Promise<OpenContext> {
  const closing = createCloser(log)
  try {
    const { ctx, queueConnection } = await open(env, log, options, closing)
    return { ctx, queueConnection, close: closing.close }
  } catch (error) {
    await closing.close()
    throw error
  }
}

async function open(env: Env, log: FastifyBaseLogger, options: Options, closing: Closer) {
  const { connection, poolSize } = options
  const { isPooled } = await waitForDatabase(connection, env, log, options.signal)
  const direct = env.databaseDirectUrl ? { connectionString: env.databaseDirectUrl } : connection
  if (isPooled && !env.databaseDirectUrl && !env.redisUrl) throw new StartError(needsDirectUrl)
  await migrateDatabase(direct, log)
  if (options.servesBrowsers && (!isPooled || env.databaseDirectUrl)) buildInBackground(direct, log, closing)
  const databases = connectDatabases(connection, log, { max: poolSize, isPooled })
  closing.add('database', databases.close)
  const sealer = createSealer(options.secretKey)
  await checkSecretKey(databases.db, sealer)
  const { metrics } = options
  const storage = watchedStore(await openStorage(env, log, options.servesBrowsers), metrics)
  closing.add('object store', () => storage.close())
  const queueConnection = await connectQueue({ redisUrl: env.redisUrl, postgres: direct, log })
  closing.add('queue connection', queueConnection.close)
  const queue = openQueue(queueConnection, log)
  closing.add('queue', () => queue.close())
  const ctx: Context = {
    env,
    db: databases.db,
    pool: databases.pool,
    reader: databases.reader,
    checkDatabase: databases.check,
    storage,
    queue,
    limiters: createLimiters({ pool: databases.pool, ...redisForLimits(env, log, closing) }),
    sealer,
    log,
    metrics,
    identityProviders,
    now: () => new Date(),
  }
  return { ctx, queueConnection }
}

async function migrateDatabase(connection: Connection, log: FastifyBaseLogger): Promise<void> {
  const { db, close } = connectDatabases(connection, log, { max: 1 })
  try {
    for (const migration of await migrate(db)) log.info({ migration }, 'database migrated')
  } finally {
    await close()
  }
}

function buildInBackground(connection: Connection, log: FastifyBaseLogger, closing: Closer): void {
  const stop = new AbortController()
  const built = buildIndexes(connection, log, stop.signal)
  closing.add('index builder', () => {
    stop.abort()
    return built
  })
}

async function openStorage(env: Env, log: FastifyBaseLogger, servesBrowsers = false): Promise<ObjectStore> {
  if (!env.s3) return diskStore({ dir: join(env.dataDir, 'objects') })
  const store = await openBucket({ ...env.s3, appUrl: env.appUrl }, (warning) => log.warn({}, warning))
  // An unusable bucket doesn't prevent the start. Until it works, the process reports "not ready".
  const checked = store.check().catch((err) => log.error({ err }, 'object store is not usable yet'))
  await Promise.race([checked, sleep(STORE_TIMEOUT, undefined, { ref: false })])
  if (servesBrowsers) store.watchDirect(log)
  return store
}

/** Loads the large S3 client only if there is a bucket. */
async function openBucket(settings: S3Settings, warn: (message: string) => void): Promise<S3Store> {
  const { s3Store } = await import('../storage/s3/s3-store.ts')
  try {
    return s3Store(settings, undefined, warn)
  } catch (error) {
    throw new StartError(`S3_CA_FILE cannot be read: ${(error as Error).message}.`)
  }
}

/**
 * Opens a separate connection, because a request, unlike a job, must not wait for Redis: without a
 * connection, commands fail at once, and limits are counted in PostgreSQL.
 */
function redisForLimits(env: Env, log: FastifyBaseLogger, closing: Closer) {
  if (!env.redisUrl) return {}
  const redis = new Redis(env.redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 1_000 })
  redis.on(
    'error',
    throttled((err) => log.warn({ err }, 'Redis connection error; counting rate limits in PostgreSQL (repeats suppressed for 5 s)')),
  )
  closing.add('Redis', () => redis.disconnect())
  return { redis }
}
