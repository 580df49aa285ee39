import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Context } from '../../src/context.ts'
import type { Connection } from '../../src/db/connect.ts'
import { startEmbedded } from '../../src/db/embedded.ts'
import { enqueueWrittenMails, storeMail } from '../../src/mail/service.ts'
import { connectQueue } from '../../src/queue/connection.ts'
import { cleanUpEvery, jobSettings } from '../../src/queue/jobs.ts'
import { openBullQueue, openQueue } from '../../src/queue/queue.ts'
import type { ObjectStore } from '../../src/storage/object-store.ts'
import { maintainSchedule } from '../../worker/schedule.ts'
import { startWorkers } from '../../worker/workers.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog, silentLog } from '../support/app/log.ts'
import { eventually, gatedStore } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { picture, withoutVips } from '../support/previews.ts'
import { startRedis, withoutRedis } from '../support/redis.ts'
import { ok, set, sharing } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

async function openBoth(postgres: Connection, redisUrl: string | null) {
  const log = keptLog()
  const connection = await connectQueue({ redisUrl, postgres, log })
  const queue = openQueue(connection, log)
  const close = async () => {
    await queue.close()
    await connection.close()
  }
  return { connection, queue, log, close }
}

/** Returns an application with a real queue, and a share whose zip is pending; no worker yet. */
async function setUp(t: Test, redisUrl: string | null) {
  const { app, ctx, database } = await testApp(t)
  const { connection, queue, log, close } = await openBoth(database, redisUrl)
  t.teardown(close)
  Object.assign(ctx.queue, queue) // routes have copies of the context
  Object.assign(ctx, { log })
  await set(ctx, 'share.zipCompressionLevel', 1)
  const owner = sharing(app, await signUp(app, 'owner'))
  const work = (more: Partial<Context> = {}) => startWorkers({ ...ctx, ...more }, connection)
  const zipState = async () => (await ctx.db.selectFrom('share').select('zipState').executeTakeFirst())?.zipState
  const zips = openBullQueue('build-zip', connection)
  t.teardown(() => zips.close())
  const counts = () => zips.getJobCounts()
  return { app, ctx, owner, work, zipState, counts, connection, queue, log }
}

t.test('works on PostgreSQL', (t) => suite(t, async () => null))
t.test('works on Redis', { skip: withoutRedis }, (t) => suite(t, startRedis))

async function suite(t: Test, redisFor: (t: Test) => Promise<string | null>) {
  t.test('queues a job once when it is enqueued twice, runs it, and accepts it again', async (t) => {
    const { owner, ctx, work, zipState, counts, queue } = await setUp(t, await redisFor(t))
    await owner.share('photos', { 'a.txt': 'some text' })
    const { uid } = await ctx.db.selectFrom('share').select('uid').executeTakeFirstOrThrow()
    const again = () => queue.add('build-zip', { shareId: 'photos', revision: 1 }, `zip-${uid}-1`)
    await again()
    t.match(await counts(), { waiting: 1 })
    const workers = work()
    await eventually(async () => (await zipState()) === 'ready', 'the zip is built')
    await eventually(async () => Object.values(await counts()).every((count) => count === 0), 'the job is deleted')
    await workers.close()
    await again()
    t.match(await counts(), { waiting: 1 })
  })

  t.test('runs a job that is added first before hundreds of waiting ones', async (t) => {
    const { ctx, work, queue } = await setUp(t, await redisFor(t))
    const server = await mailServer(t)
    await switchMailOn(ctx, server.port)
    const write = (to: string) => storeMail(ctx, { kind: 'shareCode', to, subject: 'Code', text: '123456' })
    const others = await Promise.all(Array.from({ length: 200 }, (_, n) => write(`person${n}@example.com`)))
    await enqueueWrittenMails({ queue }, others)
    await enqueueWrittenMails({ queue }, [await write('ann@example.com')], 'first')
    const workers = work()
    const place = () => server.received.findIndex(({ to }) => to[0] === 'ann@example.com')
    await eventually(() => place() >= 0, 'it is sent')
    await workers.close()
    t.ok(place() < jobSettings['send-mail'].concurrency, `${place()} emails were sent before it`)
  })

  t.test('makes the previews of a share, more than one job makes', { skip: withoutVips }, async (t) => {
    const { owner, ctx, work } = await setUp(t, await redisFor(t))
    const photo = picture('jpg', [30, 20])
    await owner.share('photos', Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`${n}.jpg`, photo])))
    const workers = work()
    const made = async () => (await ctx.db.selectFrom('preview').select('width').where('width', '=', 30).execute()).length
    await eventually(async () => (await made()) === 22, 'all are made')
    await workers.close()
  })

  t.test('releases its job when a worker stops, without consuming an attempt', async (t) => {
    const { owner, ctx, work, zipState, counts } = await setUp(t, await redisFor(t))
    const { storage, reading } = gatedStore(ctx.storage)
    const first = work({ storage })
    await owner.share('photos', { 'a.txt': 'some text' })
    await reading
    await first.close()
    t.match(await counts(), { waiting: 1, active: 0, failed: 0, delayed: 0 })
    const second = work()
    await eventually(async () => (await zipState()) === 'ready', 'the next worker builds it')
    await second.close()
  })

  t.test('tries a zip that can never be built once, and shows it as failed', async (t) => {
    const { owner, ctx, work, zipState, counts, log } = await setUp(t, await redisFor(t))
    await owner.share('photos', { 'a.txt': 'some text' })
    const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').executeTakeFirstOrThrow()
    await ctx.storage.remove([objectKey])
    const workers = work()
    await eventually(async () => (await zipState()) === 'failed', 'the share reports it')
    t.match(await counts(), { failed: 1, delayed: 0 })
    t.match(
      log.lines.filter(({ message }) => message === 'job failed'),
      [{ details: { job: 'build-zip', attempts: 1, final: true } }],
    )
    await workers.close()
  })

  t.test('retries other failures later', async (t) => {
    const { owner, ctx, work, zipState, counts } = await setUp(t, await redisFor(t))
    let failures = 0
    const storage: ObjectStore = {
      ...ctx.storage,
      read(key, range) {
        if (failures++ === 0) throw new Error('out of order')
        return ctx.storage.read(key, range)
      },
    }
    await owner.share('photos', { 'a.txt': 'some text' })
    const workers = work({ storage })
    await eventually(async () => failures > 0 && (await counts()).delayed === 1, 'it waits for the next attempt')
    t.equal(await zipState(), 'preparing')
    await eventually(async () => (await zipState()) === 'ready', 'the next attempt builds it')
    await workers.close()
  })

  t.test('keeps one clean-up schedule for two workers, and runs a requested one at once', async (t) => {
    const { owner, ctx, work, connection, log } = await setUp(t, await redisFor(t))
    const schedules = [maintainSchedule(connection, log), maintainSchedule(connection, log)]
    const queue = openBullQueue('clean-up', connection)
    await eventually(async () => (await queue.getJobSchedulersCount()) > 0, 'it is scheduled')
    t.match(await queue.getJobSchedulers(), [{ every: cleanUpEvery }])
    t.equal(await queue.getJobSchedulersCount(), 1)
    await queue.close()
    const workers = work()
    ok(await owner.create('photos'))
    await owner.file('photos', 'a.txt', 'some text')
    ok(await owner.call('DELETE', '/photos'))
    await eventually(async () => (await ctx.db.selectFrom('deletedObject').select('key').execute()).length === 0, 'the bytes are removed')
    await workers.close()
    for (const schedule of schedules) await schedule.close()
  })
}

t.test('does not block callers while the queue is unreachable', async (t) => {
  const { connection, queue, log, close } = await openBoth((await testApp(t)).database, 'redis://127.0.0.1:1')
  t.teardown(close)
  await queue.add('clean-up', {}, 'clean-up')
  t.match(log.lines, [{ level: 'warn' }])
  t.ok(log.lines.some(({ message }) => String(message).startsWith('job could not be added')))
  await t.rejects(connection.check())
})

t.test('keeps workers and schedule through a restart of PostgreSQL, without flooding the log', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-queue-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const options = { dataDir: join(folder, 'data'), log: silentLog, durable: false }
  const first = await startEmbedded(options)
  const { ctx } = await testApp(t)
  const { connection, queue, log, close } = await openBoth(first.connection, null)
  const seen: string[] = []
  const storage = { ...ctx.storage, sweepTemporary: async () => seen.push('clean-up') }
  const workers = startWorkers({ ...ctx, storage, queue, log }, connection)
  await queue.add('clean-up', {})
  await eventually(() => seen.length === 1, 'the worker runs')

  await first.stop()
  await t.rejects(connection.check())
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  const second = await startEmbedded(options)
  await eventually(
    () =>
      connection.check().then(
        () => true,
        () => false,
      ),
    'the queue is available again',
  )
  await queue.add('clean-up', {})
  await eventually(() => seen.length === 2, 'the worker runs again')
  t.ok(log.lines.length < 15, `${log.lines.length} lines`)
  await workers.close()
  await close()
  await second.stop()
})
