import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { SUPERUSER } from '../../src/db/embedded/access.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { dataFolder, type ServerProcess, startProcess, startServer } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import { password } from '../support/people/people.ts'
import { cookiesOf, person, ready, signUp } from '../support/people/person.ts'
import { noPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { databaseUrl, emptyDatabase, inDatabase } from '../support/postgres.ts'
import { startRedis, withoutRedis } from '../support/redis.ts'

// Databases of other operators: behind a pooler, with few rights, with few connections, after a
// failover.

t.setTimeout(180_000)

t.test('works behind PgBouncer in transaction mode', { skip: noPgBouncer ?? false }, async (t) => {
  const database = await emptyDatabase()
  const url = await startPgBouncer(t, database)

  await t.test('names DATABASE_DIRECT_URL in one sentence when it is missing', async (t) => {
    const refused = startProcess(t, await external(t, url))
    t.equal(await refused.ended, 1)
    t.match(refused.output().trim(), /^DATABASE_URL leads to a connection pooler .* set DATABASE_DIRECT_URL to .*, or REDIS_URL\.$/)
  })

  await t.test('with DATABASE_DIRECT_URL', async (t) => {
    const server = await started(t, { ...(await external(t, url)), DATABASE_DIRECT_URL: databaseUrl(database) })
    await journey(t, server, await signUp(server), 'direct')
    const wrong = { username: 'admin', password: 'not the password' }
    const attempts = Array.from({ length: 30 }, (_, n) => person(server).call('POST', '/auth/signIn', { ...wrong, username: `admin${n}` }))
    const failed = (await Promise.all(attempts)).filter(({ status }) => status !== 401 && status !== 429)
    t.same(failed, [], 'attempts are counted')
    t.same(server.output().match(/.*"level":"(error|fatal)".*/g), null)
  })

  await t.test('with Redis, without DATABASE_DIRECT_URL', { skip: withoutRedis }, async (t) => {
    const server = await started(t, { ...(await external(t, url)), REDIS_URL: await startRedis(t) })
    const { body } = await person(server).good('POST', '/auth/signIn', { username: 'admin', password })
    t.ok(body)
  })
})

t.test('names the missing rights of a role, and works once they are granted', async (t) => {
  const { database, role, asSuperuser } = await limitedRole(t)
  await asSuperuser(`revoke create on schema public from public, ${role}`)
  const environment = await external(t, databaseUrl({ ...database, user: role }))
  const refused = startProcess(t, environment)
  t.equal(await refused.ended, 1)
  const grants = new RegExp(`^The role ${role} may not create tables in the database ${database.database}\\. .*: (GRANT .*;)$`)
  t.match(refused.output().trim(), grants)
  const [, statements = ''] = grants.exec(refused.output().trim()) ?? []
  await asSuperuser('grant create on schema public to public')
  const refusedAgain = startProcess(t, environment)
  t.equal(await refusedAgain.ended, 1, "the queue's schema needs a right on the database")
  t.match(refusedAgain.output(), grants.source.slice(1, 20))
  await asSuperuser(statements)
  const server = await started(t, environment)
  t.match(await ready(server), { code: 200 })
})

t.test('serves with five connections, and reports when there are too few', async (t) => {
  const { database, role, asSuperuser } = await limitedRole(t)
  await asSuperuser(
    `grant create on database ${database.database} to ${role}; grant create on schema public to ${role}; alter role ${role} connection limit 5`,
  )
  const environment = await external(t, databaseUrl({ ...database, user: role }))

  await t.test('with DATABASE_POOL=5', async (t) => {
    const server = await started(t, { ...environment, DATABASE_POOL: '5' })
    const cookie = await signUp(server)
    await journey(t, server, cookie, 'five')
    const owner = person(server, cookie)
    const calls = Array.from({ length: 60 }, (_, n) => owner.call('GET', n % 2 ? '/shares' : '/users/me'))
    t.same(new Set((await Promise.all(calls)).map(({ status }) => status)), new Set([200]))
    t.match(await ready(server), { code: 200 })
    t.same(server.logged('PostgreSQL allows fewer connections than DATABASE_POOL; lower it, or raise the limit'), [])
    server.child.kill('SIGTERM')
    t.equal(await server.ended, 0)
  })

  await t.test('with the default', async (t) => {
    const server = await started(t, environment)
    t.match(server.logged('PostgreSQL allows fewer connections than DATABASE_POOL; lower it, or raise the limit'), [
      { connectionLimit: 5, databasePool: 18 },
    ])
    const owner = person(server, cookiesOf(await person(server).good('POST', '/auth/signIn', { username: 'admin', password })))
    const replies = await Promise.all(Array.from({ length: 60 }, () => owner.call('GET', '/shares')))
    const refused = replies.filter(({ status }) => status !== 200)
    t.ok(refused.length > 0)
    for (const { status, headers } of refused) t.match({ status, headers }, { status: 503, headers: { 'retry-after': String } })
    t.match(await ready(server), { code: 503, dependencies: { database: 'down' } })
    await eventually(() => server.output().includes('Lower DATABASE_POOL'), 'the log says what to do')
  })
})

t.test('responds with 503 while PostgreSQL is read-only, and recovers without a restart', async (t) => {
  const database = await emptyDatabase()
  const asSuperuser = (text: string) => inDatabase({ ...database, user: SUPERUSER, database: 'postgres' }, (client) => client.query(text))
  const server = await started(t, await external(t, databaseUrl(database)))
  const cookie = await signUp(server)
  const owner = person(server, cookie)
  const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.database}' and pid <> pg_backend_pid()`

  await asSuperuser(`alter database ${database.database} set default_transaction_read_only = on`)
  await asSuperuser(others)
  await eventually(async () => {
    const { status, headers } = await owner.call('POST', '/shares', { id: 'never', expiration: 'never' })
    if (status === 503) t.match(headers, { 'retry-after': String })
    return status === 503
  }, 'writing is refused')
  t.match(await ready(server), { code: 503, dependencies: { database: 'down' } })

  await asSuperuser(`alter database ${database.database} reset default_transaction_read_only`)
  await eventually(async () => (await ready(server)).code === 200, 'it is ready again')
  await journey(t, server, cookie, 'again')
  t.notOk(server.output().includes('"status":500'))
})

t.test('holds at most six connections when idle, with everything embedded', async (t) => {
  const dataDir = await dataFolder(t)
  const server = await startServer(t, dataDir)
  const cookie = await signUp(server)
  await journey(t, server, cookie, 'idle')
  const { socketDir } = server.logged('PostgreSQL started')[0] as { socketDir: string }
  const count = async () => {
    const sockets = { host: socketDir, port: 5432, user: 'razorbill', database: 'postgres' }
    const { rows } = await inDatabase(sockets, (client) =>
      client.query("select count(*)::int as n from pg_stat_activity where datname = 'razorbill'"),
    )
    return rows[0].n as number
  }
  await sleep(15_000)
  const counts: number[] = []
  for (let n = 0; n < 20; n++) {
    await ready(server)
    counts.push(await count())
    await sleep(1_000)
  }
  t.comment(`connections: ${counts.join(' ')}`)
  t.ok(Math.max(...counts) <= 6, `${Math.max(...counts)} connections`)
})

/** The environment of a server with an external database. */
async function external(t: Test, url: string): Promise<Record<string, string>> {
  return { DATABASE_URL: url, DATA_DIR: await dataFolder(t), SECRET_KEY: 'the secret key of these tests, 32 characters' }
}

async function started(t: Test, environment: Record<string, string>): Promise<ServerProcess> {
  const server = startProcess(t, environment)
  await server.says('Razorbill is ready')
  return server
}

/** Uploads a file, opens it as a visitor many times at once, and waits for the worker's job. */
async function journey(t: Test, server: ServerProcess, cookie: string, id: string): Promise<void> {
  const owner = person(server, cookie)
  const content = randomBytes(100_000)
  const file = await owner.share(id, content)
  const visits = Array.from({ length: 30 }, async () => {
    const visitor = person(server, cookiesOf(await person(server).good('POST', `/shares/${id}/token`, {})))
    return (await visitor.good('GET', `/shares/${id}/files/${file}`)).body.equals(content)
  })
  t.same(new Set(await Promise.all(visits)), new Set([true]))
  await eventually(() => server.logged('job done').length > 0, 'the worker has done a job')
  t.match(await ready(server), { code: 200, dependencies: { database: 'up', queue: 'up' } })
}

/** A database that belongs to the superuser, and a role without any right on it. */
async function limitedRole(t: Test): Promise<{ database: Socket; role: string; asSuperuser(text: string): Promise<unknown> }> {
  const database = await emptyDatabase()
  const role = `limited_${randomBytes(4).toString('hex')}`
  const asSuperuser = (text: string) => inDatabase({ ...database, user: SUPERUSER }, (client) => client.query(text))
  await asSuperuser(`create role ${role} login`)
  t.teardown(() => asSuperuser(`drop owned by ${role}; drop role ${role}`).catch(() => {}))
  return { database, role, asSuperuser }
}
