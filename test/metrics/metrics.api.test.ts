import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { watchedStore } from '../../src/metrics/watched-store.ts'
import { type ObjectStore, StoreFull, StoreUnavailable, WrongLength } from '../../src/storage/object-store.ts'
import { testApp } from '../support/app/app.ts'
import { dataFolder, startServer } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import { sample } from '../support/browser/samples.ts'
import { fetchWhole } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { person, signUp as signUpAt } from '../support/people/person.ts'
import { someKey } from '../support/s3/object-store-suite.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

const metricsToken = 'tokenOfTheMetrics-0123'

t.test('serves metrics beside the API with the token', async (t) => {
  const metrics = createMetrics()
  const { app, ctx } = await testApp(t, { env: { metricsToken }, metrics })
  const ask = (authorization?: string) => app.inject({ url: '/metrics', ...(authorization && { headers: { authorization } }) })
  for (const wrong of [undefined, 'Bearer', 'Bearer anotherToken-0123456', `Basic ${metricsToken}`, `Bearer ${metricsToken}!`]) {
    t.same(refusal(await ask(wrong)), [401, 'unauthorized'])
  }
  const owner = sharing(app, await signUp(app, 'owner'))
  ok(await owner.create('photos'))
  await owner.file('photos', 'a.txt', 'some text')
  ok(await owner.announce('photos', 'b.bin', 9_000_000))
  await ctx.queue.add('clean-up', {})

  const answer = ok(await ask(`Bearer ${metricsToken}`))
  t.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  t.equal(sample(answer.body, 'razorbill_uploads_open'), 1)
  t.equal(sample(answer.body, 'razorbill_queue_jobs', { job: 'clean-up', state: 'waiting' }), 1)
  t.equal(sample(answer.body, 'razorbill_queue_jobs', { job: 'send-mail', state: 'failed' }), 0)

  Object.assign(ctx, { queue: { ...ctx.queue, overview: () => Promise.reject(new Error('no queue')) } })
  const without = ok(await ask(`bearer ${metricsToken}`)).body
  t.same(sample(without, 'razorbill_queue_jobs', { job: 'clean-up', state: 'waiting' }), Number.NaN, 'unknown values are omitted')
  t.equal(sample(without, 'razorbill_uploads_open'), 1)
})

t.test('counts the open links at most once a minute', async (t) => {
  const { app } = await testApp(t, { env: { metricsToken }, metrics: createMetrics() })
  const owner = sharing(app, await signUp(app, 'owner'))
  const open = async () =>
    sample(ok(await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })).body, 'razorbill_links_open')
  await owner.share('one', { 'a.txt': 'a' })
  t.equal(await open(), 1)
  await owner.share('two', { 'a.txt': 'a' })
  t.equal(await open(), 1)
})

t.test('does not serve metrics beside the API without a token', async (t) => {
  const { app } = await testApp(t)
  t.equal((await app.inject({ url: '/metrics' })).statusCode, 404)
})

t.test('counts failures of the store, but not those of uploaders and downloaders', async (t) => {
  const metrics = createMetrics()
  const { ctx } = await testApp(t)
  const failing = (error: Error) => async () => {
    throw error
  }
  const store = watchedStore<ObjectStore>(
    {
      ...ctx.storage,
      begin: failing(new StoreFull('full')),
      writePart: failing(new WrongLength('cut')),
      head: failing(new StoreUnavailable('down')),
      send: failing(new Error('the client has gone')),
    },
    metrics,
  )
  await t.rejects(store.begin('k', 1, 1), { message: 'full' })
  await t.rejects(store.head('k'), { message: 'down' })
  await t.rejects(store.head('k'), { message: 'down' })
  await t.rejects(store.read(someKey()))
  for (const call of [store.writePart, store.send]) await t.rejects((call as () => Promise<unknown>)())
  const text = await metrics.text()
  const lines = text.split('\n').filter((line) => line.startsWith('razorbill_storage_errors_total{'))
  t.same(lines.sort(), [
    'razorbill_storage_errors_total{operation="begin",reason="full"} 1',
    'razorbill_storage_errors_total{operation="head",reason="unavailable"} 2',
    'razorbill_storage_errors_total{operation="read",reason="missing"} 1',
  ])
})

t.test('serves metrics on their own port, with jobs of the worker and Node.js metrics', async (t) => {
  const server = await startServer(t, await dataFolder(t), { METRICS_PORT: '0' })
  const port = Number(server.logged('serving metrics')[0]!.port)
  const content = randomBytes(3_000_000)
  await person(server, await signUpAt(server)).share('secret-link', content)
  t.equal((await person(server).call('GET', '/secret-path?token=secret-token')).status, 404)
  const text = async () => String((await fetchWhole(port, '/metrics')).body)
  const done = async () => sample(await text(), 'razorbill_job_duration_seconds_count', { job: 'clean-up', outcome: 'done' })
  await eventually(async () => (await done()) > 0, 'the worker has reported a clean-up')
  const all = await text()
  const requests = (method: string, route: string, status: number) =>
    sample(all, 'razorbill_http_request_duration_seconds_count', { method, route, status })
  t.equal(requests('POST', '/api/shares', 201), 1)
  t.equal(requests('PUT', '/api/shares/:id/files/:fileId/parts/:number', 200), 1)
  t.equal(requests('GET', 'none', 404) || requests('GET', '/*', 404), 1)
  t.equal(sample(all, 'razorbill_http_requests_active'), 0)
  t.notMatch(all, /secret/, 'they contain neither links nor tokens')
  t.ok(sample(all, 'razorbill_http_received_bytes_total') > content.length)
  t.ok(sample(all, 'process_resident_memory_bytes') > 10_000_000)
  t.equal((await fetchWhole(port, '/api/health')).status, 404, 'nothing else is served there')
  t.equal((await fetchWhole(port, '/metrics', { method: 'POST' })).status, 405)
  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)
})
