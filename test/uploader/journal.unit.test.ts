import t from 'tap'
import { interruptedUploads, type KeyValueStore, keepJournal, matchFiles, removeUpload, withoutBytes } from '../../uploader/journal.ts'
import { UploadServer } from '../support/app/upload-server.ts'
import { digestsOf, fileOf, reached, until, uploaderTo } from '../support/uploads.ts'

class Store extends Map<string, string> implements KeyValueStore {
  room = Number.POSITIVE_INFINITY
  get length() {
    return this.size
  }
  key(index: number) {
    return [...this.keys()][index] ?? null
  }
  getItem(key: string) {
    return this.get(key) ?? null
  }
  setItem(key: string, value: string) {
    if (this.size >= this.room) throw new DOMException('Full', 'QuotaExceededError')
    this.set(key, value)
  }
  removeItem(key: string) {
    this.delete(key)
  }
}

const share = { id: 's', link: 'https://x.test/s/s', expiration: '1970-01-01T00:00:00.000Z', ownerId: 'alice' }

t.test('resumes the same files after a crash', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 3
  const store = new Store()
  const files = [fileOf('small', 10), fileOf('photos/big', 60_000), fileOf('late', 3_000)]
  const first = uploaderTo(server, {
    journal: keepJournal(
      store,
      share,
      files.map((source) => ({ source })),
    ),
    tuning: { concurrency: 2 },
  })
  first.add(files.map((source) => ({ source })))
  first.start()
  await until(first, ({ sentBytes, doneFiles }) => sentBytes > 20_000 && doneFiles >= 1)
  first.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const sent = server.count('PUT', /./)

  const [interrupted, ...more] = interruptedUploads(store, 'alice')
  t.same([interrupted!.share, more], [share, []])
  t.same(interruptedUploads(store, 'bob'), [])
  t.same(
    interrupted!.files.map(({ name }) => name),
    ['small', 'photos/big', 'late'],
  )
  t.ok(interrupted!.files[0]!.done)
  const { found, strangers } = matchFiles(interrupted!.files, [fileOf('other', 4), ...files])
  t.equal(strangers.length, 1)
  const again = interrupted!.files.map((file) => ({
    source: found.get(file) ?? withoutBytes(file),
    done: file.done,
    ...(file.fileId ? { fileId: file.fileId } : {}),
  }))
  const second = uploaderTo(server, { journal: keepJournal(store, share, again) })
  second.add(again)
  second.start()
  await reached(second, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('POST', /files$/), 3, 'no file was announced twice')
  t.ok(server.count('PUT', /./) - sent < 64 - 15, 'uploaded parts were not sent again')
  t.equal(store.size, 0, 'the journal is cleared')
})

t.test('uploads a file again from the start when the server has cleaned it up', async (t) => {
  const server = await UploadServer.start(t)
  const file = fileOf('a', 2_500)
  const uploader = uploaderTo(server)
  uploader.add([{ source: file, fileId: 'gone' }])
  uploader.start()
  t.equal((await reached(uploader, 'completed', 'incomplete', 'stopped')).state, 'completed')
  t.same(server.digests(), digestsOf([file]))
})

t.test('deletes entries of removed files only, and tolerates a full local storage', (t) => {
  const store = new Store([
    ['theme', 'dark'],
    ['upload:broken', '{'],
  ])
  const files = ['a', 'b'].map((name) => ({ source: fileOf(name, 1) }))
  const journal = keepJournal(store, share, files)
  journal.opened(0, 'x')
  journal.removed(0)
  t.same(
    interruptedUploads(store, 'alice')[0]!.files.map(({ name }) => name),
    ['b'],
  )
  removeUpload(store, 's')
  t.same([...store.keys()], ['theme', 'upload:broken'])
  store.room = 3
  const cramped = keepJournal(store, share, files)
  cramped.opened(0, 'x')
  cramped.done(0)
  t.same(interruptedUploads(store, 'alice'), [])
  t.end()
})

t.test('records files that are added while the upload runs', (t) => {
  const store = new Store()
  const journal = keepJournal(store, share, [{ source: fileOf('a', 1) }])
  journal.add([{ source: fileOf('b', 2) }])
  journal.opened(1, 'x')
  t.match(interruptedUploads(store, 'alice')[0]!.files, [
    { name: 'a', fileId: null },
    { name: 'b', fileId: 'x' },
  ])
  journal.clear()
  journal.add([{ source: fileOf('c', 3) }])
  t.equal(store.size, 0, 'nothing is recorded after the end')
  t.end()
})

t.test('identifies files of another device by name and size', (t) => {
  const needed = { name: 'd/a', size: 3, lastModified: null, fileId: 'x', done: false }
  const picked = [{ ...fileOf('a', 3), lastModified: 5 }, fileOf('a', 4)]
  const { found, strangers } = matchFiles([needed], picked)
  t.same([found.get(needed), strangers], [picked[0], [picked[1]]])
  t.end()
})

t.test('identifies files by name, size and time, matches a folder picked another way, and uses each entry once', (t) => {
  const journal = (name: string, size: number) => ({ name, size, lastModified: 1_700_000_000_000, fileId: null, done: false })
  const needed = [journal('d/a', 3), journal('d/a', 3), journal('b', 2)]
  const picked = [fileOf('a', 3), { ...fileOf('b', 2), lastModified: 5 }, fileOf('b', 1)]
  const { found, strangers } = matchFiles(needed, picked)
  t.equal(found.size, 1)
  t.equal(found.get(needed[0]!), picked[0])
  t.equal(strangers.length, 2)
  t.end()
})
