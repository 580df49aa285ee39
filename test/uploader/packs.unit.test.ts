import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { joinBlobs } from '../../uploader/pack.ts'
import type { FileSource, Journal } from '../../uploader/types.ts'
import type { UploaderOptions } from '../../uploader/uploader.ts'
import { UploadServer } from '../support/app/upload-server.ts'
import { digestsOf, fileOf, reached, until, upload, uploaderTo } from '../support/uploads.ts'

const packs = /\/packs$/
const announcements = /\/files$/
const MiB = 1_048_576

async function setUp(t: Test, more: Partial<UploaderOptions> = {}) {
  const server = await UploadServer.start(t)
  return { server, uploader: uploaderTo(server, { packs: joinBlobs, ...more }) }
}

const smallFiles = (count: number, size = 100) => Array.from({ length: count }, (_, n) => fileOf(`folder/${n}.txt`, size))
/** A file that was changed after it was chosen, so that reading it fails. */
async function changedFile(t: Test, name: string): Promise<FileSource> {
  const path = join(t.testdir({ file: 'first' }), 'file')
  const blob = await openAsBlob(path)
  await writeFile(path, 'changed')
  return { ...fileOf(name, 5), slice: (start, end) => blob.slice(start, end) }
}

t.test('sends small files together, and large ones by themselves', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = [...smallFiles(300), fileOf('large.bin', MiB), fileOf('empty', 0)]
  const snapshot = await upload(uploader, files)
  t.equal(snapshot.state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('POST', packs), 2)
  t.equal(server.count('POST', announcements), 1)
  t.match(snapshot, { doneFiles: 302, sentBytes: 300 * 100 + MiB, totalBytes: 300 * 100 + MiB })
})

t.test('sends a single small file, and files of equal names, so that the server accepts them', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = [fileOf('same', 10), fileOf('same', 20)]
  t.equal((await upload(uploader, files)).state, 'completed')
  t.equal(server.count('POST', packs), 0)
  t.equal(server.files.size, 2)
})

t.test('no request of a pack exceeds 8 MiB', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = smallFiles(20, MiB - 1)
  await upload(uploader, files)
  t.same(server.digests(), digestsOf(files))
  const lengths = server.asked.filter(({ path }) => packs.test(path)).map(({ headers }) => Number(headers['content-length']))
  t.equal(lengths.length, 3)
  t.ok(
    lengths.every((length) => length <= 8 * MiB),
    String(lengths),
  )
})

t.test('sends the same pack again when its response was lost, so that it arrives once', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = smallFiles(10)
  server.misbehave = ({ path, time }) => (packs.test(path) && time <= 2 ? 'lose-answer' : undefined)
  t.equal((await upload(uploader, files)).state, 'completed')
  t.equal(server.count('POST', packs), 3)
  t.equal(server.files.size, 10)
  t.same(server.digests(), digestsOf(files))
})

t.test('sends files one by one when their pack fails, without sending again what has arrived', async (t) => {
  for (const misbehaviour of ['lose-answer', { status: 404, error: 'not_found' }, { status: 400, error: 'file_name_invalid' }] as const) {
    const { server, uploader } = await setUp(t)
    const files = smallFiles(5)
    server.misbehave = ({ path }) => (packs.test(path) ? misbehaviour : undefined)
    t.equal((await upload(uploader, files)).state, 'completed')
    t.same(server.digests(), digestsOf(files))
    t.equal(server.files.size, 5)
    t.equal(server.count('POST', announcements), misbehaviour === 'lose-answer' ? 0 : 5)
  }
})

t.test('a file that can no longer be read fails alone', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = [...smallFiles(3), await changedFile(t, 'gone.txt')]
  const { state, files: views } = await upload(uploader, files)
  t.equal(state, 'incomplete')
  t.same(
    views.filter(({ status }) => status === 'failed').map(({ name }) => name),
    ['gone.txt'],
  )
  t.equal(Object.keys(server.digests()).length, 3)
})

t.test('finishes the pack in flight when paused, and goes on with the next', async (t) => {
  const { server, uploader } = await setUp(t, { tuning: { concurrency: 1 } })
  const files = smallFiles(300)
  server.delay = 50
  uploader.add(files.map((source) => ({ source })))
  uploader.start()
  await until(uploader, () => server.count('POST', packs) === 1)
  uploader.pause()
  t.match(await reached(uploader, 'paused'), { doneFiles: 256 })
  uploader.start()
  await reached(uploader, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('POST', packs), 2)
})

t.test('deletes a file that is removed while its pack is sent', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = smallFiles(4)
  server.delay = 100
  uploader.add(files.map((source) => ({ source })))
  uploader.start()
  await until(uploader, () => server.count('POST', packs) === 1)
  uploader.remove(1)
  t.equal((await reached(uploader, 'completed')).files.length, 3)
  t.same(server.digests(), digestsOf(files.filter((_, index) => index !== 1)))
})

t.test('packs the remaining files again after a refusal for lack of space', async (t) => {
  const { server, uploader } = await setUp(t)
  const files = smallFiles(4)
  server.misbehave = ({ path, time }) => (packs.test(path) && time === 1 ? { status: 413, error: 'share_too_large' } : undefined)
  t.equal((await upload(uploader, files)).state, 'stopped')
  uploader.remove(0)
  uploader.start()
  await reached(uploader, 'completed')
  t.same(server.digests(), digestsOf(files.slice(1)))
  t.equal(server.count('POST', packs), 2)
})

t.test('after a reload, sends only the files of a pack that did not arrive', async (t) => {
  for (const hasArrived of [true, false]) {
    const ids = new Map<number, string>()
    const journal: Journal = { opened: (key, id) => void ids.set(key, id), done() {}, removed() {}, clear() {} }
    const { server, uploader } = await setUp(t, { journal })
    const files = smallFiles(6)
    let isReloaded = false
    server.misbehave = ({ path }) => (packs.test(path) && !isReloaded ? (hasArrived ? 'lose-answer' : 'cut') : undefined)
    uploader.add(files.map((source) => ({ source })))
    uploader.start()
    await until(uploader, () => server.count('POST', packs) >= 1)
    uploader.close()
    isReloaded = true
    const next = uploaderTo(server, { packs: joinBlobs })
    next.add(files.map((source, key) => ({ source, fileId: ids.get(key)! })))
    next.start()
    await reached(next, 'completed')
    t.same(server.digests(), digestsOf(files))
    t.equal(server.files.size, 6)
    t.equal(server.count('PUT', /parts/), hasArrived ? 0 : 6)
  }
})
