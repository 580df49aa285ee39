import { once } from 'node:events'
import { mkdtemp, rm, truncate, unlink } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { pieceHeader, planZip, type StoredEntry, type ZipPlan } from '../../src/downloads/zip/layout.ts'
import { sendZip } from '../../src/downloads/zip/stream.ts'
import { diskStore } from '../../src/storage/disk/disk-store.ts'
import { type ByteRange, ObjectMissing, type ObjectStore, WrongLength } from '../../src/storage/object-store.ts'
import { Collector, generatedEntry, generatedStore } from '../support/s3/generated-store.ts'

type Store = Pick<ObjectStore, 'readInto' | 'send'>
const GIB4 = 0x100000000
const KIB = 1024

let seed = 20_261_128
function random(below: number): number {
  seed = (seed * 1103515245 + 12345) % 0x80000000
  return Math.floor((seed / 0x80000000) * below)
}

async function slice(plan: ZipPlan, range: ByteRange, store: Store = generatedStore): Promise<Buffer> {
  const to = new Collector()
  await sendZip(store, plan, range, to)
  return to.bytes
}

const whole = (plan: ZipPlan) => ({ start: 0, end: plan.size - 1 })

/** Returns the expected archive: each entry's header and data, then the directory. */
async function reference(plan: ZipPlan): Promise<Buffer> {
  const bytes = Buffer.alloc(plan.size)
  for (const [index, { key, size }] of plan.entries.entries()) {
    const header = pieceHeader(plan, index)
    bytes.set(header, plan.offsets[index])
    if (size > 0) await generatedStore.readInto(key, 0, bytes.subarray(plan.offsets[index]! + header.length, plan.offsets[index + 1]))
  }
  for (let piece = plan.entries.length; piece < plan.offsets.length - 1; piece++) bytes.set(pieceHeader(plan, piece), plan.offsets[piece])
  return bytes
}

/** Sizes around the limits: empty, small, one block, several blocks. */
function randomEntries(count: number): StoredEntry[] {
  const limits = [0, 1, 4 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 600 * KIB]
  return Array.from({ length: count }, (_, index) => {
    const size = Math.max(limits[random(limits.length)]! + random(5) - 2, 0)
    return generatedEntry(`${'folder/'.repeat(random(3))}${'ü'.repeat(random(100))}${index}`, size, { seed: random(60_000) })
  })
}

t.test('returns the matching slice of the archive for any range', async (t) => {
  const damaged: string[] = []
  for (let round = 0; round < 8; round++) {
    const plan = planZip(randomEntries(random(40)))
    const all = await reference(plan)
    t.ok(all.equals(await slice(plan, whole(plan))), `all ${plan.size} bytes of ${plan.entries.length} entries`)
    for (let index = 0; index < 40; index++) {
      const start = random(plan.size)
      const end = Math.min(start + random(index % 2 === 0 ? 200 : plan.size), plan.size - 1)
      if (!all.subarray(start, end + 1).equals(await slice(plan, { start, end }))) damaged.push(`${round}: ${start}-${end}`)
    }
  }
  t.same(damaged, [])
})

t.test('returns ranges that start or end at the border of a piece', async (t) => {
  const plan = planZip([generatedEntry('a', 0), generatedEntry('b', 10), generatedEntry('c', 128 * KIB + 1), generatedEntry('d', 0)])
  const all = await reference(plan)
  const borders = [...plan.offsets, ...plan.entries.map((_, index) => plan.offsets[index]! + pieceHeader(plan, index).length)]
  const damaged: string[] = []
  for (const border of borders) {
    for (const [start, end] of [
      [border, border],
      [border - 1, border],
      [border - 1, border - 1],
      [0, border],
      [border, plan.size - 1],
    ] as const) {
      if (start < 0 || end >= plan.size || start > end) continue
      if (!all.subarray(start, end + 1).equals(await slice(plan, { start, end }))) damaged.push(`${start}-${end}`)
    }
  }
  t.same(damaged, [])
})

t.test('returns ranges around 4 GiB of an archive that is larger than memory', async (t) => {
  const large = generatedEntry('large', GIB4 + 5, { crc: false, seed: 3 })
  const plan = planZip([generatedEntry('first', 7), large, generatedEntry('after', 1000), large, generatedEntry('last', 3)])
  const dataAt = plan.offsets[1]! + pieceHeader(plan, 1).length
  const expected = Buffer.alloc(100)
  for (const position of [0, 1, GIB4 - 101, GIB4 - dataAt - 50, GIB4 - 95]) {
    await generatedStore.readInto(large.key, position, expected)
    t.ok(
      expected.equals(await slice(plan, { start: dataAt + position, end: dataAt + position + 99 })),
      `byte ${position} of the large file`,
    )
  }
  const border = plan.offsets[2]!
  const around = await slice(plan, { start: border - 100, end: border + 1200 })
  t.ok(around.subarray(0, 100).equals(expected), 'the end of the large file')
  t.ok(around.subarray(100).indexOf(pieceHeader(plan, 2)) === 0, 'the next header')
  const tail = await slice(plan, { start: plan.offsets[5]!, end: plan.size - 1 })
  t.ok(tail.equals(Buffer.concat([5, 6, 7, 8, 9, 10].map((piece) => pieceHeader(plan, piece)))), 'the directory')
})

t.test('gives a receiver that forwards chunks its own blocks', async (t) => {
  const plan = planZip(Array.from({ length: 300 }, (_, index) => generatedEntry(`${index}`, 4 * KIB, { seed: index })))
  const to = new PassThrough({ highWaterMark: plan.size + 1 })
  await sendZip(generatedStore, plan, whole(plan), to)
  to.end()
  t.ok((await buffer(to)).equals(await reference(plan)))
})

t.test('reads at most 32 objects at once, and at most three blocks ahead of the receiver', async (t) => {
  const plan = planZip(Array.from({ length: 1000 }, (_, index) => generatedEntry(`${index}`, 4 * KIB, { seed: index })))
  let [reading, most, read, furthest] = [0, 0, 0, 0]
  const to = new Collector(() => setTimeout(1))
  const store: Store = {
    ...generatedStore,
    async readInto(...args) {
      most = Math.max(most, ++reading)
      await generatedStore.readInto(...args)
      reading--
      read += args[2].length
      furthest = Math.max(furthest, read - to.chunks.reduce((sum, chunk) => sum + chunk.length, 0))
    },
  }
  await sendZip(store, plan, whole(plan), to)
  t.ok(to.bytes.equals(await reference(plan)))
  t.equal(most, 32)
  t.ok(furthest <= 3 * 256 * KIB, `${furthest} bytes ahead`)
})

t.test('pauses the store when the receiver stops reading, and ends at once when it closes', async (t) => {
  const plan = planZip(Array.from({ length: 5000 }, (_, index) => generatedEntry(`${index}`, 4 * KIB)))
  let reads = 0
  const store: Store = {
    ...generatedStore,
    async readInto(...args) {
      reads++
      await generatedStore.readInto(...args)
    },
  }
  const to = new Collector(() => new Promise(() => {}))
  const sent = sendZip(store, plan, whole(plan), to)
  let before = -1
  while (reads !== before) {
    before = reads
    await setTimeout(50)
  }
  t.ok(reads < 3 * 64, `${reads} reads`)
  to.destroy()
  await t.rejects(sent, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  await setTimeout(20)
  t.equal(reads, before, 'no read after the close')
  await t.rejects(sendZip(store, plan, whole(plan), to), { code: 'ERR_STREAM_PREMATURE_CLOSE' }, 'closed before the first byte')
})

t.test('ends at once when the receiver closes while the store hangs', async (t) => {
  const hanging: Store = { readInto: () => new Promise(() => {}), send: () => new Promise(() => {}) }
  for (const size of [10, 1000 * KIB]) {
    const plan = planZip([generatedEntry('a', size)])
    const to = new Collector()
    const sent = sendZip(hanging, plan, whole(plan), to)
    await setTimeout(5)
    to.destroy()
    await t.rejects(sent, { code: 'ERR_STREAM_PREMATURE_CLOSE' }, `${size} bytes`)
  }
})

t.test('closes the receiver when a small or large object is missing or short', async (t) => {
  for (const size of [10, 1000 * KIB]) {
    for (const [key, error] of [
      ['missing', ObjectMissing],
      [`1/${size - 1}`, WrongLength],
    ] as const) {
      const plan = planZip([generatedEntry('a', 5), { ...generatedEntry('b', size), key }, generatedEntry('c', 5)])
      const to = new Collector()
      t.type(await sendZip(generatedStore, plan, whole(plan), to).catch((reason) => reason), error)
      t.ok(to.destroyed)
    }
  }
})

t.test('returns the error of the receiver', async (t) => {
  const plan = planZip([generatedEntry('a', 400 * KIB), generatedEntry('b', 5)])
  const to = new Collector(() => Promise.reject(new Error('disk full')))
  await t.rejects(sendZip(generatedStore, plan, whole(plan), to), { message: 'disk full' })
})

t.test('leaves no listener behind after many archives', async (t) => {
  const plan = planZip([generatedEntry('a', 5), generatedEntry('b', 5)])
  const to = new Collector()
  for (let round = 0; round < 20; round++) await sendZip(generatedStore, plan, { start: 0, end: 100 }, to)
  t.equal(to.listenerCount('close'), 0)
  t.equal(to.listenerCount('error'), 0)
  t.notOk(to.destroyed)
})

t.test('streams from a disk over HTTP', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'zip-stream-'))
  const store = await diskStore({ dir })
  const share = '0f3a1d5e-6c0c-4a57-9d6f-3b1f8f0a7c11'
  const entries = await Promise.all(
    Array.from({ length: 120 }, async (_, index) => {
      const key = `shares/${share}/0f3a1d5e-6c0c-4a57-9d6f-${String(index).padStart(12, '0')}`
      const bytes = Buffer.alloc(index === 50 ? 3000 * KIB : index * 100, `${index} `)
      await store.write(key, Readable.from(bytes.length > 0 ? [bytes] : []))
      return { key, name: `${index}.txt`, size: bytes.length, crc32: crc32(bytes), modified: new Date(0), bytes }
    }),
  )
  const plan = planZip(entries)
  let failure: unknown
  const server = createServer((request, response) => {
    const [start, end] = (request.headers.range ?? `0-${plan.size - 1}`).split('-').map(Number)
    response.writeHead(200, { 'content-length': end! + 1 - start! })
    sendZip(store, plan, { start: start!, end: end! }, response).then(
      () => response.end(),
      (error) => {
        failure = error
      },
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    server.close()
    await store.close()
    await rm(dir, { recursive: true })
  })
  const fetch = (range?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { port } = server.address() as AddressInfo
      get({ port, host: '127.0.0.1', headers: range ? { range } : {} }, resolve).on('error', reject)
    })

  const all = await buffer(await fetch())
  t.equal(all.length, plan.size)
  const damaged = entries.filter(({ bytes }, index) => {
    const dataAt = plan.offsets[index]! + pieceHeader(plan, index).length
    return !all.subarray(dataAt, plan.offsets[index + 1]).equals(bytes)
  })
  t.same(
    damaged.map(({ name }) => name),
    [],
  )
  const start = plan.offsets[49]! + 10
  t.ok((await buffer(await fetch(`${start}-${start + 2_000_000}`))).equals(all.subarray(start, start + 2_000_001)))

  await truncate(join(dir, entries[100]!.key), 100)
  await t.rejects(buffer(await fetch()), { code: 'ECONNRESET' }, 'a short file cuts the response')
  t.type(failure, WrongLength)
  await unlink(join(dir, entries[50]!.key))
  await t.rejects(buffer(await fetch()), { code: 'ECONNRESET' }, 'a missing file cuts the response')
  t.type(failure, ObjectMissing)
})
