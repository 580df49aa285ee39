import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { type DiskStore, diskStore } from '../../src/storage/disk/disk-store.ts'
import { StoreFull, type Upload } from '../../src/storage/object-store.ts'
import { begin, bodyOf, holds, refuses, send, someKey } from '../support/s3/object-store-suite.ts'

const MiB = 1024 * 1024
const disk = await mkdtemp(join(tmpdir(), 'razorbill-full-'))
const mounted = mount()
const skip = mounted === '' ? false : `a disk to fill up needs a mount, which this user may not make: ${mounted}`
t.teardown(async () => {
  if (!skip) execFileSync('umount', ['-l', disk])
  await rmdir(disk)
})

/** Mounts a disk of 64 MiB; returns the reason if it could not. */
function mount(): string {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk], { stdio: 'pipe' })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

async function emptyStore(t: Test): Promise<{ dir: string; store: DiskStore }> {
  const dir = await mkdtemp(join(disk, 'store-'))
  t.teardown(() => rm(dir, { recursive: true }))
  return { dir, store: await diskStore({ dir }) }
}

/** Fills the disk up to `free` bytes; returns a function that releases the space. */
async function fill(free: number): Promise<() => Promise<void>> {
  const [spare, filler] = [join(disk, 'spare'), join(disk, 'filler')]
  await writeFile(spare, Buffer.alloc(free))
  await writeFile(filler, Buffer.alloc(128 * MiB)).catch(() => {})
  await rm(spare)
  return () => rm(filler)
}

t.test('rejects an upload that cannot fit before a byte is sent', { skip }, async (t) => {
  const { store, dir } = await emptyStore(t)
  await refuses(t, store.begin(someKey(), 62 * MiB, 8 * MiB), StoreFull, 'the reserve stays free')
  await refuses(t, store.begin(someKey(), 2 ** 50, 2 ** 40), StoreFull)
  t.same(await readdir(join(dir, 'tmp')), [])
  await store.begin(someKey(), 40 * MiB, 8 * MiB)
})

t.test('rejects the part without space when uploads fit alone but not together', { skip }, async (t) => {
  const { store } = await emptyStore(t)
  const bytes = randomBytes(48 * MiB)
  const [one, two] = [await begin(store, bytes, 24 * MiB), await begin(store, bytes, 24 * MiB)]
  const parts = [await send(store, one, 1, bytes), await send(store, one, 2, bytes)]
  const body = bodyOf(bytes.subarray(0, 24 * MiB))
  await refuses(t, store.writePart(two, 1, body, 24 * MiB), StoreFull)
  t.ok(body.destroyed)
  await store.finish(one, parts)
  t.ok(await holds(store, one.key, bytes))
})

t.test('reports a disk that fills up in the middle of a part', { skip }, async (t) => {
  const { store, dir } = await emptyStore(t)
  const bytes = randomBytes(16 * MiB)
  const upload = await begin(store, bytes, 8 * MiB)
  const first = await send(store, upload, 1, bytes)
  const { sending, body } = await half(store, upload, bytes)
  const empty = await fill(2 * MiB)
  body.end(bytes.subarray(12 * MiB))
  await refuses(t, sending, StoreFull)
  t.ok(body.destroyed)
  t.same((await readdir(join(dir, 'tmp', upload.id))).sort(), ['1', 'data'], 'the part is not kept')
  await refuses(t, store.check(), StoreFull, 'the check reports it')
  await empty()
  await store.check()
  await store.finish(upload, [first, await send(store, upload, 2, bytes)])
  t.ok(await holds(store, upload.key, bytes))
})

/** Sends the first half of part 2, and waits until it is stored. */
async function half(store: DiskStore, upload: Upload, bytes: Buffer): Promise<{ sending: Promise<unknown>; body: PassThrough }> {
  const body = new PassThrough()
  const sending = store.writePart(upload, 2, body, 8 * MiB)
  body.write(bytes.subarray(8 * MiB, 12 * MiB))
  await once(body, 'drain')
  return { sending, body }
}

t.test('leaves nothing when a write of unknown length fills the disk', { skip }, async (t) => {
  const { store, dir } = await emptyStore(t)
  const key = someKey()
  await refuses(t, store.write(key, bodyOf(Buffer.alloc(64 * MiB))), StoreFull)
  await refuses(t, store.write(key, bodyOf(Buffer.alloc(1)), 64 * MiB), StoreFull, 'with a declared size, before the write starts')
  t.equal(await store.head(key), null)
  t.same(await readdir(join(dir, 'tmp')), [])
  await store.write(key, bodyOf(Buffer.from('small')))
  t.ok(await holds(store, key, Buffer.from('small')))
})
