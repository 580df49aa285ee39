import pg from 'pg'
import { ROLE, SUPERUSER } from './access.ts'
import type { Server } from './server.ts'

const NO_SUCH_DATABASE = '3D000' // SQLSTATE invalid_catalog_name

/** Where a server's socket is. */
export type Address = Pick<Server, 'socketDir' | 'port'>

/**
 * Creates the application's role and its `database` if they are missing. A database that belongs to
 * the superuser, as in earlier versions, is transferred to the role. If this is interrupted, the
 * next start completes it. Without `isNew`, it takes one connection, if there is a database.
 */
export async function prepareDatabase(server: Address, database: string, isNew: boolean): Promise<void> {
  try {
    if (isNew) await createDatabase(server, database)
    await asSuperuser(server, database, giveToRole)
  } catch (error) {
    if (isNew || (error as { code?: string }).code !== NO_SUCH_DATABASE) throw error
    await prepareDatabase(server, database, true)
  }
}

async function createDatabase(server: Address, database: string): Promise<void> {
  await asSuperuser(server, 'postgres', async (client) => {
    await createRole(client)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)} owner ${ROLE}`)
  })
}

async function giveToRole(client: pg.Client): Promise<void> {
  await createRole(client)
  await client.query(transferOwnership)
}

/** Creates the application's role if it is missing. */
export async function createRole(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [ROLE])
  if (rowCount === 0) await client.query(`create role ${ROLE} login`)
}

/** Runs `work` with an empty search path, so that it can't call functions that the role created. */
export async function asSuperuser<T>(server: Address, database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: server.socketDir, port: server.port, user: SUPERUSER, database, options: '-c search_path=' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Transfers all objects in one transaction. "reassign owned" refuses the first superuser, so each
 * object is altered. Dependent objects (a column's sequence, an index, a row type) follow.
 */
const transferOwnership = `do $$
declare
  statement text;
begin
  for statement in
    select format('alter schema %I owner to ${ROLE}', nspname)
      from pg_namespace where nspowner = '${SUPERUSER}'::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select format('alter %s %s owner to ${ROLE}',
        case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, class.oid::regclass)
      from pg_class class join pg_namespace on pg_namespace.oid = relnamespace
      where relowner = '${SUPERUSER}'::regrole and relkind in ('r', 'p', 'v', 'm', 'S') and nspname !~ '^pg_' and nspname <> 'information_schema'
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = class.oid and deptype in ('a', 'i') and refobjsubid > 0)
    union all
    select format('alter routine %s owner to ${ROLE}', routine.oid::regprocedure)
      from pg_proc routine join pg_namespace on pg_namespace.oid = pronamespace
      where proowner = '${SUPERUSER}'::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select format('alter type %s owner to ${ROLE}', type.oid::regtype)
      from pg_type type join pg_namespace on pg_namespace.oid = typnamespace
      where typowner = '${SUPERUSER}'::regrole and typtype in ('e', 'd', 'r') and nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select format('alter database %I owner to ${ROLE}', datname)
      from pg_database where datdba = '${SUPERUSER}'::regrole and datname = current_database()
  loop
    execute statement;
  end loop;
end $$`
