import { type BackendFactory, type ConnectionOptions, createPostgresBackend, runMigrations } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Connection } from '../db/connect.ts'

interface Log {
  warn(details: object, message: string): void
}

/** The connection options of BullMQ's classes, for either engine. */
export interface QueueConnection {
  connection: ConnectionOptions
  /** undefined: Redis, BullMQ's default. */
  backend: BackendFactory | undefined
  /** Logs a connection error, at most once in 5 s, because every queue and worker reports it. */
  logError(err: Error): void
  /** Rejects when the queue cannot be reached now. */
  check(): Promise<void>
  /** Closes the connections. Close all queues and workers first. */
  close(): Promise<void>
}

interface Options {
  redisUrl: string | null
  postgres: Connection
  /** Maximum connections to PostgreSQL. A worker keeps one per kind of job to wait for new jobs. */
  max: number
  log: Log
}

/**
 * Connects to Redis if REDIS_URL is set, otherwise to PostgreSQL, whose queue tables (schema
 * `bullmq`) are migrated first.
 */
export async function connectQueue({ redisUrl, postgres, max, log }: Options): Promise<QueueConnection> {
  return redisUrl ? connectRedis(redisUrl, log) : connectPostgres(postgres, max, log)
}

function connectRedis(url: string, log: Log): QueueConnection {
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  const logError = throttled((err) => log.warn({ err }, 'Redis connection error (repeats suppressed for 5 s)'))
  redis.on('error', logError)
  redis.on('ready', () => warnOfEviction(redis, log).catch(logError))
  return {
    logError,
    connection: redis,
    backend: undefined,
    async check() {
      if (redis.status !== 'ready') throw new Error('Redis is not connected')
      await redis.ping()
    },
    async close() {
      redis.disconnect()
    },
  }
}

async function connectPostgres(connection: Connection, max: number, log: Log): Promise<QueueConnection> {
  const pool = new pg.Pool({
    ...connection,
    max,
    options: '-c search_path=bullmq,public',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
  })
  pool.setMaxListeners(0) // every queue and worker adds a listener
  const logError = throttled((err) => log.warn({ err }, 'queue connection error (repeats suppressed for 5 s)'))
  pool.on('error', logError)
  const client = await pool.connect()
  try {
    await runMigrations(client)
  } finally {
    client.release()
  }
  return {
    logError,
    // BullMQ's types know only Redis; at run time its PostgreSQL backend accepts a pool here.
    connection: retriedPool(pool) as unknown as ConnectionOptions,
    backend: createPostgresBackend as unknown as BackendFactory,
    async check() {
      await pool.query('select 1')
    },
    async close() {
      pool.removeAllListeners('error').on('error', () => {}) // PostgreSQL may have ended them first
      await pool.end()
    },
  }
}

/**
 * Wraps the pool for BullMQ, which pauses before a retry only after an ECONNREFUSED error and
 * otherwise retries in a tight loop. A restarting PostgreSQL reports many other errors.
 */
function retriedPool(pool: pg.Pool) {
  const withRefusal = async <T>(work: Promise<T>) => {
    try {
      return await work
    } catch (error) {
      throw isAway(error)
        ? Object.assign(new Error(`ECONNREFUSED: ${(error as Error).message}`, { cause: error }), { code: 'ECONNREFUSED' })
        : error
    }
  }
  return {
    options: pool.options,
    query: (text: string, values?: unknown[]) => withRefusal(pool.query(text, values)),
    connect: () => withRefusal(pool.connect()),
    end: () => pool.end(),
    on: (event: 'error' | 'connect', listener: (argument: never) => void) => pool.on(event as 'error', listener as () => void),
    removeAllListeners: (event: 'error' | 'connect') => pool.removeAllListeners(event),
  }
}

/**
 * Returns whether PostgreSQL can't be reached, is starting or shutting down (SQLSTATE classes 57P
 * and 08), or has no connection left (53300).
 */
function isAway(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P|08|53300)/.test(error.code ?? '')
}

const LOG_INTERVAL = 5_000 // ms

function throttled(log: (err: Error) => void): (err: Error) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (err) => {
    if (performance.now() - loggedAt < LOG_INTERVAL) return
    loggedAt = performance.now()
    log(err)
  }
}

/**
 * Warns when Redis evicts entries as its memory fills. No job is lost, because rows are the truth,
 * but an evicted job waits for the next clean-up.
 */
async function warnOfEviction(redis: Pick<Redis, 'info'>, log: Log): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy === undefined || policy === 'noeviction') return
  log.warn({ policy }, 'Redis evicts jobs when its memory is full; set its maxmemory-policy to noeviction')
}
