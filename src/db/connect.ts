import {
  CamelCasePlugin,
  Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  type QueryExecutorProvider,
  sql,
} from 'kysely'
import pg from 'pg'
import { WatchedPool } from './pool.ts'
import type { Database } from './schema.ts'
import { UnnamedClient } from './unnamed-client.ts'

/** The connection parameters of PostgreSQL: a URL, or the embedded server's unix socket. */
export type Connection = Pick<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'user' | 'database' | 'password'>

export interface Databases {
  /** For all statements and transactions. */
  db: Kysely<Database>
  pool: pg.Pool
  /**
   * One shared, pipelined connection for the most frequent reads. Never use it for transactions or
   * slow queries.
   */
  reader: Reader
  /** Rejects with a sentence for the operator if the database can't be used now. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Runs prepared statements. */
export interface Reader {
  query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]>
}

interface Options {
  /** Maximum connections of the pool; the reader has one more. */
  max?: number
  /** Whether a pooler such as PgBouncer is in between, which may not keep prepared statements. */
  isPooled?: boolean
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

const CONNECT_TIMEOUT = 10_000 // ms, including the wait for a free connection
const IDLE_TIMEOUT = 10_000 // ms

interface Log {
  error(details: object, message: string): void
}

/** Opens a pool and the reader. Both reconnect after an outage. */
export function connectDatabases(connection: Connection, log: Log, { max = 10, isPooled = false }: Options = {}): Databases {
  const Client = isPooled ? UnnamedClient : pg.Client
  const pool = new WatchedPool({
    ...connection,
    Client,
    types,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
  })
  let closed = false
  pool.on('error', (err) => {
    if (!closed) log.error({ err }, 'idle database connection error')
  })
  const db = new Kysely<Database>({
    dialect: new Dialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  const reader = pipelinedReader({ ...connection, types }, log, Client, (error) => pool.recordFailure(error))
  pool.onReadOnly = reader.reconnect
  return {
    db,
    pool,
    reader,
    check: () => pool.check(),
    async close() {
      closed = true
      await reader.close()
      await db.destroy()
      if (!pool.ending) await pool.end() // Kysely does not end a pool that it has never used
    },
  }
}

/** Waits until no other process migrates, and keeps others waiting until the transaction ends. */
export async function lockMigrations(transaction: QueryExecutorProvider): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)}::bigint)`.execute(transaction)
}

/**
 * In a transaction, the lock of a migration ends with it, so that it also works through a pooler.
 */
class Dialect extends PostgresDialect {
  override createAdapter() {
    return new Adapter()
  }
}

const MIGRATION_LOCK = '3853314791062309107' // Kysely's own, so that earlier versions wait as well

class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions): Promise<void> {
    if (!db.isTransaction) return super.acquireMigrationLock(db, options)
    await lockMigrations(db)
  }

  override async releaseMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions): Promise<void> {
    if (!db.isTransaction) await super.releaseMigrationLock(db, options)
  }
}

function pipelinedReader(config: pg.ClientConfig, log: Log, Client: typeof pg.Client, recordFailure: (error: unknown) => void) {
  let current: Promise<pg.Client> | null = null
  let closed = false

  function connected(): Promise<pg.Client> {
    if (current) return current
    const client = new Client({ ...config, pipeline: true, connectionTimeoutMillis: CONNECT_TIMEOUT } as pg.ClientConfig)
    const drop = () => {
      if (current === opening) current = null
    }
    client.on('error', (err) => {
      if (!closed) log.error({ err }, 'shared database connection error')
      drop()
    })
    client.on('end', drop)
    const opening = client.connect().then(() => client)
    opening.catch((error) => {
      recordFailure(error)
      drop()
    })
    current = opening
    return opening
  }

  async function disconnect(): Promise<void> {
    const dropped = current
    current = null
    const client = await dropped?.catch(() => null)
    await client?.end()
  }

  return {
    async query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
      const client = await connected()
      const { rows } = await client.query<Row>({ name, text, values })
      return rows
    },
    /** Ends the connection once its statements are done; the next statement opens another. */
    reconnect() {
      disconnect().catch((err) => log.error({ err }, 'shared database connection error'))
    },
    async close() {
      closed = true
      await disconnect()
    },
  }
}
