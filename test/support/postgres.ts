import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ROLE, SUPERUSER } from '../../src/db/embedded/access.ts'
import { createRole } from '../../src/db/embedded/database.ts'
import { isAlive, readPostmaster } from '../../src/db/embedded/postmaster.ts'
import { openServer, type Server } from '../../src/db/embedded/server.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { type DataDirLock, lockDataDir } from '../../src/process/data-dir.ts'

const project = realpathSync(fileURLToPath(new URL('../..', import.meta.url)))
const migrations = join(project, 'migrations')
const dataDir = join(tmpdir(), `razorbill-test-${hash(`${process.getuid!()}:${project}`)}`)
const opening = new Map<'server', Promise<Server>>()

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** The one test PostgreSQL of this project folder, started by whichever test process asks first; it outlives the process that started it. */
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
    await withClient(asSuperuser(server), createRole)
    await dropOldDatabases(asSuperuser(server), server.adopted ? 20 : 0)
    return server
  } finally {
    lock.release()
  }
}

/** Stops it, unless somebody else is using it at the moment. */
export async function stopTestPostgres(): Promise<void> {
  const running = readPostmaster(join(dataDir, 'postgres'))
  if (!running || !isAlive(running.pid)) return
  const server = await testPostgres()
  const lock = await waitForLock()
  try {
    const busy = await withClient(asSuperuser(server), async (client) => {
      const others = "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
      return (await client.query(others)).rowCount! > 0
    })
    if (!busy) await server.stop()
  } finally {
    lock.release()
  }
}

/**
 * An own database for one test file, dropped when a later run starts. With `migrate` it is a copy of a template that `migrate` brought up to date;
 * the template is made once, and again when migrations/, package.json or the text of `migrate` changes. `migrate` must close its connections before it resolves.
 */
export async function createDatabase(migrate?: (database: Socket) => Promise<void>): Promise<Socket> {
  const server = await testPostgres()
  const database = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await withClient(asSuperuser(server), async (client) => {
    const template = migrate ? await makeTemplate(client, server, migrate) : 'template1'
    await patiently(() => client.query(`create database ${database} template ${template} owner ${ROLE}`))
  })
  return at(server, database)
}

/** The template is filled under another name, so that it is complete wherever it exists; the advisory lock makes other test processes wait. */
async function makeTemplate(client: pg.Client, server: Server, migrate: (database: Socket) => Promise<void>): Promise<string> {
  const template = `${templatePrefix()}_${hash(migrate.toString())}`
  await client.query("select pg_advisory_lock(hashtext('razorbill test template'))")
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount! > 0) return template
    await client.query('drop database if exists unfinished_template')
    await client.query(`create database unfinished_template owner ${ROLE}`)
    await migrate(at(server, 'unfinished_template'))
    await patiently(() => client.query(`alter database unfinished_template rename to ${template}`))
    return template
  } finally {
    await client.query("select pg_advisory_unlock(hashtext('razorbill test template'))")
  }
}

/** Changes with what decides about the tables: the files in migrations/ and the packages that bring tables of their own. */
function templatePrefix(): string {
  const files = readdirSync(migrations).map((name) => join('migrations', name))
  return `template_${hash([ROLE, ...['package.json', ...files.sort()].map((name) => `${name}\n${readFileSync(join(project, name), 'utf8')}`)].join('\n'))}`
}

/** Copies whose test process is over, and templates of other migrations, when there are more than `keep`; never by force, so that one in use stays. */
async function dropOldDatabases(postgres: Socket, keep: number): Promise<void> {
  await withClient(postgres, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      String.raw`select datname as name from pg_database where datname like 'test\_%' or (datname like 'template\_%' and not starts_with(datname, $1))`,
      [templatePrefix()],
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
async function patiently<T>(statement: () => Promise<T>): Promise<T> {
  for (let left = 200; ; left--) {
    try {
      return await statement()
    } catch (error) {
      if (!isInUse(error) || left === 0) throw error
      await sleep(50)
    }
  }
}

async function withClient<T>(database: Socket, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...database })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** As the application does: without the rights of a superuser. */
function at({ socketDir, port }: Server, database: string): Socket {
  return { host: socketDir, port, user: ROLE, database }
}

function asSuperuser({ socketDir, port }: Server): Socket {
  return { host: socketDir, port, user: SUPERUSER, database: 'postgres' }
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
