import { type QueryExecutorProvider, sql } from 'kysely'
import pg from 'pg'
import { type OnlineIndex, onlineIndexes } from '../../migrations/indexes.ts'
import type { Connection } from './connect.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** The lock of the process that builds. Waiting for it would block the build: see below. */
const BUILD_LOCK = '3853314791062309108'

/**
 * Builds the indexes that the database lacks, one after another, while other clients read and write.
 * An index that a former build left unfinished is built again. Returns at once if another process
 * builds. A failure is logged, and the next start tries again. It needs a connection to PostgreSQL
 * itself, because a pooler may keep the lock for another client.
 */
export async function buildIndexes(connection: Connection, log: Log, signal?: AbortSignal): Promise<void> {
  const client = new pg.Client({ ...connection, keepAlive: true, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // the pending call rejects with it
  const connected = client.connect()
  const stop = () => connected.then(() => client.end()).catch(() => {}) // ended earlier, it would connect forever
  signal?.addEventListener('abort', stop)
  try {
    await connected
    await buildMissing(client, log)
  } catch (err) {
    if (!signal?.aborted) log.warn({ err }, 'indexes could not be built; the next start tries again')
  } finally {
    signal?.removeEventListener('abort', stop)
    await stop()
  }
}

/**
 * Ends a build of indexes, also one that PostgreSQL continues for a killed process. Otherwise a
 * migration would wait for it, and all other statements for the migration.
 */
export async function endBuild(db: QueryExecutorProvider): Promise<void> {
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and datname = current_database() and usename = current_user
      and (classid::bigint << 32) + objid::bigint = ${sql.lit(BUILD_LOCK)}::bigint`.execute(db)
}

/** Settings that would cut a build where a role or a database has them. Not every PostgreSQL has all. */
const timeouts = `'statement_timeout', 'lock_timeout', 'transaction_timeout'`

/**
 * The lock is only tried: PostgreSQL finishes an index only after all statements that were running
 * have ended, and one that waits for the lock of the build would never end.
 */
async function buildMissing(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${BUILD_LOCK}) as locked`)
  if (!rows[0]?.locked) return
  await client.query(`select set_config(name, '0', false) from pg_settings where name in (${timeouts})`)
  for (const { index, isUnfinished } of await missing(client)) {
    if (index.on.includes('gin_trgm_ops') && !(await hasTrigrams(client))) {
      log.info({ index: index.name }, 'index not built: searches of many rows are slow without the extension pg_trgm')
      continue
    }
    if (isUnfinished) await client.query(`drop index concurrently if exists ${index.name}`)
    const since = performance.now()
    await client.query(`create index concurrently ${index.name} on ${index.on}`)
    log.info({ index: index.name, ms: Math.round(performance.now() - since) }, 'index built')
  }
  for (const { replaces } of onlineIndexes) if (replaces) await client.query(`drop index concurrently if exists ${replaces}`)
}

/** Returns the indexes that don't exist, or that PostgreSQL marks as unfinished. */
async function missing(client: pg.Client): Promise<{ index: OnlineIndex; isUnfinished: boolean }[]> {
  const { rows } = await client.query<{ name: string; valid: boolean }>(
    `select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = any($1) and pg_table_is_visible(indexrelid)`,
    [onlineIndexes.map(({ name }) => name)],
  )
  const found = new Map(rows.map(({ name, valid }) => [name, valid]))
  return onlineIndexes.filter(({ name }) => !found.get(name)).map((index) => ({ index, isUnfinished: found.has(index.name) }))
}

/** Creates the extension pg_trgm if it is missing. Returns false if the server or the role can't. */
async function hasTrigrams(client: pg.Client): Promise<boolean> {
  await client.query('create extension if not exists pg_trgm').catch(() => {})
  const { rowCount } = await client.query(`select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)`)
  return rowCount === 1
}
