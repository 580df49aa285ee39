import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { buildIndexes } from '../../src/db/build-indexes.ts'
import { connectDatabases } from '../../src/db/connect.ts'
import { ROLE, SUPERUSER } from '../../src/db/embedded/access.ts'
import { createRole } from '../../src/db/embedded/database.ts'
import { isAlive, readPostmaster } from '../../src/db/embedded/postmaster.ts'
import { openServer, type Server } from '../../src/db/embedded/server.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { type DataDirLock, lockDataDir } from '../../src/process/data-dir.ts'
import { silentLog } from './app/log.ts'

const project = realpathSync(fileURLToPath(new URL('../..', import.meta.url)))
const migrations = join(project, 'migrations')
const dataDir = join(tmpdir(), `razorbill-test-${hash(`${process.getuid!()}:${project}`)}`)
const opening = new Map<'server', Promise<Server>>()

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/**
 * Returns the test PostgreSQL of this project folder. The first test process that asks starts it,
 * and it outlives that process.
 */
function testPostgres(): Promise<Server> {
  const server = opening.get('server') ?? openTestServer()
  opening.set('server', server)
  return server
}

async function openTestServer(): Promise<Server> {
  const lock = await waitForLock()
  try {
    const logFile = join(lock.path, 'postgres.log')
    const server = await openServer({ dataDir: lock.path, maxConnections: 300, durable: false, logFile, onLog() {} })
    await inDatabase(asSuperuser(server), createRole)
    await dropOldDatabases(asSuperuser(server), server.adopted ? 20 : 0)
    return server
  } finally {
    lock.release()
  }
}

/** Stops the test PostgreSQL unless a client is connected to it. */
export async function stopTestPostgres(): Promise<void> {
  const running = readPostmaster(join(dataDir, 'postgres'))
  if (!running || !isAlive(running.pid)) return
  const server = await testPostgres()
  const lock = await waitForLock()
  try {
    const busy = await inDatabase(asSuperuser(server), async (client) => {
      const others = "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
      return (await client.query(others)).rowCount! > 0
    })
    if (!busy) await server.stop()
  } finally {
    lock.release()
  }
}

/** Creates an empty database for one test file. A later run drops it. */
export function emptyDatabase(): Promise<Socket> {
  return createDatabase(async () => 'template1')
}

/**
 * Creates a database with the current tables for one test file. It copies a template, which is
 * built once per version of the tables.
 */
export function migratedDatabase(): Promise<Socket> {
  return createDatabase(createTemplate)
}

async function createDatabase(templateFor: (client: pg.Client, server: Server) => Promise<string>): Promise<Socket> {
  const server = await testPostgres()
  const database = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await inDatabase(asSuperuser(server), async (client) => {
    const template = await templateFor(client, server)
    await retryWhileInUse(() => client.query(`create database ${database} template ${template} owner ${ROLE}`))
  })
  return at(server, database)
}

/**
 * The template is migrated under another name, so an existing template is complete. The advisory
 * lock makes other test processes wait.
 */
async function createTemplate(client: pg.Client, server: Server): Promise<string> {
  const template = templateName()
  await client.query("select pg_advisory_lock(hashtext('razorbill test template'))")
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount! > 0) return template
    await client.query('drop database if exists unfinished_template')
    await client.query(`create database unfinished_template owner ${ROLE}`)
    const { db, close } = connectDatabases(at(server, 'unfinished_template'), silentLog)
    await migrate(db).finally(close)
    await buildIndexes(at(server, 'unfinished_template'), silentLog)
    await retryWhileInUse(() => client.query(`alter database unfinished_template rename to ${template}`))
    return template
  } finally {
    await client.query("select pg_advisory_unlock(hashtext('razorbill test template'))")
  }
}

/**
 * Returns a name that changes with the files in migrations/ and with the packages, which may create
 * tables too.
 */
function templateName(): string {
  const files = readdirSync(migrations).map((name) => join('migrations', name))
  return `template_${hash([ROLE, ...['package.json', ...files.sort()].map((name) => `${name}\n${readFileSync(join(project, name), 'utf8')}`)].join('\n'))}`
}

/**
 * Drops databases of ended test processes and templates of other migrations if there are more than
 * `keep`. Databases in use stay.
 */
async function dropOldDatabases(postgres: Socket, keep: number): Promise<void> {
  await inDatabase(postgres, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      String.raw`select datname as name from pg_database where datname like 'test\_%' or (datname like 'template\_%' and datname <> $1)`,
      [templateName()],
    )
    const old = rows.filter(({ name }) => {
      const [, owner] = /^test_(\d+)_/.exec(name) ?? []
      return !owner || !isAlive(Number(owner))
    })
    if (old.length <= keep) return
    for (const { name } of old) {
      await client.query(`drop database if exists ${name}`).catch(unlessInUse)
    }
  })
}

function unlessInUse(error: Error): void {
  if (!isInUse(error)) throw error
}

function isInUse(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55006'
}

/** PostgreSQL notices a closed connection a moment later than the client. */
async function retryWhileInUse<T>(statement: () => Promise<T>): Promise<T> {
  for (let left = 200; ; left--) {
    try {
      return await statement()
    } catch (error) {
      if (!isInUse(error) || left === 0) throw error
      await sleep(50)
    }
  }
}

/** Runs `work` with a connection to a database, for SQL without a matching product call. */
export async function inDatabase<T>(database: Socket, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...database })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Returns the connection of the application's role, which is not a superuser. */
function at({ socketDir, port }: Server, database: string): Socket {
  return { host: socketDir, port, user: ROLE, database }
}

function asSuperuser({ socketDir, port }: Server): Socket {
  return { host: socketDir, port, user: SUPERUSER, database: 'postgres' }
}

/** Returns the `DATABASE_URL` of a database on a Unix socket. */
export function databaseUrl({ host, port, user, database }: Socket): string {
  return `postgres:///${database}?${new URLSearchParams({ host, port: String(port), user })}`
}

async function waitForLock(): Promise<DataDirLock> {
  for (let left = 2400; ; left--) {
    try {
      return lockDataDir(dataDir)
    } catch (error) {
      if (left === 0) throw error
      await sleep(50)
    }
  }
}
