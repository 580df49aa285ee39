import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Test } from 'tap'
import { ObjectMissing, type ObjectStore, type StoredPart, type Upload, WrongLength } from '../../../src/storage/object-store.ts'
import { sliceKey } from '../../../src/storage/slices.ts'
import { liveBytes } from '../live-bytes.ts'

const MiB = 1024 * 1024
/** The minimum size that S3 accepts for a part that is not the last. */
const partSize = 5 * MiB
const CHUNK = 64 * 1024
/** Two and a half parts, with a size that is not a round number. */
const content = randomBytes(12 * MiB + 4_567)

/** A key in the application's format. */
export function someKey(): string {
  return `shares/${randomUUID()}/${randomUUID()}`
}

/**
 * A body of these bytes in small chunks. With `failAfter` it ends there with an error, like a cut
 * connection.
 */
export function bodyOf(bytes: Buffer, failAfter = Number.POSITIVE_INFINITY): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += CHUNK) {
        if (at + CHUNK > failAfter) throw new Error('cut')
        yield bytes.subarray(at, at + CHUNK)
      }
    })(),
    { objectMode: false },
  )
}

/** Opens an upload for `bytes`. */
export async function begin(store: ObjectStore, bytes = content, size = partSize): Promise<Upload> {
  const key = someKey()
  return { key, id: await store.begin(key, bytes.length, size), size: bytes.length, partSize: size }
}

/** The bytes of part `number`. */
export function partOf(upload: Upload, number: number, bytes = content): Buffer {
  return bytes.subarray((number - 1) * upload.partSize, number * upload.partSize)
}

/** Writes part `number` and returns what a ledger keeps of it. */
export async function send(store: ObjectStore, upload: Upload, number: number, bytes = content): Promise<StoredPart> {
  const part = partOf(upload, number, bytes)
  const { etag } = await store.writePart(upload, number, bodyOf(part), part.length)
  return { number, size: part.length, etag }
}

/** Uploads `bytes` whole. Returns the key. */
export async function put(store: ObjectStore, bytes = content): Promise<string> {
  const upload = await begin(store, bytes)
  const parts: StoredPart[] = []
  for (let number = 1; number <= Math.ceil(bytes.length / partSize); number++) parts.push(await send(store, upload, number, bytes))
  await store.finish(upload, parts)
  return upload.key
}

/** Whether the object has exactly these bytes. */
export async function holds(store: ObjectStore, key: string, bytes: Buffer): Promise<boolean> {
  return bytes.equals(await buffer(await store.read(key)))
}

/** Expects the store's error. */
export async function refuses(t: Test, promise: Promise<unknown>, kind: new () => Error, name?: string): Promise<void> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  )
  t.ok(outcome instanceof kind, name ?? `refuses with ${kind.name}`, { outcome: String(outcome) })
}

/**
 * The contract of `ObjectStore`. Each call of `open` returns another store over the same bytes, as
 * another process would have it. The suite closes it. `forgetsCutParts` names a server that loses a
 * part when its second upload is cut; then the part is sent again before the file is complete. It
 * may also keep a cut object.
 */
export function objectStoreSuite(t: Test, open: () => Promise<ObjectStore>, forgetsCutParts?: string): void {
  const opened = async (t: Test) => {
    const store = await open()
    t.teardown(() => store.close())
    return store
  }

  t.test('assembles parts sent in any order, in parallel, through two stores', async (t) => {
    const [one, two] = [await opened(t), await opened(t)]
    const upload = await begin(one)
    const [third, first, second] = await Promise.all([send(two, upload, 3), send(one, upload, 1), send(two, upload, 2)])
    t.equal(await one.head(upload.key), null, 'it is not visible before it is finished')
    await one.finish(upload, [first, second, third])
    t.same(await two.head(upload.key), { size: content.length })
    t.ok(await holds(two, upload.key, content))
  })

  t.test('computes the CRC-32 of the bytes that passed through', async (t) => {
    const store = await opened(t)
    const upload = await begin(store)
    const part = partOf(upload, 3)
    t.equal((await store.writePart(upload, 3, bodyOf(part), part.length)).crc32, crc32(part))
    await store.abort(upload)
  })

  t.test('stores an object of one byte, and one whose last part is full', async (t) => {
    const store = await opened(t)
    for (const bytes of [Buffer.from('x'), content.subarray(0, 2 * partSize)]) t.ok(await holds(store, await put(store, bytes), bytes))
  })

  t.test('replaces a part that is sent again', async (t) => {
    const [store, other] = [await opened(t), await opened(t)]
    const upload = await begin(store)
    await send(store, upload, 2, randomBytes(content.length))
    const parts = [await send(store, upload, 1), await send(other, upload, 2), await send(store, upload, 3)]
    await store.finish(upload, parts)
    t.ok(await holds(store, upload.key, content))
  })

  t.test('keeps the first part when a second upload of it is cut', { skip: forgetsCutParts ?? false }, async (t) => {
    const store = await opened(t)
    const upload = await begin(store)
    const parts = [await send(store, upload, 1), await send(store, upload, 2), await send(store, upload, 3)]
    await refuses(t, store.writePart(upload, 2, bodyOf(randomBytes(partSize), 3 * MiB), partSize), WrongLength)
    await store.finish(upload, parts)
    t.ok(await holds(store, upload.key, content))
  })

  t.test('rejects and destroys a cut, short or long body, without harm to other parts', async (t) => {
    const store = await opened(t)
    const upload = await begin(store)
    const [first, third] = [await send(store, upload, 1), await send(store, upload, 3)]
    const noise = randomBytes(partSize + MiB)
    const bad = { cut: bodyOf(noise, 3 * MiB), short: bodyOf(noise.subarray(0, partSize - 1)), long: bodyOf(noise) }
    for (const [name, body] of Object.entries(bad)) {
      await refuses(t, store.writePart(upload, 2, body, partSize), WrongLength, name)
      t.ok(body.destroyed, `${name}: the body is destroyed`)
    }
    const finish = async () => store.finish(upload, [first, await send(store, upload, 2), third])
    // A server that forgets parts may do so late, and then loses the one that replaced it.
    await finish().catch((error) => (forgetsCutParts && error instanceof WrongLength ? finish() : Promise.reject(error)))
    t.ok(await holds(store, upload.key, content))
  })

  t.test('rejects a body that was cut before the call or fails before it is read', async (t) => {
    const store = await opened(t)
    const upload = await begin(store)
    const [cut, failing, source] = [new PassThrough(), new PassThrough(), new PassThrough()]
    cut.destroy()
    await refuses(t, store.writePart(upload, 1, cut, partSize), WrongLength)
    const part = store.writePart(upload, 1, failing, partSize)
    failing.destroy(new Error('cut'))
    await refuses(t, part, WrongLength)
    const write = store.write(someKey(), source)
    source.destroy(new Error('cut'))
    await t.rejects(write)
    await store.abort(upload)
  })

  t.test('accepts a second finish', async (t) => {
    const [store, other] = [await opened(t), await opened(t)]
    const upload = await begin(store)
    const parts = [await send(store, upload, 1), await send(store, upload, 2), await send(store, upload, 3)]
    await store.finish(upload, parts)
    await other.finish(upload, parts)
    t.ok(await holds(store, upload.key, content))
  })

  t.test('refuses to finish while a part is missing or of the wrong size, and succeeds afterwards', async (t) => {
    const store = await opened(t)
    const upload = await begin(store)
    const [first, third] = [await send(store, upload, 1), await send(store, upload, 3)]
    await refuses(t, store.finish(upload, [first, third]), WrongLength, 'one in the middle')
    await refuses(t, store.finish(upload, [first]), WrongLength, 'all but the first')
    const second = await send(store, upload, 2)
    await refuses(t, store.finish(upload, [first, second, { ...third, size: third.size - 1 }]), WrongLength, 'the last one byte short')
    t.equal(await store.head(upload.key), null)
    await store.finish(upload, [first, second, third])
    t.ok(await holds(store, upload.key, content))
  })

  t.test('rejects parts for an upload that is aborted or finished', async (t) => {
    const [store, other] = [await opened(t), await opened(t)]
    const aborted = await begin(store)
    const parts = [await send(store, aborted, 1), await send(store, aborted, 2), await send(store, aborted, 3)]
    await other.abort(aborted)
    await other.abort(aborted)
    await refuses(t, send(store, aborted, 1), ObjectMissing)
    await refuses(t, store.finish(aborted, parts), ObjectMissing)
    t.equal(await store.head(aborted.key), null)

    const small = Buffer.from('small')
    const finished = await begin(store, small)
    await store.finish(finished, [await send(store, finished, 1, small)])
    await refuses(t, send(store, finished, 1, Buffer.from('other')), ObjectMissing)
    t.ok(await holds(store, finished.key, small))
  })

  t.test('reads ranges: first byte, last byte, the middle, across the border of two parts', async (t) => {
    const store = await opened(t)
    const key = await put(store)
    const last = content.length - 1
    const ranges = [
      [0, 0],
      [last, last],
      [MiB + 3, MiB + 70_000],
      [partSize - 7, partSize + 9],
      [0, last],
    ] as const
    for (const [start, end] of ranges) {
      const expected = content.subarray(start, end + 1)
      t.ok(expected.equals(await buffer(await store.read(key, { start, end }))), `read ${start}–${end}`)
      const to = new PassThrough()
      const received = buffer(to)
      await store.send(key, { start, end }, to)
      t.notOk(to.writableEnded, 'the receiver stays open')
      to.end()
      t.ok(expected.equals(await received), `send ${start}–${end}`)
      const target = Buffer.alloc(expected.length)
      await store.readInto(key, start, target)
      t.ok(expected.equals(target), `readInto ${start}–${end}`)
    }
  })

  t.test('writes an object of announced length whole, and nothing of a cut, short or long one', async (t) => {
    const store = await opened(t)
    const key = someKey()
    const bytes = content.subarray(0, 2 * MiB)
    const cut = [bodyOf(bytes, MiB), bodyOf(bytes.subarray(1)), bodyOf(Buffer.concat([bytes, Buffer.from('x')]))]
    for (const body of cut) await refuses(t, store.writeWhole(key, body, bytes.length), WrongLength)
    if (!forgetsCutParts) t.equal(await store.head(key), null) // such a server may keep a cut object, which is then replaced
    await store.writeWhole(key, bodyOf(bytes), bytes.length)
    t.ok(await holds(store, key, bytes))
  })

  t.test('reads a slice of an object like an object of its own', async (t) => {
    const store = await opened(t)
    const key = someKey()
    const bytes = content.subarray(0, 300_000)
    await store.writeWhole(key, bodyOf(bytes), bytes.length)
    const slice = (start: number, length: number) => ({
      key: sliceKey({ key, start, length }, 0),
      bytes: bytes.subarray(start, start + length),
    })
    for (const { key, bytes } of [slice(0, 1), slice(1_000, 200_000), slice(299_999, 1), slice(5, 0)]) {
      t.ok(await holds(store, key, bytes), `all ${bytes.length} bytes`)
      t.same(await store.head(key), { size: bytes.length })
    }
    const { key: middle, bytes: expected } = slice(1_000, 200_000)
    const sent = new PassThrough()
    const received = buffer(sent)
    const sizes: (number | null)[] = []
    await store.send(middle, { start: 10, end: 99_999 }, sent, async (size) => void sizes.push(size))
    sent.end()
    t.ok((await received).equals(expected.subarray(10, 100_000)))
    t.same(sizes, [200_000])
    t.ok((await buffer(await store.read(middle, { start: 199_990, end: 199_999 }))).equals(expected.subarray(199_990)))
    const target = Buffer.alloc(100)
    await store.readInto(middle, 50, target)
    t.ok(target.equals(expected.subarray(50, 150)))
    await refuses(t, store.readInto(middle, 199_950, target), WrongLength, 'no byte of the next file')
    await refuses(t, store.read(middle, { start: 0, end: 200_000 }), WrongLength)
    t.same(await store.head(sliceKey({ key, start: 299_000, length: 2_000 }, 0)), { size: 1_000 }, 'the object ends early')
    t.equal(await store.head(sliceKey({ key: someKey(), start: 0, length: 1 }, 0)), null)
    await refuses(t, store.read(sliceKey({ key: someKey(), start: 0, length: 0 }, 0)), ObjectMissing)
  })

  t.test('reports missing objects', async (t) => {
    const store = await opened(t)
    const key = someKey()
    t.equal(await store.head(key), null)
    await refuses(t, store.read(key), ObjectMissing)
    await refuses(t, store.readInto(key, 0, Buffer.alloc(1)), ObjectMissing)
    await refuses(t, store.send(key, { start: 0, end: 0 }, new PassThrough()), ObjectMissing)
    await t.rejects(store.finish({ key, id: randomUUID(), size: 1, partSize }, [{ number: 1, size: 1, etag: 'none' }]))
  })

  t.test('detects an object that ends early', async (t) => {
    const store = await opened(t)
    const key = await put(store, Buffer.from('short'))
    await refuses(t, store.readInto(key, 3, Buffer.alloc(3)), WrongLength)
    const to = new PassThrough().resume()
    await t.rejects(store.send(key, { start: 1, end: 5 }, to))
    t.notOk(to.destroyed, 'the receiver stays open')
  })

  t.test('removes all named objects and ignores those already deleted', async (t) => {
    const [store, other] = [await opened(t), await opened(t)]
    const [first, second, stays] = [
      await put(store, Buffer.from('1')),
      await put(store, Buffer.from('2')),
      await put(store, Buffer.from('3')),
    ]
    await store.remove([first, someKey(), second])
    t.same([await store.head(first), await other.head(second), await other.head(stays)], [null, null, { size: 1 }])
    await store.remove([first, second])
    await store.remove([])
    t.ok(await holds(other, stays, Buffer.from('3')))
  })

  t.test('publishes a write of unknown length whole, and replaces the old object', async (t) => {
    const store = await opened(t)
    const key = `zips/${randomUUID()}/7`
    t.equal(await store.write(key, bodyOf(content)), content.length)
    t.ok(await holds(store, key, content))
    t.equal(await store.write(key, bodyOf(Buffer.from('replaced'))), 8)
    t.ok(await holds(store, key, Buffer.from('replaced')))
    t.equal(await store.write(key, bodyOf(Buffer.alloc(0))), 0)
    t.same(await store.head(key), { size: 0 })
    t.ok(await holds(store, key, Buffer.alloc(0)), 'an empty object is valid too')
  })

  t.test('keeps the old object when the source of a write fails', async (t) => {
    const store = await opened(t)
    const key = someKey()
    await t.rejects(store.write(key, bodyOf(content, 8 * MiB)))
    t.equal(await store.head(key), null, 'empty')
    await store.write(key, bodyOf(Buffer.from('old')))
    const source = bodyOf(content, 2 * MiB)
    await t.rejects(store.write(key, source))
    t.ok(source.destroyed)
    t.ok(await holds(store, key, Buffer.from('old')), 'the old object')
  })

  t.test('delivers the right bytes to a slow receiver that keeps its buffers', async (t) => {
    const store = await opened(t)
    const key = await put(store)
    const to = new PassThrough({ highWaterMark: 2 * MiB })
    const sent = store.send(key, { start: 0, end: content.length - 1 }, to).then(() => to.end())
    await delay(50)
    const received = await buffer(to)
    await sent
    t.ok(content.equals(received))
  })

  t.test('delivers the right bytes to a slow HTTP reader, and stops when the reader disconnects', async (t) => {
    const store = await opened(t)
    const bytes = Buffer.concat([content, content, content])
    const key = await put(store, bytes)
    const sends: Promise<void>[] = []
    const request = await serve(t, async (response) => {
      const sent = store.send(key, { start: 0, end: bytes.length - 1 }, response)
      sends.push(sent)
      await sent.catch(() => {})
      response.end()
    })
    const patient = await request()
    await delay(100)
    t.ok(bytes.equals(await buffer(patient)))
    await sends[0]

    const gone = await request()
    gone.once('data', () => gone.destroy())
    await t.rejects(sends[1]!)
    const closed = new PassThrough()
    closed.destroy()
    await t.rejects(store.send(key, { start: 0, end: 9 }, closed), 'closed before the call')
  })

  t.test('uses constant memory while 100 MiB are written and read', async (t) => {
    const store = await opened(t)
    const [large, limit] = [50 * MiB, 24 * MiB]
    const upload: Upload = { key: someKey(), id: '', size: 2 * large, partSize: large }
    upload.id = await store.begin(upload.key, upload.size, large)
    const before = liveBytes()
    let most = 0
    const look = () => {
      most = Math.max(most, liveBytes() - before)
    }
    const parts: StoredPart[] = []
    for (const number of [1, 2]) {
      const { etag } = await store.writePart(upload, number, Readable.from(freshChunks(large, look), { objectMode: false }), large)
      parts.push({ number, size: large, etag })
    }
    await store.finish(upload, parts)
    t.ok(most < limit, `parts in: ${most} bytes held`)

    for (const [name, consume] of Object.entries({ read: readSlowly, send: sendSlowly })) {
      most = 0
      t.equal(await consume(store, upload, look), upload.size)
      t.ok(most < limit, `${name}: ${most} bytes held`)
    }
  })

  t.test('reports a working store as healthy', async (t) => {
    await (await opened(t)).check()
    t.pass()
  })
}

/** Sampling is expensive, because it collects all garbage. */
const LOOK_EVERY = 24 * MiB

/** Chunks with separate buffers, so that retained ones show. */
function* freshChunks(size: number, look: () => void): Generator<Buffer> {
  for (let at = 0; at < size; at += CHUNK) {
    if (at % LOOK_EVERY === 0) look()
    yield Buffer.alloc(CHUNK, 1)
  }
}

async function readSlowly(store: ObjectStore, { key }: Upload, look: () => void): Promise<number> {
  let size = 0
  for await (const chunk of await store.read(key)) size = counted(size, chunk, look)
  return size
}

async function sendSlowly(store: ObjectStore, upload: Upload, look: () => void): Promise<number> {
  const to = new PassThrough()
  const sent = store.send(upload.key, { start: 0, end: upload.size - 1 }, to).then(() => to.end())
  let size = 0
  for await (const chunk of to) size = counted(size, chunk, look)
  await sent
  return size
}

/** Adds a chunk's length, and samples memory from time to time. */
function counted(size: number, chunk: Buffer, look: () => void): number {
  if (Math.floor(size / LOOK_EVERY) < Math.floor((size + chunk.length) / LOOK_EVERY)) look()
  return size + chunk.length
}

/** Starts an HTTP server for one handler. Returns a function that sends it a request. */
async function serve(t: Test, handle: (response: ServerResponse) => void): Promise<() => Promise<IncomingMessage>> {
  const server = createServer((_, response) => handle(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return async () => (await once(get({ port, host: '127.0.0.1', agent: false }), 'response'))[0]
}
