import pg from 'pg'
import type { Connection } from './connect.ts'

export interface Probe {
  /** Whether a pooler such as PgBouncer is between this process and PostgreSQL. */
  isPooled: boolean
  /** Whether the server is a standby. */
  isReadOnly: boolean
  /** The major version of the server. */
  version: number
  /** How many connections the role, the database and the server allow. */
  connectionLimit: number
}

const probe = `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as read_only,
  current_setting('server_version_num')::int / 10000 as version,
  least(
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int) as connection_limit`

/**
 * Connects once and returns the facts about the server. A pooler shows in the process ID that it
 * announces, which differs from that of PostgreSQL.
 */
export async function probeDatabase(connection: Connection): Promise<Probe> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // the pending call rejects with it
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number; read_only: boolean; version: number; connection_limit: number }>(probe)
    const [{ pid, read_only, version, connection_limit }] = rows as [(typeof rows)[number]]
    const announced = (client as unknown as { processID: number }).processID
    return { isPooled: pid !== announced, isReadOnly: read_only, version, connectionLimit: connection_limit }
  } finally {
    await client.end()
  }
}
