import { type BackendFactory, type ConnectionOptions, createPostgresBackend, runMigrations } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Connection } from '../db/connect.ts'
import { isNotPermitted, missingRights } from '../db/rights.ts'
import { StartError } from '../errors.ts'
import { sharedClient } from './shared-client.ts'

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
  /** PostgreSQL itself, not a pooler. One connection is opened. */
  postgres: Connection
  log: Log
}

/**
 * Connects to Redis if REDIS_URL is set, otherwise to PostgreSQL, whose queue tables (schema
 * `bullmq`) are migrated first.
 */
export async function connectQueue({ redisUrl, postgres, log }: Options): Promise<QueueConnection> {
  return redisUrl ? connectRedis(redisUrl, log) : connectPostgres(postgres, log)
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

async function connectPostgres(connection: Connection, log: Log): Promise<QueueConnection> {
  const config = { ...connection, options: '-c search_path=bullmq,public', keepAlive: true, connectionTimeoutMillis: 10_000 }
  await migrateQueue(config)
  const client = sharedClient(config)
  const logError = throttled((err) => log.warn({ err }, 'queue connection error (repeats suppressed for 5 s)'))
  client.on('error', logError)
  return {
    logError,
    // BullMQ's types know only Redis; at run time its PostgreSQL backend accepts a pool here.
    connection: client as unknown as ConnectionOptions,
    backend: createPostgresBackend as unknown as BackendFactory,
    async check() {
      await client.query('select 1 from job limit 1')
    },
    close: () => client.end(),
  }
}

/**
 * Creates or updates BullMQ's tables, on a connection of its own: PostgreSQL's process would keep the
 * 8 MB that it needs for that.
 * @throws {StartError} the role may not create them
 */
async function migrateQueue(config: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(config)
  client.on('error', () => {}) // the pending call rejects with it
  await client.connect()
  try {
    await runMigrations(client)
  } catch (error) {
    throw isNotPermitted(error) ? new StartError(await missingRights((text) => client.query(text))) : error
  } finally {
    await client.end()
  }
}

const LOG_INTERVAL = 5_000 // ms

/** Limits a log function to one call in 5 s. */
export function throttled(log: (err: Error) => void): (err: Error) => void {
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
