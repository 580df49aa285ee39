import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from './schema.ts'

/** The connection parameters of PostgreSQL: a URL, or the embedded server's unix socket. */
export type Connection = Pick<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'user' | 'database' | 'password'>

export interface Databases {
  /** For all statements and transactions. */
  db: Kysely<Database>
  pool: pg.Pool
  /** One shared, pipelined connection for the most frequent reads. Never use it for transactions or slow queries. */
  reader: Reader
  close(): Promise<void>
}

/** Runs prepared statements. */
export interface Reader {
  query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]>
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

interface Log {
  error(details: object, message: string): void
}

/** Opens a pool of at most 10 connections and the reader. Both reconnect after an outage. */
export function connectDatabases(connection: Connection, log: Log): Databases {
  const pool = new pg.Pool({ ...connection, types, max: 10, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 60_000 })
  let closed = false
  pool.on('error', (err) => {
    if (!closed) log.error({ err }, 'idle database connection error')
  })
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  const reader = pipelinedReader({ ...connection, types }, log)
  return {
    db,
    pool,
    reader,
    async close() {
      closed = true
      await reader.close()
      await db.destroy()
      if (!pool.ending) await pool.end() // Kysely does not end a pool that it has never used
    },
  }
}

function pipelinedReader(config: pg.ClientConfig, log: Log) {
  let current: Promise<pg.Client> | null = null
  let closed = false

  function connected(): Promise<pg.Client> {
    if (current) return current
    const client = new pg.Client({ ...config, pipeline: true, connectionTimeoutMillis: 10_000 } as pg.ClientConfig)
    const drop = () => {
      if (current === opening) current = null
    }
    client.on('error', (err) => {
      if (!closed) log.error({ err }, 'shared database connection error')
      drop()
    })
    client.on('end', drop)
    const opening = client.connect().then(() => client)
    opening.catch(drop)
    current = opening
    return opening
  }

  return {
    async query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
      const client = await connected()
      const { rows } = await client.query<Row>({ name, text, values })
      return rows
    },
    async close() {
      closed = true
      const client = await current?.catch(() => null)
      await client?.end()
    },
  }
}
