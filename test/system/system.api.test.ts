import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { readSettings } from '../../src/config/service.ts'
import type { Context } from '../../src/context.ts'
import { connectQueue } from '../../src/queue/connection.ts'
import { openQueue } from '../../src/queue/queue.ts'
import { ObjectMissing, type ObjectStore, StoreUnavailable } from '../../src/storage/object-store.ts'
import { startWorkers } from '../../worker/workers.ts'
import { testApp } from '../support/app/app.ts'
import { silentLog } from '../support/app/log.ts'
import { eventually } from '../support/app/worker.ts'
import { queueMail } from '../support/mails.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

t.setTimeout(120_000)
const packageJson = (await import('../../package.json', { with: { type: 'json' } })).default

t.test('reports what the installation stores, and its health', async (t) => {
  const { app, ctx } = await testApp(t)
  const admin = await signUp(app, 'admin')
  const owner = sharing(app, await signUp(app, 'owner'))
  await owner.share('one', { 'a.txt': 'four', 'b.txt': 'sixsix' })
  ok(await owner.create('two'))
  ok(await owner.announce('two', 'big.bin', 1000))
  const state = async (more: Partial<Context> = {}) => {
    Object.assign(ctx, more)
    return (await app.inject({ url: '/api/system', headers: admin })).json()
  }
  t.match(await state(), {
    dependencies: { database: { state: 'up', reason: null }, queue: { state: 'up' }, storage: { state: 'up' } },
    engines: { database: 'embedded', queue: 'postgres', storage: 'disk' },
    storage: { files: 10, zips: 0, uploading: 1000, free: Number },
    counts: { users: 2, shares: 2, files: 2, openUploads: 1 },
    mails: { waiting: 0, failed: 0, lastError: null },
    jobs: { failed: [] },
  })
  const check = async () => {
    throw new StoreUnavailable('The bucket is not there')
  }
  const overview = async () => {
    throw new Error('no queue')
  }
  t.match(await state({ storage: { ...ctx.storage, check }, queue: { ...ctx.queue, check, overview } }), {
    dependencies: { database: { state: 'up' }, queue: { state: 'down' }, storage: { state: 'down', reason: 'The bucket is not there' } },
    jobs: null,
  })
})

t.test('shows the reason of a failed email, and retries it', async (t) => {
  const { app, ctx, work } = await withRealQueue(t)
  const admin = await signUp(app, 'admin')
  const refusing = await mailServer(t, { refuseRecipient: '550 5.1.1 No such user here' })
  await switchMailOn(ctx, refusing.port)
  await queueMail(ctx, await readSettings(ctx), {
    to: 'ann@example.com',
    kind: 'reverseShare',
    variables: { shareUrl: 'https://x.example/s/a' },
  })
  const workers = work()
  const system = async () => (await app.inject({ url: '/api/system', headers: admin })).json()
  await eventually(async () => (await system()).jobs.failed.length === 1, 'the job has failed')
  const { jobs, mails } = await system()
  t.match(mails, { waiting: 0, failed: 1 })
  t.match(jobs.failed, [{ name: 'send-mail', attempts: 1, reason: /550 5\.1\.1 No such user here/, failedAt: /Z$/ }])
  t.match(
    jobs.counts.find(({ name }: { name: string }) => name === 'send-mail'),
    { failed: 1 },
  )
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  const retry = (id: string, name = 'send-mail') =>
    app.inject({ method: 'POST', url: `/api/system/jobs/${name}/${id}/retry`, headers: admin })
  const [{ id }] = jobs.failed
  t.equal((await retry(id)).statusCode, 202)
  await eventually(() => server.received.length === 1, 'the email has arrived')
  await eventually(async () => (await system()).mails.failed === 0, 'the row is updated')
  t.same((await system()).jobs.failed, [])
  for (const answer of [await retry(id), await retry('nothing'), await retry(id, 'nothing')])
    t.same(refusal(answer), [404, 'job_not_found'])
  t.equal(server.received.length, 1)
  await workers.close()
})

t.test('builds a failed zip on a retry', async (t) => {
  const { app, ctx, work } = await withRealQueue(t)
  const headers = await signUp(app, 'admin')
  await set(ctx, 'share.zipCompressionLevel', 1)
  await sharing(app, headers).share('photos', { 'a.txt': 'some text' })
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').executeTakeFirstOrThrow()
  let missing = true
  const store = ctx.storage
  const storage: ObjectStore = {
    ...store,
    async read(key, range) {
      if (missing && key === objectKey) throw new ObjectMissing('no such object')
      return store.read(key, range)
    },
  }
  const workers = work({ storage })
  const zipState = async () => (await ctx.db.selectFrom('share').select('zipState').executeTakeFirstOrThrow()).zipState
  await eventually(async () => (await zipState()) === 'failed', 'the zip has failed')
  const system = async () => (await app.inject({ url: '/api/system', headers })).json()
  await eventually(async () => (await system()).jobs.failed.length === 1, 'the job has failed')
  const [{ id, name, reason }] = (await system()).jobs.failed
  t.equal(name, 'build-zip')
  t.match(reason, /missing/)
  missing = false
  t.equal((await app.inject({ method: 'POST', url: `/api/system/jobs/${name}/${id}/retry`, headers })).statusCode, 202)
  await eventually(async () => (await zipState()) === 'ready', 'the zip is built')
  await workers.close()
})

t.test('reports the newest release', async (t) => {
  let asked = 0
  let answer: object | null = { tag_name: 'v99.1.0', html_url: 'https://example.com/releases/99.1.0' }
  const server = createServer((_request, response) => {
    asked++
    if (!answer) return response.destroy()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  let time = Date.now()
  const releasesUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest`
  const { app, ctx } = await testApp(t, { env: { releasesUrl }, now: () => new Date(time) })
  const admin = await signUp(app, 'admin')
  const release = async () => (await app.inject({ url: '/api/system/release', headers: (await signedIn()) ?? admin })).json()
  const signedIn = async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/auth/signIn',
      payload: { username: 'admin', password: 'correct horse battery' },
    })
    return { cookie: answer.cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
  }
  const { version } = packageJson
  await set(ctx, 'general.checkForUpdates', false)
  t.same(await release(), { version, newest: null, isNewer: false, url: null, checks: false })
  t.equal(asked, 0, 'no request is made when it is turned off')
  await set(ctx, 'general.checkForUpdates', true)
  const newer = { version, newest: '99.1.0', isNewer: true, url: 'https://example.com/releases/99.1.0', checks: true }
  t.same(await Promise.all([release(), release(), release()]), [newer, newer, newer])
  t.equal(asked, 1)
  answer = { tag_name: version, html_url: 'javascript:alert(1)' }
  t.same(await release(), newer, 'cached for hours')
  time += 7 * 3_600_000
  t.same(await release(), { version, newest: version, isNewer: false, url: null, checks: true })
  time += 7 * 3_600_000
  for (answer of [null, { tag_name: '<script>' }, { nothing: 1 }]) {
    t.match(await release(), { newest: version, isNewer: false }, 'the cached release is kept')
    const before = asked
    await release()
    t.equal(asked, before, 'a failure is not repeated at once')
    time += 3_600_000
  }
})

t.test('makes no request without an address', async (t) => {
  const { app } = await testApp(t)
  const headers = await signUp(app, 'admin')
  t.match((await app.inject({ url: '/api/system/release', headers })).json(), { newest: null, checks: false })
})

t.test('allows only administrators', async (t) => {
  const { app } = await testApp(t)
  await signUp(app, 'admin')
  const headers = await signUp(app, 'user')
  for (const [method, url] of [
    ['GET', '/api/system'],
    ['GET', '/api/system/release'],
    ['POST', '/api/system/jobs/send-mail/1/retry'],
  ] as const) {
    t.same(refusal(await app.inject({ method, url })), [401, 'unauthorized'])
    t.same(refusal(await app.inject({ method, url, headers })), [403, 'forbidden'])
  }
})

async function withRealQueue(t: Test) {
  const { app, ctx, database } = await testApp(t)
  const connection = await connectQueue({ redisUrl: null, postgres: database, log: silentLog })
  const queue = openQueue(connection, silentLog)
  t.teardown(async () => {
    await queue.close()
    await connection.close()
  })
  Object.assign(ctx.queue, queue) // routes have copies of the context
  return { app, ctx, work: (more: Partial<Context> = {}) => startWorkers({ ...ctx, ...more }, connection) }
}
