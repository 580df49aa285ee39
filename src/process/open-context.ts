import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'
import type { Context } from '../context.ts'
import { createSealer } from '../crypto/sealed.ts'
import { type Connection, connectDatabases, type Databases } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import type { Env } from '../env.ts'
import { StartError } from '../errors.ts'
import { createLimiters } from '../http/rate-limit.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { watchedStore } from '../metrics/watched-store.ts'
import { identityProviders } from '../oauth/providers.ts'
import { connectQueue, type QueueConnection } from '../queue/connection.ts'
import { openQueue } from '../queue/queue.ts'
import { diskStore } from '../storage/disk/disk-store.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { S3Settings } from '../storage/s3/client.ts'
import type { S3Store } from '../storage/s3/s3-store.ts'
import { type Closer, createCloser } from './closing.ts'

export interface OpenContext {
  ctx: Context
  /** For whoever works on jobs as well. */
  queueConnection: QueueConnection
  /** Closes everything in reverse; what uses the context must have ended. */
  close(): Promise<void>
}

interface Options {
  connection: Connection
  secretKey: string
  metrics: Metrics
  /** Connections to the queue on PostgreSQL at most. */
  queueConnections: number
  /** Whether browsers come to this process, and may be sent on to the bucket. */
  direct?: boolean
  /** Gives up waiting for PostgreSQL. */
  signal?: AbortSignal
}

const PATIENCE = 30_000 // ms, for a PostgreSQL that is just starting
const LONGEST_CHECK = 5_000 // ms that a start waits for the object store

/**
 * Opens what the process shares and brings the database to this version; several processes may do so at once. Throws StartError when PostgreSQL cannot
 * be reached for 30 s. What was opened before an error is closed again.
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
  const databases = connectDatabases(options.connection, log)
  closing.add('database', databases.close)
  await waitForDatabase(databases, log, options.signal)
  for (const migration of await migrate(databases.db)) log.info({ migration }, 'database migrated')
  const { metrics } = options
  const storage = watchedStore(await openStorage(env, log, options.direct), metrics)
  closing.add('object store', () => storage.close())
  const queueConnection = await connectQueue({ redisUrl: env.redisUrl, postgres: options.connection, max: options.queueConnections, log })
  closing.add('queue connection', queueConnection.close)
  const queue = openQueue(queueConnection, log)
  closing.add('queue', () => queue.close())
  const ctx: Context = {
    env,
    db: databases.db,
    pool: databases.pool,
    reader: databases.reader,
    storage,
    queue,
    limiters: createLimiters({ pool: databases.pool, ...redisForLimits(env, log, closing) }),
    sealer: createSealer(options.secretKey),
    log,
    metrics,
    identityProviders,
    now: () => new Date(),
  }
  return { ctx, queueConnection }
}

async function waitForDatabase({ pool }: Databases, log: FastifyBaseLogger, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + PATIENCE
  for (;;) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      const pointless = /^(28|3D)/.test(code ?? '') // wrong password, no such database
      if (pointless || Date.now() > deadline) throw new StartError(`Cannot use PostgreSQL: ${message || code}. Check DATABASE_URL.`)
      log.warn({ reason: message || code }, 'PostgreSQL is not there yet')
      await sleep(1000, undefined, { signal })
    }
  }
}

async function openStorage(env: Env, log: FastifyBaseLogger, direct = false): Promise<ObjectStore> {
  if (!env.s3) return diskStore({ dir: join(env.dataDir, 'objects') })
  const store = await openBucket({ ...env.s3, appUrl: env.appUrl })
  // A bucket that cannot be used yet is no reason not to start: until it can, the process is not ready, and says why.
  const checked = store.check().catch((err) => log.error({ err }, 'the object store cannot be used yet'))
  await Promise.race([checked, sleep(LONGEST_CHECK, undefined, { ref: false })])
  if (direct) store.watchDirect(log)
  return store
}

/** Its client is large, and loaded only where there is a bucket. */
async function openBucket(settings: S3Settings): Promise<S3Store> {
  const { s3Store } = await import('../storage/s3/s3-store.ts')
  try {
    return s3Store(settings)
  } catch (error) {
    throw new StartError(`S3_CA_FILE cannot be read: ${(error as Error).message}.`)
  }
}

/** A connection of its own, because a request must not wait for a Redis that is away as a job may. */
function redisForLimits(env: Env, log: FastifyBaseLogger, closing: Closer) {
  if (!env.redisUrl) return {}
  const redis = new Redis(env.redisUrl, { maxRetriesPerRequest: 1, commandTimeout: 3_000 })
  redis.on('error', (err) => log.warn({ err }, 'Redis connection failed'))
  closing.add('Redis', () => redis.disconnect())
  return { redis }
}
