import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ObjectMissing, type StoredPart, StoreUnavailable, WrongLength } from '../../src/storage/object-store.ts'
import { type S3Store, s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
import { type FaultProxy, faultProxy } from '../support/s3/fault-proxy.ts'
import { begin, bodyOf, holds, partOf, put, refuses, send, someKey } from '../support/s3/object-store-suite.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'

const MiB = 1024 * 1024
const partSize = 5 * MiB
/** Slightly larger than one part. */
const content = randomBytes(5 * MiB + 321)
/** For calls to a server that does not respond. */
const force = { control: 20_000, object: 1_000, complete: 1_000 }

const part =
  (number: number) =>
  (method: string, { searchParams }: URL) =>
    method === 'PUT' && searchParams.get('partNumber') === `${number}`
const completing = (method: string, { searchParams }: URL) => method === 'POST' && searchParams.has('uploadId')
const beginning = (method: string, { searchParams }: URL) => method === 'POST' && searchParams.has('uploads')
const reading = (method: string) => method === 'GET'

if (noS3) t.plan(0, noS3)
else {
  const settings = { ...(await testBucket(t)), direct: true }

  /** Returns a store that reaches the bucket through its own proxy. */
  const troubled = async (t: Test): Promise<{ store: S3Store; hasty: S3Store; proxy: FaultProxy }> => {
    const proxy = await faultProxy(settings.endpoint!)
    const [store, hasty] = [s3Store({ ...settings, endpoint: proxy.url }), s3Store({ ...settings, endpoint: proxy.url }, force)]
    t.teardown(async () => {
      await Promise.all([store.close(), hasty.close()])
      await proxy.close()
    })
    return { store, hasty, proxy }
  }
  const all = async (store: S3Store, upload: Awaited<ReturnType<typeof begin>>) => {
    const parts: StoredPart[] = []
    for (const number of [1, 2]) parts.push(await send(store, upload, number, content))
    return parts
  }

  for (const fault of ['slow down', 'cut request', 'stall', 'done, then stall', { status: 500, code: 'InternalError' }] as const) {
    t.test(`fails a part soon on "${JSON.stringify(fault)}", and accepts it again`, async (t) => {
      const { store, hasty, proxy } = await troubled(t)
      const upload = await begin(store, content)
      proxy.trouble = { fault, meets: part(1), times: 1 }
      const body = bodyOf(partOf(upload, 1, content))
      await refuses(t, hasty.writePart(upload, 1, body, partSize), StoreUnavailable)
      t.ok(body.destroyed)
      t.same(proxy.seen.filter((line) => line.includes('partNumber=1')).length, 1, 'streamed bodies are not retried')
      await store.finish(upload, await all(store, upload))
      t.ok(await holds(store, upload.key, content))
    })
  }

  t.test('does not keep a part whose connection was cut', async (t) => {
    const { store, proxy } = await troubled(t)
    const upload = await begin(store, content)
    await send(store, upload, 2, content)
    proxy.trouble = { fault: 'cut request', meets: part(1), times: 1 }
    await refuses(t, send(store, upload, 1, content), StoreUnavailable)
    await refuses(t, store.writePart(upload, 1, bodyOf(partOf(upload, 1, content), MiB), partSize), WrongLength)
    t.same(
      (await store.listParts!(upload)).map(({ number, size }) => ({ number, size })),
      [{ number: 2, size: 321 }],
    )
    await store.abort(upload)
  })

  t.test('never treats the excess of a long body as a second request', async (t) => {
    const { store, proxy } = await troubled(t)
    const upload = await begin(store, content)
    const smuggled = Buffer.from(`DELETE /${settings.bucket}/${upload.key} HTTP/1.1\r\nHost: s3\r\nContent-Length: 0\r\n\r\n`)
    const body = Readable.from([partOf(upload, 2, content), smuggled], { objectMode: false })
    await t.rejects(store.writePart(upload, 2, body, 321))
    await store.head(upload.key)
    t.notOk(
      proxy.seen.some((line) => line.startsWith('DELETE')),
      'no such request arrived',
    )
    t.same(await store.listParts!(upload), [], 'and the part was not kept')
    await store.abort(upload)
  })

  t.test('retries small calls to a busy server', async (t) => {
    const { store, proxy } = await troubled(t)
    proxy.trouble = { fault: 'slow down', meets: beginning, times: 2 }
    const upload = await begin(store, content)
    proxy.trouble = { fault: 'cut answer', meets: beginning, times: 1 }
    await store.abort(await begin(store, content))
    await store.abort(upload)
    t.pass()
  })

  for (const fault of ['error in 200', 'done, then error', 'slow down', 'done, then stall'] as const) {
    t.test(`creates a complete object when finishing meets "${fault}" for a while`, async (t) => {
      const { store, hasty, proxy } = await troubled(t)
      const upload = await begin(store, content)
      const parts = await all(store, upload)
      proxy.trouble = { fault, meets: completing, times: 2 }
      await hasty.finish(upload, parts)
      t.ok(await holds(store, upload.key, content))
    })
  }

  t.test('detects a completed finish when all responses are lost', async (t) => {
    const { store, proxy } = await troubled(t)
    const upload = await begin(store, content)
    const parts = await all(store, upload)
    proxy.trouble = { fault: 'done, then error', meets: completing }
    await store.finish(upload, parts)
    t.ok(await holds(store, upload.key, content))
  })

  t.test('leaves no object when finishing never works, and can finish later', async (t) => {
    const { store, proxy } = await troubled(t)
    const upload = await begin(store, content)
    const parts = await all(store, upload)
    proxy.trouble = { fault: 'error in 200', meets: completing }
    await refuses(t, store.finish(upload, parts), StoreUnavailable)
    t.equal(await store.head(upload.key), null)
    proxy.trouble = undefined
    await store.finish(upload, parts)
    t.ok(await holds(store, upload.key, content))
  })

  for (const fault of ['cut answer', 'stall answer'] as const) {
    t.test(`fails a download on "${fault}", and never ends it as if it were complete`, async (t) => {
      const { store, hasty, proxy } = await troubled(t)
      const key = await put(store, content)
      proxy.trouble = { fault, meets: reading, times: 1 }
      await refuses(t, buffer(await hasty.read(key)), StoreUnavailable)
      t.ok(await holds(store, key, content), 'the next download is complete')
    })
  }

  t.test('fails a download without a response, and retries one at a busy server', async (t) => {
    const { store, hasty, proxy } = await troubled(t)
    const key = await put(store, content)
    proxy.trouble = { fault: 'stall', meets: reading, times: 1 }
    await refuses(t, hasty.read(key), StoreUnavailable)
    proxy.trouble = { fault: 'slow down', meets: reading, times: 2 }
    t.ok(await holds(store, key, content))
  })

  t.test('sends everything to a reader that pauses longer than the S3 timeout', async (t) => {
    const { store, hasty } = await troubled(t)
    const key = await put(store, content)
    const body = await hasty.read(key)
    const chunks: Buffer[] = []
    for await (const chunk of body) {
      if (chunks.length === 2) await delay(2 * force.object)
      chunks.push(chunk)
    }
    t.ok(content.equals(Buffer.concat(chunks)))
  })

  t.test('retries the parts of a zip on a busy server, and leaves nothing when it fails', async (t) => {
    const { store, proxy } = await troubled(t)
    const key = `zips/${someKey().slice(7, 43)}/1`
    const large = Buffer.concat([content, content, content, content])
    proxy.trouble = { fault: 'slow down', meets: part(1), times: 2 }
    t.equal(await store.write(key, bodyOf(large)), large.length)
    t.ok(await holds(store, key, large))

    const client = plainClient(settings)
    const before = (await contentOf(client, settings.bucket)).uploads.length
    proxy.trouble = { fault: { status: 403, code: 'AccessDenied' }, meets: part(2) }
    const source = bodyOf(large)
    await refuses(t, store.write(`${key}1`, source), StoreUnavailable)
    t.ok(source.destroyed)
    t.equal(await store.head(`${key}1`), null)
    t.equal((await contentOf(client, settings.bucket)).uploads.length, before, 'no upload stays open')
    client.destroy()
  })

  t.test('removes objects one by one on a server without batches, and remembers that', async (t) => {
    const { store, proxy } = await troubled(t)
    const keys = [await put(store, Buffer.from('1')), await put(store, Buffer.from('2')), someKey()]
    proxy.trouble = { fault: { status: 400, code: 'MissingContentMD5' }, meets: (_, { searchParams }) => searchParams.has('delete') }
    await store.remove(keys)
    t.same(await Promise.all(keys.map((key) => store.head(key))), [null, null, null])
    await store.remove(keys)
    t.equal(proxy.seen.filter((line) => line.includes('?delete')).length, 1)
  })

  t.test('makes the API not ready, but alive, while the store is down, and recovers by itself', async (t) => {
    const proxy = await faultProxy(settings.endpoint!)
    const port = Number(new URL(proxy.url).port)
    await proxy.close()
    const store = s3Store({ ...settings, endpoint: proxy.url })
    const { app } = await testApp(t, { storage: store })
    const ready = async () => (await app.inject('/api/health/ready')).json()
    t.match(await ready(), { status: 'down', dependencies: { database: 'up', storage: 'down' } })
    t.equal((await app.inject('/api/health')).statusCode, 200)
    await t.rejects(store.check(), { message: /Nothing listens at http:\/\/127/ })
    await refuses(t, store.begin(someKey(), 5, partSize), StoreUnavailable)
    const back = await faultProxy(settings.endpoint!, port)
    t.teardown(() => back.close())
    t.match(await ready(), { status: 'up', dependencies: { storage: 'up' } })
    const key = await put(store, content)
    t.ok(await holds(store, key, content))
    await store.remove([key])
    await refuses(t, store.read(key), ObjectMissing)
  })
}
