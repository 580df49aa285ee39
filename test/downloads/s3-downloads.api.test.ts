import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import t from 'tap'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { beginAndReset, fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { faultProxy } from '../support/s3/fault-proxy.ts'
import { noS3, plainClient, testBucket } from '../support/s3/s3.ts'
import { sharing } from '../support/sharing.ts'

if (noS3) t.plan(0, noS3)
else {
  const settings = await testBucket(t)
  const proxy = await faultProxy(settings.endpoint!)
  t.teardown(() => proxy.close())
  const client = plainClient(settings)
  t.teardown(async () => client.destroy())
  const log = keptLog()
  const { app, ctx } = await testApp(t, { log, storage: s3Store({ ...settings, endpoint: proxy.url }) })
  const alice = sharing(app, await signUp(app, 'alice'))
  const port = await listen(app)
  const bytes = randomBytes(700_000)

  const shared = async (id: string) => {
    const [file = ''] = await alice.share(id, { 'a.bin': bytes, 'b.txt': 'text' })
    const { objectKey: Key } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', file).executeTakeFirstOrThrow()
    return { url: `/api/shares/${id}/files/${file}`, zip: `/api/shares/${id}/files/zip`, object: { Bucket: settings.bucket, Key } }
  }
  /** Fetches a URL; returns the response, and the methods of the requests to S3. */
  const counted = async (...request: [url: string, options?: Parameters<typeof fetchWhole>[2]]) => {
    proxy.seen.length = 0
    const { status, body, headers } = await fetchWhole(port, ...request)
    return { status, body, headers, requests: proxy.seen.map((line) => line.split(' ')[0]) }
  }

  t.test('sends one request to S3 for a download, and one for a HEAD', async (t) => {
    const { url, zip } = await shared('counted')
    const whole = await counted(url)
    t.same([whole.status, whole.requests], [200, ['GET']])
    t.ok(whole.body.equals(bytes))
    t.match(await counted(url, { headers: { range: 'bytes=5-9' } }), { status: 206, body: bytes.subarray(5, 10), requests: ['GET'] })
    t.match(await counted(url, { method: 'HEAD' }), { status: 200, requests: ['HEAD'] })
    const all = await counted(zip)
    t.same([all.status, all.requests], [200, ['GET', 'GET']], 'one for each file of a zip')
    t.match(await counted(zip, { headers: { range: 'bytes=-20' } }), { status: 206, requests: [] }, 'the directory of a zip')
  })

  for (const [name, size] of [
    ['shorter', 10],
    ['longer', bytes.length + 10],
    ['empty', 0],
  ] as const) {
    t.test(`reports a ${name} object before any byte, with both sizes`, async (t) => {
      const { url, zip, object } = await shared(name)
      await client.send(new PutObjectCommand({ ...object, Body: Buffer.alloc(size) }))
      for (const request of [[url], [zip], [url, { headers: { range: 'bytes=20-' } }]] as Parameters<typeof counted>[]) {
        const { status, body } = await counted(...request)
        t.match([status, JSON.parse(String(body))], [500, { error: 'file_damaged', expected: bytes.length, actual: size }])
      }
      for (const address of [url, zip]) t.equal((await counted(address, { method: 'HEAD' })).status, 500)
    })
  }

  t.test('reports a missing object before any byte', async (t) => {
    const { url, zip, object } = await shared('missing')
    await ctx.storage.remove([object.Key])
    for (const address of [url, zip]) {
      const { status, body, requests } = await counted(address)
      t.match([status, JSON.parse(String(body)).error, requests], [404, 'file_not_found', ['GET']])
      t.equal((await counted(address, { method: 'HEAD' })).status, 404)
    }
  })

  t.test('reports a store that refuses before any byte', async (t) => {
    const { url, zip } = await shared('refused')
    for (const address of [url, zip]) {
      proxy.trouble = { fault: { status: 403, code: 'AccessDenied' }, meets: () => true }
      const { status, body, headers } = await counted(address)
      t.match([status, JSON.parse(String(body)).error, headers['retry-after']], [503, 'unavailable', '5'])
      proxy.trouble = undefined
      t.equal((await counted(address)).status, 200)
    }
  })

  t.test('does not count a view for bytes that are missing', async (t) => {
    const { url, object } = await shared('uncounted')
    await ctx.storage.remove([object.Key])
    t.equal((await counted(url)).status, 404)
    t.same(await ctx.db.selectFrom('share').select('views').where('id', '=', 'uncounted').executeTakeFirst(), { views: 0 })
  })

  t.test('logs no error when a client leaves', async (t) => {
    const [large] = await alice.share('left', { 'large.bin': Buffer.alloc(9_000_000, 'x'), 'b.txt': 'text' })
    log.lines.length = 0
    for (const path of [large, 'zip']) {
      for (let round = 0; round < 20; round++) await beginAndReset(port, `/api/shares/left/files/${path}`)
    }
    await sleep(500)
    t.same(
      log.lines.filter(({ level }) => level === 'warn' || level === 'error'),
      [],
    )
  })
}
