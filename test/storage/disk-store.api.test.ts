import { randomBytes, randomUUID } from 'node:crypto'
import { access, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { diskStore } from '../../src/storage/disk/disk-store.ts'
import { StoreUnavailable } from '../../src/storage/object-store.ts'
import { diskFolder } from '../support/s3/disk-folder.ts'
import { begin, bodyOf, holds, objectStoreSuite, partOf, put, refuses, send, someKey } from '../support/s3/object-store-suite.ts'

t.test('implements the contract of an object store', async (t) => {
  const { dir, temporary } = await diskFolder(t)
  objectStoreSuite(t, () => diskStore({ dir }))
  t.test('leaves nothing temporary', async (t) => t.same(await temporary(), []))
})

t.test('rejects keys and ids in other formats', async (t) => {
  const { store, dir } = await diskFolder(t)
  const uuid = randomUUID()
  const keys = ['', '..', '/etc/passwd', `shares/${uuid}`, `shares/${uuid}/..`, `shares/${uuid}/${uuid}/x`, `shares/${uuid}/${uuid}\n`]
  keys.push(
    `shares/${uuid}/${uuid.toUpperCase()}X`,
    `zips/${uuid}/-1`,
    `zips/../${uuid}`,
    `tmp/${uuid}/data`,
    `${dir}/shares/${uuid}/${uuid}`,
  )
  for (const key of keys) {
    await refuses(t, store.begin(key, 1, 1), TypeError, `begin ${key}`)
    await refuses(t, store.read(key), TypeError, `read ${key}`)
    await refuses(t, store.remove([key]), TypeError, `remove ${key}`)
  }
  const upload = { key: someKey(), id: `../shares/${uuid}`, size: 1, partSize: 1 }
  const body = bodyOf(Buffer.from('x'))
  await refuses(t, store.writePart(upload, 1, body, 1), TypeError, 'writePart')
  t.ok(body.destroyed)
  await refuses(t, store.abort(upload), TypeError, 'abort')
})

t.test('leaves nothing temporary after an upload ends', async (t) => {
  const { store, temporary } = await diskFolder(t)
  const upload = await begin(store)
  await send(store, upload, 1)
  await send(store, upload, 1)
  t.same(await temporary(), [upload.id])
  await store.abort(upload)
  t.same(await temporary(), [])
  await put(store)
  t.same(await temporary(), [])
  await t.rejects(store.write(someKey(), bodyOf(Buffer.alloc(1_000_000), 500_000)))
  t.same(await temporary(), [])
})

t.test('removes the folder of a share with its last object, and no other folder', async (t) => {
  const { store, dir } = await diskFolder(t)
  const share = randomUUID()
  const [first, second] = [`shares/${share}/${randomUUID()}`, `shares/${share}/${randomUUID()}`]
  await store.write(first, bodyOf(Buffer.from('1')))
  await store.write(second, bodyOf(Buffer.from('2')))
  await store.remove([first])
  t.ok(await holds(store, second, Buffer.from('2')))
  await store.remove([second])
  t.same(await readdir(join(dir, 'shares')), [])
  await t.resolves(access(join(dir, 'shares')))
})

t.test('adds objects to a share while others are removed', async (t) => {
  const { store } = await diskFolder(t)
  const share = randomUUID()
  const writeAndRemove = async () => {
    for (let round = 0; round < 20; round++) {
      const key = `shares/${share}/${randomUUID()}`
      await store.write(key, bodyOf(Buffer.from('x')))
      if (!(await holds(store, key, Buffer.from('x')))) t.fail('an object was lost')
      await store.remove([key])
    }
  }
  await Promise.all(Array.from({ length: 4 }, writeAndRemove))
  t.pass('removing the folder of the last object never removes a new object')
})

t.test('keeps the chunks of a body that is not a request intact', async (t) => {
  const { store } = await diskFolder(t)
  const chunk = Buffer.from(new Uint8Array(1_000).fill(7).buffer)
  const upload = await begin(store, chunk)
  await send(store, upload, 1, chunk)
  t.equal(chunk.byteLength, 1_000, 'the creator of the body may use it again')
})

t.test('does not fill the disk when a part is sent repeatedly', async (t) => {
  const { store, dir } = await diskFolder(t)
  const bytes = randomBytes(1_000)
  const upload = await begin(store, bytes)
  for (let time = 0; time < 12; time++) await send(store, upload, 1, randomBytes(1_000))
  const last = await send(store, upload, 1, bytes)
  const copies = (await readdir(join(dir, 'tmp', upload.id))).filter((name) => name.startsWith('1.'))
  t.equal(copies.length, 3)
  await store.finish(upload, [last])
  t.ok(await holds(store, upload.key, bytes))
})

t.test('uses the copy of a part that the ledger names', async (t) => {
  const { store } = await diskFolder(t)
  for (const chosen of [0, 1, 2]) {
    const copies = [randomBytes(1_000), randomBytes(1_000), randomBytes(1_000)]
    const upload = await begin(store, copies[0])
    const parts = await Promise.all(copies.map((bytes) => send(store, upload, 1, bytes)))
    await store.finish(upload, [parts[chosen]!])
    t.ok(await holds(store, upload.key, copies[chosen]!), `copy ${chosen}`)
  }
})

t.test('sweeps only files without writes for a long time', async (t) => {
  const { store, dir, temporary } = await diskFolder(t)
  const [old, busy, fresh] = [await begin(store), await begin(store), await begin(store)]
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (const { id } of [old, busy]) {
    await utimes(join(dir, 'tmp', id, 'data'), hourAgo, hourAgo)
    await utimes(join(dir, 'tmp', id), hourAgo, hourAgo)
  }
  await store.writePart(busy, 1, bodyOf(partOf(busy, 1)), busy.partSize)
  await utimes(join(dir, 'tmp', busy.id), hourAgo, hourAgo)
  t.equal(await store.sweepTemporary(60_000), 1)
  t.same((await temporary()).sort(), [busy.id, fresh.id].sort())
})

t.test('reports a store without its folders as unavailable, with a message for the operator', async (t) => {
  const { store, dir } = await diskFolder(t)
  await rm(join(dir, 'tmp'), { recursive: true })
  await refuses(t, store.check(), StoreUnavailable)
  await t.rejects(store.check(), { message: new RegExp(`^${dir} is not writable: .*\\.$`) })
  await refuses(t, store.begin(someKey(), 10, 10), StoreUnavailable)
  await refuses(t, store.write(someKey(), bodyOf(Buffer.from('x'))), StoreUnavailable)
})
