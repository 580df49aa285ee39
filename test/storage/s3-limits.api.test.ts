import { randomBytes } from 'node:crypto'
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { bucketCheck } from '../../src/storage/s3/check.ts'
import { s3Clients } from '../../src/storage/s3/client.ts'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { faultProxy } from '../support/s3/fault-proxy.ts'
import { put } from '../support/s3/object-store-suite.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'
import { ok, sharing } from '../support/sharing.ts'

// Stores and keys that can do less: each refusal is produced by a proxy in front of a real store.

if (noS3) t.plan(0, noS3)
else {
  const settings = await testBucket(t)
  const troubled = async (t: Test) => {
    const proxy = await faultProxy(settings.endpoint!)
    const warnings: string[] = []
    const store = s3Store({ ...settings, endpoint: proxy.url }, undefined, (warning) => warnings.push(warning))
    t.teardown(async () => {
      await store.close()
      await proxy.close()
    })
    return { proxy, store, warnings }
  }

  for (const [status, code] of [
    [400, 'XAmzContentSHA256Mismatch'],
    [400, 'InvalidDigest'],
    [400, 'BadDigest'],
    [403, 'AccessDenied'],
    [411, 'MissingContentLength'],
    [501, 'NotImplemented'],
  ] as const) {
    t.test(`deletes objects one by one where deletion in batches is refused with ${code}`, async (t) => {
      const { proxy, store } = await troubled(t)
      const keys = [await put(store, Buffer.from('a')), await put(store, Buffer.from('b'))]
      proxy.trouble = { fault: { status, code }, meets: (method, url) => method === 'POST' && url.searchParams.has('delete') }
      await store.remove(keys)
      for (const key of keys) t.equal(await store.head(key), null)
    })
  }

  t.test('works with a key that may not list the bucket, and says once what is missing', async (t) => {
    const { proxy, store, warnings } = await troubled(t)
    const lists = (method: string, url: URL) =>
      url.pathname.split('/').filter(Boolean).length === 1 && (method === 'HEAD' || method === 'GET')
    proxy.trouble = { fault: { status: 403, code: 'AccessDenied' }, meets: lists }
    for (let n = 0; n < 3; n++) await store.check()
    t.match(warnings, [/may not list the bucket/])
    t.equal(warnings.length, 1)
    t.same(store.report!().warnings, [{ code: 'unlisted' }])
    t.equal(await store.sweepTemporary!(0), 0)
    const key = await put(store, Buffer.from('a'))
    await store.remove([key])
    await store.remove(['zips/none/1'])
    proxy.trouble = { fault: { status: 403, code: 'AccessDenied' }, meets: () => true }
    await t.rejects(store.check(), /may not use the bucket/)
    proxy.trouble = undefined
    await store.remove(['probe/check'])
  })

  t.test('names a versioned bucket', async (t) => {
    const bucket = await testBucket(t)
    const client = plainClient(bucket)
    t.teardown(async () => client.destroy())
    const warningsOf = async () => {
      const warnings: string[] = []
      const store = s3Store(bucket, undefined, (warning) => warnings.push(warning))
      for (let n = 0; n < 2; n++) await store.check()
      await store.close()
      return { warnings, reported: store.report!().warnings }
    }
    t.same(await warningsOf(), { warnings: [], reported: [] })
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket.bucket, VersioningConfiguration: { Status: 'Enabled' } }))
    const { warnings, reported } = await warningsOf()
    t.same(reported, [{ code: 'versioned' }])
    t.match(warnings, [/is versioned/])
    t.equal(warnings.length, 1)
  })

  t.test('lets every client sign with the time of the store once the check has learned it', async (t) => {
    const clients = s3Clients(settings)
    const realNow = Date.now
    t.teardown(async () => {
      Date.now = realNow
      clients.destroy()
    })
    const messages: string[] = []
    const { check, warnings } = bucketCheck(clients, settings, (message) => messages.push(message))
    const offset = -20 * 60_000
    Date.now = () => realNow() - offset // this machine's clock is ahead
    await check()
    t.match(messages, [/clocks .* 20 minutes.* NTP/])
    t.same(warnings(), [{ code: 'clock', minutes: 20 }])
    for (const { config } of [clients.upload, clients.download, clients.complete, clients.sign]) {
      t.ok(Math.abs(config.systemClockOffset - offset) < 10_000)
    }
    Date.now = realNow
    await check()
    t.same(warnings(), [], 'the clock is right again')
    t.equal(messages.length, 1)
  })

  t.test('lets a part be sent again that the store has kept only half of, or has forgotten', async (t) => {
    const { proxy, store } = await troubled(t)
    const { app } = await testApp(t, { storage: store })
    const owner = sharing(app, await signUp(app, 'owner'))
    const content = randomBytes(10_000)
    const fails = async (id: string, trouble: typeof proxy.trouble) => {
      ok(await owner.create(id))
      const file = ok(await owner.announce(id, 'a.bin', content.length)).json()
      const part = () => owner.part(id, file.id, 1, content)
      ok(await part())
      proxy.trouble = trouble
      const incomplete = await owner.call('POST', `/${id}/files/${file.id}/complete`)
      t.match(incomplete.json(), { error: 'upload_incomplete', missing: [1] })
      proxy.trouble = undefined
      ok(await part())
      ok(await owner.call('POST', `/${id}/files/${file.id}/complete`))
      ok(await owner.call('POST', `/${id}/complete`))
    }
    const isCompletion = (method: string, url: URL) => method === 'POST' && url.searchParams.has('uploadId')
    await fails('forgotten', {
      fault: { status: 400, code: 'InvalidRequest', message: 'Parts given to CompleteMultipartUpload do not match uploaded parts' },
      meets: isCompletion,
    })
    await fails('half', { fault: 'half object', meets: (method) => method === 'HEAD', times: 1 })
  })

  t.test('frees an open upload at once when its file is deleted', async (t) => {
    const bucket = await testBucket(t)
    const { app } = await testApp(t, { storage: s3Store(bucket) })
    const owner = sharing(app, await signUp(app, 'owner'))
    const client = plainClient(bucket)
    t.teardown(async () => client.destroy())
    ok(await owner.create('dropped'))
    const file = ok(await owner.announce('dropped', 'a.bin', 10_000)).json()
    t.equal((await contentOf(client, bucket.bucket)).uploads.length, 1)
    ok(await owner.call('DELETE', `/dropped/files/${file.id}`))
    t.equal((await contentOf(client, bucket.bucket)).uploads.length, 0)
  })
}
