import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { fileKeyOf, shareKeyOf } from '../../uploader/encryption/keys.ts'
import { newLinkKey } from '../../uploader/encryption/link-key.ts'
import { openedRecords, openStream } from '../../uploader/encryption/open-stream.ts'
import { resultsInOrder } from '../../uploader/encryption/results-in-order.ts'
import { sealingTransport } from '../../uploader/encryption/sealed-bytes.ts'
import { recordBytes, sealedSize, segmentBytes, segmentContent } from '../../uploader/encryption/segments.ts'
import { StoredBytes } from '../../web/decryption/stored-bytes.ts'
import { allOf } from '../../web/decryption/streams.ts'
import { generated, opened, sealedBytes, sealedFile } from '../support/sealed.ts'

const share = await shareKeyOf(newLinkKey())
const damaged = { code: 'damaged' }
const unreadable = Object.assign(new Blob([]), { arrayBuffer: () => Promise.reject(new Error('The file has changed')) })
const sizes = [0, 1, recordBytes, recordBytes + 1, segmentContent, segmentContent + 1, 2 * segmentContent]
const long = generated('long', 2 * segmentContent + 70_000)

t.test('a file of any size is the same after encryption and decryption', async (t) => {
  for (const size of sizes) {
    const content = long.slice(0, size)
    const { source, file } = await sealedFile(share, content)
    const sealed = await sealedBytes(source)
    t.equal(sealed.length, sealedSize(size))
    t.equal(source.size, sealed.length)
    t.equal(source.crc32(), crc32(content))
    t.ok((await opened(sealed, file)).equals(content), `${size} bytes`)
  }
})

t.test('whole segments can be sent in any order, and again with another salt', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const slice = async (start: number, end: number) => Buffer.from(await source.slice(start, end).arrayBuffer())
  const last = await slice(2 * segmentBytes, source.size)
  t.equal(source.crc32(), null)
  const first = await slice(0, 2 * segmentBytes)
  const again = await slice(0, 2 * segmentBytes)
  t.equal(first.length, 2 * segmentBytes)
  t.notOk(first.equals(again))
  for (const head of [first, again]) t.ok((await opened(Buffer.concat([head, last]), file)).equals(long))
  t.equal(source.crc32(), crc32(long))
  t.throws(() => source.slice(100, 200).stream(), damaged)
})

t.test('stops encrypting a part that is cancelled, and sends it later', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sent: Blob[] = []
  const transport = sealingTransport({
    call: () => Promise.reject(new Error('No call is expected')),
    async put(_path, bytes) {
      sent.push(bytes)
      return { status: 200, body: null, retryAfter: null }
    },
  })
  const send = (signal: AbortSignal) => transport.put('/parts/1', source.slice(0, source.size), { signal, onProgress() {} })
  const cancelling = new AbortController()
  const { slice } = source.plain
  const { plain } = source
  plain.slice = (start, end) => {
    if (start === segmentContent) cancelling.abort()
    return slice(start, end)
  }
  await t.rejects(send(cancelling.signal), { name: 'AbortError' })
  t.equal(source.crc32(), null, 'the last segment was not read')
  t.same(sent, [])

  plain.slice = (start, end) => (start === segmentContent ? unreadable : slice(start, end))
  await t.rejects(send(new AbortController().signal), { message: 'The file has changed' })
  t.same(sent, [])

  plain.slice = slice
  await send(new AbortController().signal)
  t.ok((await opened(new Uint8Array(await sent[0]!.arrayBuffer()), file)).equals(long))
})

t.test('a range needs only its records and one salt', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sealed = await sealedBytes(source)
  const edges = [0, 1, recordBytes, segmentContent - 1, segmentContent, segmentContent + 100_000, 2 * segmentContent, long.length]
  for (const start of edges) {
    for (const end of edges.filter((end) => end > start)) {
      t.ok((await opened(sealed, file, { start, end })).equals(long.subarray(start, end)), `${start} to ${end}`)
    }
  }
  await t.rejects(opened(sealed, file, { start: 5, end: long.length + 1 }), RangeError)
})

t.test('every change of the stored bytes is noticed', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sealed = Buffer.from(await sealedBytes(source))
  const segment = (number: number) => sealed.subarray(number * segmentBytes, (number + 1) * segmentBytes)
  const [first, second, third] = [segment(0), segment(1), segment(2)]
  const record = (number: number) => sealed.subarray(16 + number * 65_552, 16 + (number + 1) * 65_552)
  const flipped = (position: number) => {
    const bytes = Buffer.from(sealed)
    bytes[position]! ^= 1
    return bytes
  }
  const changes: Record<string, Buffer> = {
    'a bit of a salt': flipped(3),
    'a bit of the first record': flipped(20),
    'a bit of the last tag': flipped(sealed.length - 1),
    'a bit of a salt in the middle': flipped(segmentBytes + 15),
    'cut in a record': sealed.subarray(0, sealed.length - 1),
    'cut after a segment': sealed.subarray(0, 2 * segmentBytes),
    'cut after a record': sealed.subarray(0, 2 * segmentBytes + 65_568),
    'one byte more': Buffer.concat([sealed, Buffer.alloc(1)]),
    'a segment twice': Buffer.concat([first, first, second, third]),
    'a segment instead of another': Buffer.concat([first, first, third]),
    'segments in another order': Buffer.concat([second, first, third]),
    'a segment left out': Buffer.concat([first, third]),
    'records in another order': Buffer.concat([sealed.subarray(0, 16), record(1), record(0), sealed.subarray(16 + 2 * 65_552)]),
    'a record twice': Buffer.concat([sealed.subarray(0, 16), record(0), record(0), sealed.subarray(16 + 2 * 65_552)]),
    nothing: Buffer.alloc(0),
  }
  for (const [change, bytes] of Object.entries(changes)) await t.rejects(opened(bytes, file), damaged, change)
})

t.test('the bytes of another file, share or length are noticed', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sealed = await sealedBytes(source)
  const other = (await sealedFile(share, long)).file
  const stranger = (await fileKeyOf(await shareKeyOf(newLinkKey()), source.name))!
  await t.rejects(opened(sealed, other), damaged)
  await t.rejects(opened(sealed, { ...file, key: stranger }), damaged)
  await t.rejects(opened(sealed, { ...file, size: long.length - 1 }), damaged)
  await t.rejects(opened(sealed.subarray(0, segmentBytes), { ...file, size: segmentContent }), damaged)
})

t.test('a stream returns the records before the damage, and none after it', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sealed = await sealedBytes(source)
  sealed[segmentBytes + 20]! ^= 1
  t.ok((await opened(sealed, file, { start: 0, end: segmentContent })).equals(long.subarray(0, segmentContent)))
  await t.rejects(opened(sealed, file, { start: 0, end: segmentContent + 1 }), damaged)
})

t.test('a stream of bytes is read through one buffer', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sealed = await sealedBytes(source)
  const plain = await new Response(openStream(new Blob([sealed]).stream(), file)).arrayBuffer()
  t.ok(Buffer.from(plain).equals(long))
  const changed = sealed.with(2 * segmentBytes + 100, sealed[2 * segmentBytes + 100]! ^ 1)
  await t.rejects(new Response(openStream(new Blob([changed]).stream(), file)).arrayBuffer(), damaged)
})

/** Stored bytes in chunks of 64 KiB, which counts what is read. The read numbered `failAt` fails. */
function countedSource(sealed: Uint8Array, failAt = Number.POSITIVE_INFINITY) {
  const source = {
    reads: 0,
    isCancelled: false,
    async read() {
      if (source.reads === failAt) throw new Error('The disk is gone')
      const start = source.reads++ * recordBytes
      return start < sealed.length ? sealed.subarray(start, start + recordBytes) : null
    },
    async cancel() {
      source.isCancelled = true
    },
  }
  return source
}

t.test('a read that fails in the middle ends the plaintext after the records before it', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const stored = countedSource(await sealedBytes(source), 20)
  const records = openedRecords(stored, file)
  let received = 0
  const all = async () => {
    for await (const record of records) {
      t.ok(long.subarray(received, received + record.length).every((byte, at) => byte === record[at]))
      received += record.length
    }
  }
  await t.rejects(all(), { message: 'The disk is gone' })
  t.equal(received, segmentContent + 3 * recordBytes)
  t.ok(stored.isCancelled)
})

t.test('reads little ahead, and stops when the reader does', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const stored = countedSource(await sealedBytes(source))
  const records = openedRecords(stored, file)
  t.equal(stored.reads, 0, 'nothing is read before it is wanted')
  await records.next()
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.ok(stored.reads <= 18, `${stored.reads} reads`)
  await records.return()
  t.ok(stored.isCancelled)
})

t.test('work is begun ahead, and its results keep their order', async (t) => {
  let running = 0
  let most = 0
  const slowFirst = async (number: number) => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 20 - number))
    running--
    return number
  }
  async function* work() {
    for (let number = 0; number < 20; number++) yield { result: slowFirst(number) }
  }
  t.same(
    await allOf(resultsInOrder(work(), 4)),
    Array.from({ length: 20 }, (_, number) => number),
  )
  t.equal(most, 4)
})

t.test('continues after a connection was cut, and ends when the reader does', async (t) => {
  const { source, file } = await sealedFile(share, long)
  const sealed = await sealedBytes(source)
  const ranges: string[] = []
  const server = createServer((request, response) => {
    const { range = '' } = request.headers
    ranges.push(range)
    const start = Number(/\d+/.exec(range)?.[0])
    response.writeHead(206, { 'content-length': sealed.length - start })
    if (start === 0) response.write(sealed.subarray(0, 1_500_000), () => response.destroy())
    else response.end(sealed.subarray(start))
  }).listen(0)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stored = () => new StoredBytes(address, 0, sealed.length, new AbortController().signal)
  t.ok(Buffer.concat(await allOf(openedRecords(stored(), file))).equals(long))
  t.equal(ranges.length, 2)

  const cancelled = stored()
  await cancelled.read()
  const next = cancelled.read()
  await cancelled.cancel()
  await t.rejects(Promise.all([next, cancelled.read()]))
  t.equal(ranges.length, 3, 'nothing is fetched afterwards')
})
