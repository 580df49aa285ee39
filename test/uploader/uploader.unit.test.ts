import t, { type Test } from 'tap'
import { UploadServer } from '../support/app/upload-server.ts'
import { digestsOf, fileOf, reached, until, upload, uploaderTo } from '../support/uploads.ts'

t.setTimeout(120_000) // a thousand files on a busy machine

const isPart = (path: string) => path.includes('/parts/')

t.test('uploads files of every size completely, and completes the share once', async (t) => {
  const server = await UploadServer.start(t)
  const files = [
    fileOf('empty', 0),
    fileOf('one', 1),
    fileOf('exact', 2_000),
    fileOf('photos/ünter weg.jpg', 25_431),
    fileOf('one more', 999),
  ]
  const { state, sentBytes, totalBytes, doneFiles, files: views } = await upload(uploaderTo(server), files)
  t.equal(state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.state, 'completed')
  t.equal(server.count('POST', /^\/api\/shares\/s\/complete$/), 1)
  t.same([sentBytes, totalBytes, doneFiles], [28_431, 28_431, 5])
  t.ok(views.every(({ status, sent, size }) => status === 'done' && sent === size))
})

t.test('leaves the share open where the editor completes it', async (t) => {
  const server = await UploadServer.start(t)
  const files = [fileOf('a', 2_500), fileOf('b', 10)]
  t.equal((await upload(uploaderTo(server, { completes: false }), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('POST', /^\/api\/shares\/s\/complete$/), 0)
  const emptied = uploaderTo(server, { completes: false })
  emptied.add([{ source: fileOf('c', 10) }])
  emptied.remove(0)
  emptied.start()
  t.equal((await reached(emptied, 'completed', 'incomplete')).state, 'completed', 'nothing is left to do')
})

t.test('sends at most five requests at once, also with a thousand files, announced in order', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 1
  const files = Array.from({ length: 1_000 }, (_, index) => fileOf(`f${index}`, index % 7))
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.ok(server.mostAtOnce <= 5)
  t.same(server.digests(), digestsOf(files))
  const order = [...server.files.values()].map(({ name }) => Number(name.slice(1)))
  t.ok(order.every((place, index) => Math.abs(place - index) < 5))
})

t.test('does not let a big file starve small ones', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 5
  const files = [fileOf('big', 100_000), ...Array.from({ length: 20 }, (_, index) => fileOf(`small ${index}`, 10))]
  const done: string[] = []
  const uploader = uploaderTo(server)
  uploader.on('fileDone', ({ name }) => done.push(name))
  await upload(uploader, files)
  t.equal(done.length, 21)
  t.equal(done.at(-1), 'big')
  t.equal(server.mostAtOnce, 5)
})

t.test('retries a failed part, and counts its file in the notice', async (t) => {
  for (const [name, trouble] of [
    ['500', { status: 500, error: 'internal' }],
    ['502 of a proxy', { status: 502 }],
    ['a cut connection', 'cut'],
    ['a lost response', 'lose-answer'],
    ['damaged bytes', { status: 400, error: 'digest_mismatch' }],
    ['a part that is still being written', { status: 409, error: 'upload_in_progress' }],
  ] as const) {
    await t.test(name, async (t) => {
      const server = await UploadServer.start(t)
      server.misbehave = ({ method, path, time }) => (method === 'PUT' && path.endsWith('/parts/2') && time < 3 ? trouble : undefined)
      const files = [fileOf('a', 5_500)]
      const uploader = uploaderTo(server)
      const notices: number[] = []
      uploader.on('retrying', (count) => notices.push(count))
      t.equal((await upload(uploader, files)).state, 'completed')
      t.same(server.digests(), digestsOf(files))
      t.equal(server.count('PUT', /parts\/2$/), 3)
      t.ok(notices.every((count) => count === 1))
    })
  }
})

t.test('gives up a file that keeps failing, uploads the others, and recovers by a retry', async (t) => {
  const server = await UploadServer.start(t)
  let broken = true
  server.misbehave = ({ path }) => (broken && path.endsWith('/parts/3') ? { status: 500, error: 'internal' } : undefined)
  const files = [fileOf('bad', 3_000), fileOf('good', 2_000)]
  const uploader = uploaderTo(server, { tuning: { attempts: 3 } })
  const { state, failedFiles, files: views } = await upload(uploader, files)
  t.same([state, failedFiles], ['incomplete', 1])
  t.match(views[0], { name: 'bad', status: 'failed', problem: { code: 'internal' } })
  t.equal(views[1]!.status, 'done')
  t.equal(server.state, 'open')
  const before = server.count('PUT', /./)
  broken = false
  uploader.retry(views[0]!.key)
  await reached(uploader, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', /./) - before, 1, 'uploaded parts are not sent again')
})

t.test('is not held up by a file that stalls', async (t) => {
  const server = await UploadServer.start(t)
  server.misbehave = ({ method }) => (method === 'PUT' && server.count('PUT', /./) === 1 ? 'stall' : undefined)
  const uploader = uploaderTo(server)
  uploader.add(Array.from({ length: 50 }, (_, index) => ({ source: fileOf(`f${index}`, 1_500) })))
  uploader.start()
  const { files } = await until(uploader, ({ doneFiles }) => doneFiles === 49)
  t.equal(files.filter(({ status }) => status === 'sending').length, 1)
  uploader.close()
})

t.test('retries a part that stalls', async (t) => {
  const server = await UploadServer.start(t)
  server.misbehave = ({ method, time }) => (method === 'PUT' && time === 1 ? 'stall' : undefined)
  const files = [fileOf('a', 2_500)]
  const uploader = uploaderTo(server, { tuning: { stallTimeout: 1_000, attempts: 50 } })
  t.equal((await upload(uploader, files)).state, 'completed')
  t.ok(server.count('PUT', /./) >= 6)
  t.same(server.digests(), digestsOf(files))
})

t.test('renews the session once for all requests during an upload', async (t) => {
  const server = await UploadServer.start(t)
  let valid = true
  let renewals = 0
  server.misbehave = ({ path }) => {
    if (renewals === 0 && server.count('PUT', /./) > 4) valid = false
    return valid || path === '/api/health' ? undefined : { status: 401, error: 'unauthorized' }
  }
  const renewSession = async () => {
    renewals++
    valid = true
    return true
  }
  const files = [fileOf('a', 20_000), fileOf('b', 20_000)]
  t.equal((await upload(uploaderTo(server, { renewSession }), files)).state, 'completed')
  t.equal(renewals, 1)
  t.same(server.digests(), digestsOf(files))
})

t.test('stops with that reason when the session has ended, and continues after signing in', async (t) => {
  const server = await UploadServer.start(t)
  let signedIn = false
  server.misbehave = ({ method }) => (method === 'PUT' && !signedIn ? { status: 401, error: 'unauthorized' } : undefined)
  const uploader = uploaderTo(server)
  const stopped = await upload(uploader, [fileOf('a', 3_000)])
  t.match(stopped, { state: 'stopped', problem: { code: 'session_ended' } })
  signedIn = true
  uploader.start()
  t.equal((await reached(uploader, 'completed', 'stopped')).state, 'completed')
})

t.test('stops when renewing the session does not help', async (t) => {
  const server = await UploadServer.start(t)
  server.misbehave = ({ path }) => (path === '/api/health' ? undefined : { status: 401, error: 'unauthorized' })
  const stopped = await upload(uploaderTo(server, { renewSession: async () => true }), [fileOf('a', 1)])
  t.match(stopped, { state: 'stopped', problem: { code: 'session_ended' } })
  t.ok(server.count('POST', /files$/) < 5)
})

t.test('waits as long as a busy server requests', async (t) => {
  const server = await UploadServer.start(t)
  let busyUntil = 0
  let refused = 0
  server.misbehave = ({ method }) => {
    busyUntil ||= method === 'PUT' ? Date.now() + 1_000 : 0
    if (method !== 'PUT' || Date.now() >= busyUntil) return undefined
    refused++
    return { status: 429, error: 'too_many_requests', retryAfter: 1 }
  }
  const files = [fileOf('a', 12_000)]
  const uploader = uploaderTo(server)
  let busy = false
  uploader.subscribe(() => {
    busy ||= uploader.getSnapshot().connection === 'busy'
  })
  t.equal((await upload(uploader, files)).state, 'completed')
  t.ok(refused >= 1 && refused <= 10, `${refused} refusals`)
  t.ok(busy)
  t.same(server.digests(), digestsOf(files))
})

t.test('fails only the file that is rejected', async (t) => {
  const server = await UploadServer.start(t)
  server.misbehave = ({ method, path, time }) =>
    method === 'POST' && path.endsWith('/files') && time === 2
      ? { status: 400, error: 'file_name_invalid', more: { rule: 'dots' } }
      : undefined
  const { state, files } = await upload(uploaderTo(server), [fileOf('a', 1), fileOf('..', 1), fileOf('c', 1)])
  t.equal(state, 'incomplete')
  t.equal(files.filter(({ status }) => status === 'done').length, 2)
  t.match(files.find(({ status }) => status === 'failed')?.problem, { code: 'file_name_invalid', details: { rule: 'dots' } })
})

t.test('stops everything when the server is full or the share exceeds its limit', async (t) => {
  for (const [status, error, code] of [
    [413, 'share_too_large', 'share_too_large'],
    [507, 'insufficient_storage', 'insufficient_storage'],
    [413, undefined, 'payload_too_large'],
  ] as const) {
    const server = await UploadServer.start(t)
    server.misbehave = ({ method, path }) => (method === 'PUT' && isPart(path) ? { status, ...(error ? { error } : {}) } : undefined)
    const files = Array.from({ length: 30 }, (_, index) => fileOf(`f${index}`, 10))
    t.match(await upload(uploaderTo(server), files), { state: 'stopped', problem: { code } })
    t.ok(server.count('POST', /files$/) < 30, 'the rest was not announced')
  }
})

t.test('waits for the end of an outage of any length, and loses no file', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 2
  const files = [fileOf('a', 30_000), fileOf('b', 4_000)]
  const uploader = uploaderTo(server, { tuning: { attempts: 2 } })
  uploader.add(files.map((source) => ({ source })))
  uploader.start()
  await until(uploader, ({ sentBytes }) => sentBytes > 8_000)
  await server.close()
  await until(uploader, ({ connection }) => connection === 'lost')
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.equal(uploader.getSnapshot().failedFiles, 0)
  await server.listen()
  uploader.wake()
  t.equal((await reached(uploader, 'completed', 'incomplete', 'stopped')).state, 'completed')
  t.same(server.digests(), digestsOf(files))
})

t.test('deletes a removed file from the server before the share opens', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 3
  const uploader = uploaderTo(server)
  const files = [fileOf('keep', 5_000), fileOf('sent', 10), fileOf('half', 50_000), fileOf('queued', 10)]
  uploader.on('fileDone', ({ name, key }) => name === 'sent' && uploader.remove(key))
  uploader.add(files.map((source) => ({ source })))
  uploader.remove(3)
  uploader.start()
  await until(uploader, ({ files }) => files.some(({ name, sent }) => name === 'half' && sent > 3_000))
  uploader.remove(2)
  const { state, files: left } = await reached(uploader, 'completed', 'incomplete', 'stopped')
  t.equal(state, 'completed')
  t.same(
    left.map(({ name }) => name),
    ['keep'],
  )
  t.same(server.digests(), digestsOf(files.slice(0, 1)))
  t.equal(server.files.size, 1)
})

t.test('deletes the share when canceled, or each file where deleting the share is not allowed', async (t: Test) => {
  for (const allowed of [true, false]) {
    const server = await UploadServer.start(t)
    server.delay = 3
    server.misbehave = ({ method, path }) =>
      !allowed && method === 'DELETE' && path === '/api/shares/s' ? { status: 403, error: 'anonymous_share_not_deletable' } : undefined
    const uploader = uploaderTo(server)
    uploader.add([{ source: fileOf('a', 10) }, { source: fileOf('b', 100_000) }])
    uploader.start()
    await until(uploader, ({ doneFiles, sentBytes }) => doneFiles === 1 && sentBytes > 5_000)
    await uploader.cancel()
    t.equal(uploader.getSnapshot().state, 'cancelled')
    t.ok(allowed ? server.state === 'deleted' : server.files.size === 0)
  }
})

t.test('leaves no file behind when the response to an announcement is lost', async (t) => {
  const server = await UploadServer.start(t)
  server.misbehave = ({ method, path, time }) => (method === 'POST' && path.endsWith('/files') && time === 1 ? 'lose-answer' : undefined)
  const files = [fileOf('a', 1_500)]
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.equal(server.files.size, 1)
  t.same(server.digests(), digestsOf(files))
})

t.test('completes the share after completing twice and after the server has lost a part', async (t) => {
  const server = await UploadServer.start(t)
  server.misbehave = ({ method, path, time }) => {
    if (method === 'POST' && path.endsWith('/complete') && path.includes('/files/') && time === 1)
      [...server.files.values()][0]!.parts.delete(2)
    return path === '/api/shares/s/complete' && time === 1 ? 'lose-answer' : undefined
  }
  const files = [fileOf('a', 4_200)]
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', /parts\/2$/), 2)
})

t.test('fails at once with the reason when a file is no longer readable', async (t) => {
  const server = await UploadServer.start(t)
  const gone = { ...fileOf('gone', 10), slice: () => new Unreadable() }
  const { state, files } = await upload(uploaderTo(server), [gone, fileOf('b', 10)])
  t.equal(state, 'incomplete')
  t.match(files[0], { status: 'failed', problem: { code: 'file_unreadable' } })
  t.equal(files[1]!.status, 'done')
})

/** Returns what a browser hands out for a file that was changed or deleted after it was picked. */
class Unreadable extends Blob {
  constructor() {
    super([new Uint8Array(10)])
  }
  override slice() {
    return this
  }
  override stream(): never {
    throw new DOMException('The file could not be read', 'NotReadableError')
  }
  override async arrayBuffer(): Promise<never> {
    throw new DOMException('The file could not be read', 'NotReadableError')
  }
}
