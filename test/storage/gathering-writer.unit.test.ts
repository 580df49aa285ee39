import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../src/storage/object-store.ts'
import { GatheringWriter } from '../../src/storage/streams/gathering-writer.ts'
import { refuses } from '../support/s3/object-store-suite.ts'

const beforeWrite = async () => {}

async function emptyFile(t: Test): Promise<{ path: string; file: FileHandle }> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-writer-'))
  const path = join(folder, 'file')
  const file = await open(path, 'wx')
  t.teardown(async () => {
    await file.close()
    await rm(folder, { recursive: true })
  })
  return { path, file }
}

/** Returns pieces of all sizes from zero to 100,000 bytes. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0, size = 0; at < bytes.length; at += size, size = (size * 7 + 3) % 100_000) yield bytes.subarray(at, at + size)
}

t.test('continues writes that the file system accepts only partly', async (t) => {
  const { path, file } = await emptyFile(t)
  const bytes = randomBytes(3_000_000)
  let writes = 0
  const short: Pick<FileHandle, 'writev'> = {
    async writev(chunks: readonly Buffer[], position?: number) {
      writes++
      const { bytesWritten } = await file.write(Buffer.concat(chunks).subarray(0, 77_777), 0, undefined, position)
      return { bytesWritten, buffers: [...chunks] }
    },
  } as Pick<FileHandle, 'writev'>
  const writer = new GatheringWriter({ file: short, position: 10, length: bytes.length, beforeWrite, releasesChunks: false })
  await pipeline(Readable.from(pieces(bytes), { objectMode: false }), writer)
  t.ok((await readFile(path)).subarray(10).equals(bytes))
  t.equal(writer.crc32, crc32(bytes))
  t.ok(writes > 3_000_000 / 77_777)
})

t.test('gathers a body of single bytes', async (t) => {
  const { path, file } = await emptyFile(t)
  const bytes = randomBytes(20_000)
  const writer = new GatheringWriter({ file, position: 0, beforeWrite, releasesChunks: false })
  await pipeline(
    Readable.from(
      bytes
        .toString('latin1')
        .split('')
        .map((byte) => Buffer.from(byte, 'latin1')),
      { objectMode: false },
    ),
    writer,
  )
  t.ok((await readFile(path)).equals(bytes))
  t.equal(writer.bytes, bytes.length)
})

t.test('buffers at most 3 MiB and two writes, no matter how fast the source is', async (t) => {
  const { file } = await emptyFile(t)
  let [underWay, most, given, written] = [0, 0, 0, 0]
  const slow = {
    async writev(chunks: Buffer[], position: number) {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setTimeout(resolve, 1))
      underWay--
      const result = await file.writev(chunks, position)
      written += result.bytesWritten
      return result
    },
  } as unknown as Pick<FileHandle, 'writev'>
  let ahead = 0
  const source = function* () {
    for (; given < 20_000_000; given += 50_000) {
      ahead = Math.max(ahead, given - written)
      yield Buffer.alloc(50_000)
    }
  }
  const writer = new GatheringWriter({ file: slow, position: 0, beforeWrite, releasesChunks: false })
  await pipeline(Readable.from(source(), { objectMode: false }), writer)
  t.equal(most, 2)
  t.ok(ahead < 4 * 1024 * 1024, `${ahead} bytes ahead`)
  t.equal(written, 20_000_000)
})

t.test("ends the stream with the file system's error, after the pending writes", async (t) => {
  const { path } = await emptyFile(t)
  const readOnly = await open(path, 'r')
  t.teardown(() => readOnly.close())
  const writer = new GatheringWriter({ file: readOnly, position: 0, beforeWrite, releasesChunks: false })
  await refuses(t, pipeline(Readable.from(pieces(randomBytes(3_000_000)), { objectMode: false }), writer), StoreUnavailable)
})
