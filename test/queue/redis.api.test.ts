import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { connectQueue } from '../../src/queue/connection.ts'
import { openQueue } from '../../src/queue/queue.ts'
import { maintainSchedule } from '../../worker/schedule.ts'
import { startWorkers } from '../../worker/workers.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { dataFolder, startServer } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import { password, signUp } from '../support/people/people.ts'
import { person, signUp as signUpAt } from '../support/people/person.ts'
import { restartableRedis, startRedis, withoutRedis } from '../support/redis.ts'
import { set, sharing } from '../support/sharing.ts'

if (withoutRedis) t.plan(0, withoutRedis)
else {
  t.test('warns about a Redis with an eviction policy, and not about another', async (t) => {
    const warnings = async (policy: string) => {
      const log = keptLog()
      const redisUrl = await startRedis(t, ['--maxmemory-policy', policy])
      const queue = await connectQueue({ redisUrl, postgres: {}, log })
      const redis = queue.connection as Redis
      await redis.ping()
      await redis.ping() // the commands sent on "ready" have completed by then
      await queue.close()
      return log.lines.map(({ level, details }) => ({ level, details }))
    }
    t.same(await warnings('noeviction'), [])
    t.same(await warnings('allkeys-lru'), [{ level: 'warn', details: { policy: 'allkeys-lru' } }])
  })

  t.test('enqueues jobs that Redis has lost again, and restores the lost schedule', async (t) => {
    const redisUrl = await startRedis(t)
    const { owner, zipState, forget, work } = await setUp(t, redisUrl)
    await owner.share('photos', { 'a.txt': 'some text' })
    t.equal(await zipState(), 'preparing')
    await forget()
    const stop = work()
    await eventually(async () => (await zipState()) === 'ready', 'the zip is built')
    await stop()
  })
}

if (!withoutRedis) {
  t.test('signs users in and counts their attempts while Redis is away, in a log of JSON lines', async (t) => {
    const redis = await restartableRedis(t)
    const server = await startServer(t, await dataFolder(t), { REDIS_URL: redis.url })
    await signUpAt(server)
    await redis.kill()
    const signIn = (typed: string) => person(server).call('POST', '/auth/signIn', { username: 'admin', password: typed })
    const startedAt = performance.now()
    t.equal((await signIn(password)).status, 200)
    t.ok(performance.now() - startedAt < 5_000, 'without a long wait')
    t.equal((await person(server).call('GET', '/health/ready')).status, 503)
    const statuses: number[] = []
    for (let n = 0; n < 30 && !statuses.includes(429); n++) statuses.push((await signIn('wrong')).status)
    t.ok(statuses.includes(429), statuses.join())
    t.notOk(statuses.includes(500))
    await redis.start()
    await eventually(async () => (await person(server).call('GET', '/health/ready')).status === 200, 'it is ready again')
    const [, ...bare] = server.output().split(/^Razorbill is ready/m)
    t.same(
      bare
        .join('')
        .split('\n')
        .slice(3)
        .filter((line) => line !== '' && !line.startsWith('{')),
      [],
    )
  })
}

async function setUp(t: Test, redisUrl: string) {
  const { app, ctx, database } = await testApp(t)
  const connection = await connectQueue({ redisUrl, postgres: database, log: ctx.log })
  const queue = openQueue(connection, ctx.log)
  t.teardown(async () => {
    await queue.close()
    await connection.close()
  })
  Object.assign(ctx, { queue })
  await set(ctx, 'share.zipCompressionLevel', 1)
  return {
    owner: sharing(app, await signUp(app, 'owner')),
    zipState: async () => (await ctx.db.selectFrom('share').select('zipState').executeTakeFirstOrThrow()).zipState,
    async forget() {
      const redis = new Redis(redisUrl)
      await redis.flushall()
      t.equal(await redis.dbsize(), 0)
      redis.disconnect()
    },
    work() {
      const workers = startWorkers(ctx, connection)
      const schedule = maintainSchedule(connection, ctx.log)
      return async () => {
        await workers.close()
        await schedule.close()
      }
    },
  }
}
