import type pg from 'pg'
import { StartError } from '../../errors.ts'
import { connectDatabases } from '../connect.ts'
import { migrateTo } from '../migrate.ts'
import { ROLE } from './access.ts'
import { type Address, asSuperuser, prepareDatabase } from './database.ts'

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

interface Table {
  /** Quoted, with its schema. */
  name: string
  /** All columns with their types, in order. */
  definition: string
  /** The columns that hold values, which generated ones do not. */
  columns: string
}

/** Rows per statement. */
const BATCH = 500

/**
 * Copies the application's `database` between servers of different versions. Migrations create the
 * tables on `to`, where nothing may exist yet. The queue's tables are left out, because its jobs
 * are created again from rows.
 * @throws {StartError} the database belongs to a newer version of Razorbill, or a copy differs
 */
export async function copyDatabase(from: Address, to: Address, database: string, log: Log): Promise<void> {
  const migration = await lastMigration(from, database)
  await prepareDatabase(to, database, true)
  if (migration === null) return
  const target = connectDatabases({ host: to.socketDir, port: to.port, user: ROLE, database }, log)
  await migrateTo(target.db, migration).finally(target.close)
  await asSuperuser(from, database, (source) => asSuperuser(to, database, (copy) => copyRows(source, copy, log)))
}

/** Returns the newest migration of the database; null: it is missing or empty. */
async function lastMigration(server: Address, database: string): Promise<string | null> {
  const exists = await asSuperuser(server, 'postgres', (client) => client.query('select from pg_database where datname = $1', [database]))
  if (exists.rowCount === 0) return null
  return asSuperuser(server, database, async (client) => {
    const { rows } = await client.query<{ found: boolean }>(`select to_regclass('public.kysely_migration') is not null as found`)
    if (!rows[0]?.found) return null
    const last = await client.query<{ name: string }>('select name from public.kysely_migration order by name desc limit 1')
    return last.rows[0]?.name ?? null
  })
}

async function copyRows(source: pg.Client, copy: pg.Client, log: Log): Promise<void> {
  for (const client of [source, copy]) await client.query("set timezone = 'UTC'; set statement_timeout = 0")
  const existing = await tablesOf(source)
  const tables = await tablesOf(copy)
  for (const { name } of existing) {
    if (!tables.some((table) => table.name === name)) log.warn({ table: name }, 'table is unknown and not copied')
  }
  await source.query('begin isolation level repeatable read read only')
  // As a replica, the copy runs no triggers, so tables can be filled in any order.
  await copy.query('set session_replication_role = replica; begin')
  await copy.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  for (const table of tables) {
    const same = existing.some(({ name, definition }) => name === table.name && definition === table.definition)
    if (!same) throw new StartError(`The table ${table.name} differs from the one that migrations create.`)
    await copyTable(source, copy, table)
    if ((await fingerprint(source, table)) !== (await fingerprint(copy, table)))
      throw new StartError(`The rows of ${table.name} differ after copying them.`)
  }
  await copySequences(source, copy)
  await copy.query('commit')
  await copy.query('analyze')
}

async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select attrelid::regclass::text as name,
        string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum) as definition,
        string_agg(quote_ident(attname), ', ' order by attnum) filter (where attgenerated = '') as columns
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      group by attrelid order by 1`)
  return rows
}

/** Rows travel as text, which every version reads as the other has written it. */
async function copyTable(source: pg.Client, copy: pg.Client, { name, columns }: Table): Promise<void> {
  await source.query(`declare copied no scroll cursor for select original::text as row from ${name} original`)
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${BATCH} from copied`)
    if (rows.length === 0) break
    const statement = `insert into ${name} (${columns}) overriding system value select ${columns} from unnest($1::${name}[])`
    await copy.query(statement, [rows.map(({ row }) => row)])
  }
  await source.query('close copied')
}

/** Returns the number of rows and a checksum that does not depend on their order. */
async function fingerprint(client: pg.Client, { name }: Table): Promise<string> {
  const { rows } = await client.query<{ found: string }>(
    `select count(*) || ':' || coalesce(sum(('x' || left(md5(line::text), 15))::bit(60)::bigint), 0) as found from ${name} line`,
  )
  return rows.map(({ found }) => found).join()
}

async function copySequences(source: pg.Client, copy: pg.Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'`,
  )
  for (const { name } of rows) {
    const state = await source.query<{ last: string; called: boolean }>(`select last_value as last, is_called as called from ${name}`)
    for (const { last, called } of state.rows) await copy.query('select setval($1::regclass, $2, $3)', [name, last, called])
  }
}
