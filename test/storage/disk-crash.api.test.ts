import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { ObjectMissing, type ObjectStore, type StoredPart, type Upload, WrongLength } from '../../src/storage/object-store.ts'
import { diskFolder } from '../support/s3/disk-folder.ts'
import { begin, bodyOf, holds, refuses, send } from '../support/s3/object-store-suite.ts'

const MiB = 1024 * 1024
const content = randomBytes(3 * MiB)

async function sendAll(store: ObjectStore, upload: Upload): Promise<StoredPart[]> {
  return [await send(store, upload, 1, content), await send(store, upload, 2, content), await send(store, upload, 3, content)]
}

t.test('accepts a part again after its process was killed in the middle', async (t) => {
  const { store, dir } = await diskFolder(t)
  const upload = await begin(store, content, MiB)
  const program = `
    import { PassThrough } from 'node:stream'
    import { diskStore } from ${JSON.stringify(import.meta.resolve('../../src/storage/disk/disk-store.ts'))}
    const store = await diskStore({ dir: ${JSON.stringify(dir)} })
    const body = new PassThrough()
    body.write(Buffer.alloc(${MiB / 2}, 'x'))
    store.writePart(${JSON.stringify(upload)}, 2, body, ${MiB})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${program}\nsetInterval(() => {}, 1000)`], { stdio: 'inherit' })
  t.teardown(() => child.kill('SIGKILL'))
  while (!(await written(join(dir, 'tmp', upload.id, 'data'), MiB))) if (child.exitCode !== null) return t.fail('the child ended by itself')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await store.finish(upload, await sendAll(store, upload))
  t.ok(await holds(store, upload.key, content))
  t.same(await readdir(join(dir, 'tmp')), [])
})

t.test('completes an interrupted finish on the next call', async (t) => {
  const { store, dir, temporary } = await diskFolder(t)
  const before = await begin(store, content, MiB)
  const parts = await sendAll(store, before)
  await rename(join(dir, 'tmp', before.id, 'data'), join(dir, 'tmp', before.id, 'whole'))
  await refuses(t, send(store, before, 1, content), ObjectMissing, 'it takes no more parts')
  await store.finish(before, parts)
  t.ok(await holds(store, before.key, content), 'interrupted before the object was in place')

  const after = await begin(store, content, MiB)
  const others = await sendAll(store, after)
  await store.finish(after, others)
  await mkdir(join(dir, 'tmp', after.id))
  for (const number of ['1', '2', '3']) await writeFile(join(dir, 'tmp', after.id, number), '')
  await store.finish(after, others)
  t.ok(await holds(store, after.key, content), 'interrupted before the folder was removed')
  t.same(await temporary(), [])
})

t.test('supports two finishes at once', async (t) => {
  const { store, temporary } = await diskFolder(t)
  const upload = await begin(store, content, MiB)
  await send(store, upload, 2, randomBytes(content.length))
  const parts = await sendAll(store, upload)
  await Promise.all([store.finish(upload, parts), store.finish(upload, parts)])
  t.ok(await holds(store, upload.key, content))
  t.same(await temporary(), [])
})

t.test('detects a part that a power cut damaged, and requests only that part again', async (t) => {
  const { store, dir } = await diskFolder(t)
  const upload = await begin(store, content, MiB)
  const parts = await sendAll(store, upload)
  const data = await open(join(dir, 'tmp', upload.id, 'data'), 'r+')
  await data.write(Buffer.alloc(4096), 0, 4096, MiB + 8192)
  await data.close()
  const fromBefore = parts.map((part) => ({ ...part, etag: part.etag.replace(/\w+$/, 'aboot0') }))
  await refuses(t, store.finish(upload, fromBefore), WrongLength)
  t.equal(await store.head(upload.key), null)
  await store.finish(upload, fromBefore.with(1, await send(store, upload, 2, content)))
  t.ok(await holds(store, upload.key, content))
})

t.test('does not let a late writer change a finished object', async (t) => {
  const { store } = await diskFolder(t)
  const upload = await begin(store, content, MiB)
  const slow = new PassThrough()
  const refused = refuses(t, store.writePart(upload, 2, slow, MiB), ObjectMissing)
  slow.write(Buffer.alloc(MiB / 2, 'x'))
  await new Promise((resolve) => slow.once('drain', resolve))
  await store.finish(upload, await sendAll(store, upload))
  slow.end(Buffer.alloc(MiB / 2, 'x'))
  await refused
  t.ok(await holds(store, upload.key, content))
})

t.test('reports a part as missing when its upload was aborted during the write', async (t) => {
  const { store, temporary } = await diskFolder(t)
  const upload = await begin(store, content, MiB)
  const slow = new PassThrough()
  const refused = refuses(t, store.writePart(upload, 1, slow, MiB), ObjectMissing)
  slow.write(Buffer.alloc(MiB / 2, 'x'))
  await new Promise((resolve) => slow.once('drain', resolve))
  await store.abort(upload)
  slow.end(Buffer.alloc(MiB / 2, 'x'))
  await refused
  t.same(await temporary(), [])
})

t.test('rejects a missing copy or an etag of another upload', async (t) => {
  const { store } = await diskFolder(t)
  const upload = await begin(store, content, MiB)
  const parts = await sendAll(store, upload)
  const [first, second, third] = parts as [StoredPart, StoredPart, StoredPart]
  await refuses(t, store.finish(upload, [first, { ...second, etag: `${'a'.repeat(16)}-00000000-0` }, third]), WrongLength)
  await refuses(t, store.finish(upload, [first, { ...second, etag: '../../x' }, third]), WrongLength)
  const other = await begin(store, content, MiB)
  await refuses(t, store.finish(other, parts), WrongLength)
  await t.rejects(store.writePart(upload, 4, bodyOf(content.subarray(0, MiB)), MiB))
  await store.finish(upload, parts)
  t.ok(await holds(store, upload.key, content))
})

/** Returns whether half a MiB from `offset` on is no longer zero. */
async function written(path: string, offset: number): Promise<boolean> {
  const file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, offset + MiB / 2 - 1)
  await file.close()
  return buffer[0] !== 0
}
