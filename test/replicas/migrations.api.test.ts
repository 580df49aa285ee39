import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import t, { type Test } from 'tap'
import { onlineIndexes } from '../../migrations/indexes.ts'
import { buildIndexes, endBuild } from '../../src/db/build-indexes.ts'
import { knownMigrations, migrate, migrateTo } from '../../src/db/migrate.ts'
import { keptLog } from '../support/app/log.ts'
import { lookInto } from '../support/app/replicas.ts'
import { startProcess } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import { cookiesOf, person, signUp } from '../support/people/person.ts'
import { databaseUrl, emptyDatabase } from '../support/postgres.ts'

t.test('creates the tables once when two processes start at once on an empty database, and both serve', async (t) => {
  const { start } = await setUp(t)
  const both = [start(), start()]
  for (const process of both) await process.says('Razorbill is ready')
  const done = both.flatMap((process) => process.logged('database migrated').map(({ migration }) => migration))
  t.same(done.sort(), Object.keys(await knownMigrations()))
  const cookie = await signUp(both[0]!)
  t.equal((await person(both[1]!, cookie).call('GET', '/users/me')).status, 200)
})

t.test('keeps an old process serving during and after a migration, and refuses to start another old one', async (t) => {
  const { start, db } = await setUp(t)
  const old = start()
  await old.says('Razorbill is ready')
  const owner = person(old, await signUp(old))
  const content = randomBytes(100_000)
  const serves = async (id: string) => {
    const file = await owner.share(id, content)
    const visitor = person(old, cookiesOf(await person(old).good('POST', `/shares/${id}/token`, {})))
    t.ok(content.equals((await visitor.good('GET', `/shares/${id}/files/${file}`)).body))
  }

  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const newer: Migration = {
    async up(db: Kysely<never>) {
      begun.resolve()
      await gate.promise
      await sql`alter table share add column newer text`.execute(db)
    },
  }
  const migrations = { ...(await knownMigrations()), '999-newer': newer }
  const migrating = new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest()
  await begun.promise
  const late = start() // waits for the lock
  await serves('meanwhile')
  gate.resolve()
  t.same((await migrating).error, undefined)
  await serves('afterwards')
  t.equal(await late.ended, 1)
  t.match(late.output().trim(), /^The database was created or migrated by a newer version of Razorbill\. .* backup .*\.$/m)
  t.notMatch(late.output(), /\n {4}at /, 'no stack trace')
  t.equal((await person(old).call('GET', '/health/ready')).status, 200)
})

t.test('builds missing indexes while others write, and again after a process was killed during it', async (t) => {
  const { start, db, database } = await setUp(t)
  const validity = async () => {
    const { rows } = await sql<{ valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid::regclass::text in (${sql.join(onlineIndexes.map(({ name }) => name))})`.execute(
      db,
    )
    return rows.map(({ valid }) => valid)
  }
  await migrateTo(db, '026-packs')
  await sql`insert into share (id, completed_at) select 'share-' || n, now() from generate_series(1, 50001) n`.execute(db)
  await migrate(db)
  const written = Promise.withResolvers<void>()
  const writer = db.transaction().execute(async (transaction) => {
    await sql`update share set views = 1 where id = 'share-1'`.execute(transaction)
    await written.promise // which the build waits for
  })
  const killed = start()
  await killed.says('Razorbill is ready')
  await eventually(async () => (await validity()).includes(false), 'the first index is begun')
  killed.signalGroup('SIGKILL')
  await killed.ended
  await buildIndexes(database, keptLog()) // PostgreSQL itself still builds, so this leaves it alone
  t.same(await validity(), [false])
  await endBuild(db)
  await sql`alter database ${sql.id(String(database.database))} set lock_timeout = '10ms'`.execute(db) // does not apply to builds
  const log = keptLog()
  const built = buildIndexes(database, log)
  for (let n = 0; n < 20; n++) await sql`insert into share (id) values (${`meanwhile-${n}`})`.execute(db)
  written.resolve()
  await Promise.all([writer, built])
  t.same(
    await validity(),
    onlineIndexes.map(() => true),
  )
  t.same(
    log.lines.map(({ message, details }) => [message, (details as { index: string }).index]),
    onlineIndexes.map(({ name }) => ['index built', name]),
  )
  const replaced = async () => (await sql`select from pg_indexes where indexname = 'share_owner'`.execute(db)).rows.length
  t.equal(await replaced(), 0, 'a replaced index is deleted')
  await sql`create index share_owner on share (owner_id)`.execute(db) // as after a build that ended before the deletion
  await buildIndexes(database, log)
  t.equal(await replaced(), 0, 'also at the next start')
  t.equal(log.lines.length, onlineIndexes.length, 'nothing is built twice')

  const stopping = new AbortController()
  const stopped = buildIndexes(database, log, stopping.signal)
  stopping.abort()
  await stopped
  t.equal(log.lines.length, onlineIndexes.length, 'a stop while it connects is no failure')
})

async function setUp(t: Test) {
  const dataDir = await mkdtemp(join(tmpdir(), 'razorbill-migrations-'))
  t.teardown(() => rm(dataDir, { recursive: true }))
  const database = await emptyDatabase()
  const environment = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl(database), SECRET_KEY: 'x'.repeat(32), WORKER: 'off' }
  return { database, db: lookInto(t, database), start: () => startProcess(t, environment) }
}
