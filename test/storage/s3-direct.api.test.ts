import { randomBytes } from 'node:crypto'
import { PutBucketCorsCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { type S3Settings, s3Clients } from '../../src/storage/s3/client.ts'
import { corsRule } from '../../src/storage/s3/cors.ts'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { signer } from '../../src/storage/s3/sign.ts'
import { appUrl, guardedBucket, smuggles } from '../support/s3/guarded-bucket.ts'
import { begin, holds, partOf, put } from '../support/s3/object-store-suite.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'

const MiB = 1024 * 1024
const content = randomBytes(5 * MiB + 99)

if (noS3) t.plan(0, noS3)
else {
  t.test('never turns on direct access for a server that accepts unsigned headers', async (t) => {
    const { store, proxy, settings } = await guardedBucket(t)
    proxy.trouble = undefined
    const reason = await store.testDirect()
    if (reason === null) return t.pass('this server refuses them itself', { skip: true })
    t.match(reason, /obeys the unsigned header x-amz-copy-source/)
    t.equal(store.direct, undefined)
    proxy.trouble = {
      fault: { status: 403, code: 'AccessDenied' },
      meets: (_, url, headers) => smuggles(_, url, headers) && !('x-amz-acl' in headers),
    }
    t.match(await store.testDirect(), /obeys the unsigned header x-amz-acl/)
    const client = plainClient(settings)
    t.same(await contentOf(client, settings.bucket), { objects: [], uploads: [] }, 'the check leaves nothing')
    client.destroy()
  })

  t.test('turns on direct access where unsigned headers are refused, and off when that changes', async (t) => {
    const { store, proxy, settings } = await guardedBucket(t)
    t.equal(store.direct, undefined, 'off before the check')
    t.match(store.report!().direct, { isOn: false, reason: /first test/ })
    t.equal(await store.testDirect(), null)
    t.equal(store.direct?.origin, proxy.url)
    t.same(store.report!().direct, { isOn: true, reason: null })
    t.ok(proxy.seen.some((line) => line.startsWith('OPTIONS')))
    await s3Refuses(t, settings, 'https://other.example.org')
    proxy.trouble = { fault: { status: 200, code: 'Fine' }, meets: smuggles }
    t.match(await store.testDirect(), /obeys/)
    t.equal(store.direct, undefined)
    t.match(store.report!().direct, { isOn: false, reason: /obeys/ })
  })

  t.test('gives a reason for pages without a fixed address or without permission to send', async (t) => {
    const { settings } = await guardedBucket(t)
    const reasonWith = async (changes: Partial<S3Settings>) => {
      const store = s3Store({ ...settings, ...changes })
      t.teardown(() => store.close())
      return store.testDirect()
    }
    t.match(await reasonWith({ appUrl: null }), /APP_URL/)
    t.match(await reasonWith({ appUrl: 'https://share.example.org' }), /S3_PUBLIC_ENDPOINT.*https/)
    t.match(await reasonWith({ publicEndpoint: 'http://127.0.0.1:1' }), /the test failed: .*ECONNREFUSED/)
    t.match(await reasonWith({ endpoint: 'http://127.0.0.1:1' }), /the test failed: .*ECONNREFUSED/)
  })

  t.test('keeps rules for other pages, and refuses rules for all pages', async (t) => {
    const { store, settings } = await guardedBucket(t)
    const client = plainClient(settings)
    t.teardown(async () => client.destroy())
    const setRule = (origin: string) =>
      client.send(new PutBucketCorsCommand({ Bucket: settings.bucket, CORSConfiguration: { CORSRules: [corsRule(origin)] } }))
    await setRule('https://other.example.org')
    t.match(await store.testDirect(), /CORS rules do not let pages of http:\/\/share.example.org .*AllowedMethods/)
    await setRule('*')
    t.match(await store.testDirect(), /pages of any site/)
    await setRule(appUrl)
    t.equal(await store.testDirect(), null)
  })

  t.test('sends parts straight to the store with their exact length, and finds them there', async (t) => {
    const { store } = await guardedBucket(t)
    await store.testDirect()
    const upload = await begin(store, content)
    const [first, second] = [partOf(upload, 1, content), partOf(upload, 2, content)]
    const { url, headers, expiresAt } = await store.direct!.signPart(upload, 1, first.length)
    t.match(url, /SignedHeaders=content-length%3Bhost/)
    t.ok(expiresAt.getTime() > Date.now() && expiresAt.getTime() <= Date.now() + 3_600_000)
    t.equal((await fetch(url, { method: 'PUT', body: first.subarray(1), headers })).status, 403, 'one byte less')
    t.equal((await fetch(url.replace('partNumber=1', 'partNumber=2'), { method: 'PUT', body: first })).status, 403, 'another part')
    t.equal((await fetch(url, { method: 'PUT', body: first, headers })).status, 200)
    const other = await store.direct!.signPart(upload, 2, second.length)
    t.equal((await fetch(other.url, { method: 'PUT', body: second })).status, 200)
    const parts = await store.listParts!(upload)
    t.same(
      parts.map(({ number, size }) => [number, size]),
      [
        [1, first.length],
        [2, second.length],
      ],
    )
    await store.finish(upload, parts)
    t.ok(await holds(store, upload.key, content))
    t.equal((await fetch(url, { method: 'PUT', body: first })).status, 404, 'no part can be sent anymore')
  })

  t.test('serves an object straight from the store with its file headers', async (t) => {
    const { store } = await guardedBucket(t)
    await store.testDirect()
    const key = await put(store, Buffer.from('picture'))
    const disposition = `attachment; filename="_.png"; filename*=UTF-8''%C3%A4.png`
    const { url } = await store.direct!.signRead(key, { type: 'image/png', disposition, cacheControl: 'private, no-store' })
    const answer = await fetch(url)
    t.equal(await answer.text(), 'picture')
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'image/png',
      'content-disposition': disposition,
      'cache-control': 'private, no-store',
    })
    t.equal((await fetch(url.replace('image%2Fpng', 'text%2Fhtml'))).status, 403, 'the content type cannot be changed')
  })

  t.test('signs addresses for two minutes', async (t) => {
    const { store, settings } = await guardedBucket(t)
    await store.testDirect()
    const [key, upload] = [await put(store, Buffer.from('picture')), await begin(store, content)]
    const file = { type: 'image/png', disposition: 'attachment', cacheControl: 'no-store' }
    const signed = [await store.direct!.signRead(key, file), await store.direct!.signPart(upload, 1, 5 * MiB)]
    for (const { url, expiresAt } of signed) {
      t.match(url, /X-Amz-Expires=120&/)
      t.ok(Math.abs(expiresAt.getTime() - Date.now() - 120_000) < 10_000)
    }
    const clients = s3Clients(settings)
    t.teardown(async () => clients.destroy())
    const statusAfter = async (seconds: number) => {
      const { url } = await signer(clients, settings.endpoint!, () => Date.now() - seconds * 1000).signRead(key, file)
      return (await fetch(url)).status
    }
    t.same([await statusAfter(110), await statusAfter(125)], [200, 403])
    await store.abort(upload)
  })

  t.test('offers no direct access where it is not turned on', async (t) => {
    const store = s3Store(await testBucket(t))
    t.teardown(() => store.close())
    t.equal(store.listParts, undefined)
    t.equal(store.validatorsOf, undefined)
    t.match(store.report!(), { warnings: [], direct: { isOn: false, reason: /S3_DIRECT/ } })
    t.equal(store.direct, undefined)
  })
}

/** Asserts that a page of `origin` may not send to the bucket. */
async function s3Refuses(t: Test, { endpoint, bucket }: S3Settings, origin: string): Promise<void> {
  const headers = { origin, 'access-control-request-method': 'PUT' }
  const answer = await fetch(`${endpoint}/${bucket}/probe/any`, { method: 'OPTIONS', headers })
  t.not(answer.headers.get('access-control-allow-origin'), origin)
}
