import { type BackendFactory, type ConnectionOptions, createPostgresBackend, runMigrations } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Connection } from '../db/connect.ts'
import { warnOfEviction } from './eviction.ts'

interface Log {
  warn(details: object, message: string): void
}

/** What BullMQ's classes take to reach the queue, on either engine. */
export interface QueueConnection {
  connection: ConnectionOptions
  /** undefined: Redis, BullMQ's own. */
  backend: BackendFactory | undefined
  /** Logs a failure of the connection or of the queue: one line in 5 s, because every queue and worker notices. */
  failed(err: Error): void
  /** Rejects when the queue cannot be reached now. */
  check(): Promise<void>
  /** Lets go of the connections; close every queue and worker on them first. */
  close(): Promise<void>
}

interface Options {
  redisUrl: string | null
  postgres: Connection
  /** PostgreSQL only: connections at most. A worker keeps one for each kind of job to be told of new ones. */
  max: number
  log: Log
}

/** Connects the queue: Redis where REDIS_URL is set, else PostgreSQL, whose tables are made or brought up to date first (schema `bullmq`). */
export async function connectQueue({ redisUrl, postgres, max, log }: Options): Promise<QueueConnection> {
  return redisUrl ? connectRedis(redisUrl, log) : connectPostgres(postgres, max, log)
}

function connectRedis(url: string, log: Log): QueueConnection {
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  const failed = seldom((err) => log.warn({ err }, 'Redis failed; the like in the next 5 s is not logged'))
  redis.on('error', failed)
  redis.on('ready', () => warnOfEviction(redis, log).catch(failed))
  return {
    failed,
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
  pool.setMaxListeners(0) // every queue and worker listens
  const failed = seldom((err) => log.warn({ err }, 'queue failed; the like in the next 5 s is not logged'))
  pool.on('error', failed)
  const client = await pool.connect()
  try {
    await runMigrations(client)
  } finally {
    client.release()
  }
  return {
    failed,
    connection: patientPool(pool) as unknown as ConnectionOptions,
    backend: createPostgresBackend as unknown as BackendFactory,
    async check() {
      await pool.query('select 1')
    },
    async close() {
      pool.removeAllListeners('error').on('error', () => {}) // that PostgreSQL may end them first is no news
      await pool.end()
    },
  }
}

/**
 * The pool as BullMQ sees it. BullMQ waits before it tries again only after an error that says ECONNREFUSED, and else asks on without a pause;
 * a PostgreSQL that is restarting says it in many other words.
 */
function patientPool(pool: pg.Pool) {
  const patiently = async <T>(work: Promise<T>) => {
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
    query: (text: string, values?: unknown[]) => patiently(pool.query(text, values)),
    connect: () => patiently(pool.connect()),
    end: () => pool.end(),
    on: (event: 'error' | 'connect', listener: (argument: never) => void) => pool.on(event as 'error', listener as () => void),
    removeAllListeners: (event: 'error' | 'connect') => pool.removeAllListeners(event),
  }
}

/** Whether PostgreSQL could not be reached, is shutting down or starting (SQLSTATE classes 57P and 08), or has no connection left (53300). */
function isAway(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P|08|53300)/.test(error.code ?? '')
}

const SELDOM = 5_000 // ms

function seldom(log: (err: Error) => void): (err: Error) => void {
  let last = Number.NEGATIVE_INFINITY
  return (err) => {
    if (performance.now() - last < SELDOM) return
    last = performance.now()
    log(err)
  }
}
