import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnrecoverableError } from 'bullmq'
import t from 'tap'
import type { Jobs } from '../../src/queue/jobs.ts'
import { buildZip, failZip } from '../../worker/build-zip.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { type TestApp, testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { gatedStore, storedFiles, unzipped } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { afterUndo, ok, refusal, set, sharing } from '../support/sharing.ts'

const running = () => new AbortController().signal

/**
 * Returns an application with a user and a compression level, its queued jobs, and a share with
 * files.
 */
async function setUp(t: Parameters<typeof testApp>[0], { level = 6, files = {} as Record<string, Buffer | string> } = {}) {
  const queue = waitingJobs()
  const { app, ctx } = await testApp(t, { queue })
  const headers = await signUp(app, 'owner')
  await set(ctx, 'share.zipCompressionLevel', level)
  const owner = sharing(app, headers)
  await owner.share('photos', files)
  const zipJob = () => queue.jobs.findLast((job) => job.name === 'build-zip')?.payload as Jobs['build-zip'] | undefined
  return { app, ctx, owner, headers, zipJob, visitor: sharing(app, await owner.unlock('photos')) }
}

const share = ({ ctx }: Pick<TestApp, 'ctx'>) => ctx.db.selectFrom('share').selectAll().where('id', '=', 'photos').executeTakeFirstOrThrow()
const deletedObjects = ({ ctx }: Pick<TestApp, 'ctx'>) => ctx.db.selectFrom('deletedObject').select('key').execute()

t.test('contains every file as it was uploaded, compressed at the configured level', async (t) => {
  const files = {
    'a/b/letter.txt': 'dear reader, '.repeat(50_000),
    'a/b/empty': '',
    'übung (1).bin': randomBytes(300_000),
    'a/B/Letter.txt': 'another case',
  }
  const app = await setUp(t, { files })
  const before = await app.visitor.call('GET', '/photos/files/zip')
  t.same(refusal(before), [409, 'zip_not_ready'])

  await buildZip(app.ctx, app.zipJob()!, running())

  const answer = ok(await app.visitor.call('GET', '/photos/files/zip'))
  const found = await unzipped(answer.rawPayload)
  t.same(Object.keys(found).sort(), ['a/B/Letter.txt', 'a/b/empty', 'a/b/letter (1).txt', 'übung (1).bin'])
  t.equal(found['a/b/empty']?.length, 0)
  t.ok(
    found['a/b/letter (1).txt']?.equals(Buffer.from(files['a/b/letter.txt'])),
    'numbered, because some systems treat both names as equal',
  )
  t.ok(found['übung (1).bin']?.equals(files['übung (1).bin']))
  t.ok(answer.rawPayload.length < 400_000, 'text is compressed')
  t.equal(answer.headers['content-length'], String(answer.rawPayload.length))
  t.match(await share(app), { zipState: 'ready', zipProgress: 1, zipRevision: 1, zipSize: answer.rawPayload.length })
  t.same(await deletedObjects(app), [], 'objects in use are not queued for removal')
})

t.test('stores files of any size that are compressed already, with their sizes before their bytes', async (t) => {
  const files = {
    'a.txt': 'text '.repeat(10_000),
    'b.JPG': Buffer.alloc(100_000, 'x'),
    'c.zip': '',
    'd.mp4': Buffer.alloc(20_000_000, 'y'),
  }
  const app = await setUp(t, { files })
  await buildZip(app.ctx, app.zipJob()!, running())
  const zip = ok(await app.visitor.call('GET', '/photos/files/zip')).rawPayload
  const found = await unzipped(zip)
  for (const [name, content] of Object.entries(files)) t.ok(found[name]?.equals(Buffer.from(content)), name)
  for (const name of ['b.JPG', 'c.zip', 'd.mp4'] as const) {
    const header = zip.indexOf(name) - 30
    t.equal(zip.readUInt32LE(header), 0x04034b50)
    t.equal(zip.readUInt16LE(header + 6) & 8, 0, 'no data descriptor')
    t.equal(zip.readUInt16LE(header + 8), 0, 'stored')
    t.same([zip.readUInt32LE(header + 18), zip.readUInt32LE(header + 22)], [files[name].length, files[name].length])
  }
  t.equal(zip.readUInt16LE(zip.indexOf('a.txt') - 30 + 8), 8, 'text is deflated')
})

t.test('builds no zip of files that are all compressed already', async (t) => {
  const app = await setUp(t, { files: { 'a.jpg': 'x'.repeat(10_000), 'b.mp4': 'y'.repeat(10_000) } })
  await buildZip(app.ctx, app.zipJob()!, running())
  t.equal((await share(app)).zipState, 'none')
  t.notOk((await storedFiles(app.ctx)).some((file) => file.startsWith('zips/')))
  const found = await unzipped(ok(await app.visitor.call('GET', '/photos/files/zip')).rawPayload)
  t.equal(String(found['b.mp4']), 'y'.repeat(10_000))
})

t.test('does nothing when built again, and leaves one intact archive after two builds at once', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'a'.repeat(100_000) } })
  const results = await Promise.allSettled([buildZip(app.ctx, app.zipJob()!, running()), buildZip(app.ctx, app.zipJob()!, running())])
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  )
  const { zipState, zipSize, uid } = await share(app)
  t.equal(zipState, 'ready')
  const { storage } = app.ctx
  const again = { ...app.ctx, storage: { ...storage, write: () => t.fail('written again') as never } }
  await buildZip(again, app.zipJob()!, running())
  await cleanUp(app.ctx, {}, running())
  t.same(await storage.head(`zips/${uid}/1`), { size: zipSize })
  const answer = ok(await app.visitor.call('GET', '/photos/files/zip'))
  t.equal(String((await unzipped(answer.rawPayload))['a.txt']), 'a'.repeat(100_000))
})

t.test('does not remove the published archive of another worker when it finishes too late', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'some text' } })
  const { storage, reading, open } = gatedStore(app.ctx.storage)
  const late = buildZip({ ...app.ctx, storage }, app.zipJob()!, running())
  await reading
  await buildZip(app.ctx, app.zipJob()!, running())
  open()
  await late
  await cleanUp({ ...app.ctx, now: () => new Date(Date.now() + 7_200_000) }, {}, running())
  const answer = ok(await app.visitor.call('GET', '/photos/files/zip'))
  t.equal(String((await unzipped(answer.rawPayload))['a.txt']), 'some text')
})

t.test('fails at once and visibly when an object is missing, and keeps other files downloadable', async (t) => {
  const app = await setUp(t, { files: { 'here.txt': 'here', 'gone.txt': 'gone' } })
  const { objectKey } = await app.ctx.db.selectFrom('file').select('objectKey').where('name', '=', 'gone.txt').executeTakeFirstOrThrow()
  await rm(join(app.ctx.env.dataDir, 'objects', objectKey))

  await t.rejects(buildZip(app.ctx, app.zipJob()!, running()), UnrecoverableError)
  await failZip(app.ctx, app.zipJob()!)

  t.same(refusal(await app.visitor.call('GET', '/photos/files/zip')), [409, 'zip_failed'])
  const { files } = ok(await app.visitor.call('GET', '/photos')).json()
  const here = files.find(({ name }: { name: string }) => name === 'here.txt')
  t.equal((await app.visitor.call('GET', `/photos/files/${here.id}`)).body, 'here')
  t.notOk((await storedFiles(app.ctx)).some((file) => file.startsWith('zips/')))
})

t.test('fails the zip when an object has changed on the disk', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'as it was uploaded' } })
  const { objectKey } = await app.ctx.db.selectFrom('file').select('objectKey').executeTakeFirstOrThrow()
  for (const content of ['as it was upl0aded', 'as it was']) {
    await writeFile(join(app.ctx.env.dataDir, 'objects', objectKey), content)
    await t.rejects(buildZip(app.ctx, app.zipJob()!, running()), { message: new RegExp(objectKey) })
    t.match(await share(app), { zipState: 'preparing' }, 'it may be retried')
    t.notOk((await storedFiles(app.ctx)).some((file) => file.startsWith('zips/')))
  }
})

t.test('leaves nothing when the share is deleted meanwhile', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'some text' } })
  const { storage, reading, open } = gatedStore(app.ctx.storage)
  const building = buildZip({ ...app.ctx, storage }, app.zipJob()!, running())
  await reading
  ok(await app.owner.call('DELETE', '/photos'))
  await building
  open()
  await cleanUp(afterUndo(app.ctx), {}, running())
  t.same(await storedFiles(app.ctx), [])
  t.same(await deletedObjects(app), [])
})

t.test('leaves nothing when the share is deleted just before its zip is published', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'some text' } })
  const { storage } = app.ctx
  const late = {
    ...storage,
    async write(...args: Parameters<typeof storage.write>) {
      const size = await storage.write(...args)
      ok(await app.owner.call('DELETE', '/photos'))
      return size
    },
  }
  await buildZip({ ...app.ctx, storage: late }, app.zipJob()!, running())
  t.ok((await storedFiles(app.ctx)).some((file) => file.startsWith('zips/')))
  await cleanUp(afterUndo(app.ctx), {}, running())
  t.same(await storedFiles(app.ctx), [])
})

t.test('publishes only the zip of the newest state when the share changes meanwhile', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'stays', 'b.txt': 'goes' } })
  const { storage, reading, open } = gatedStore(app.ctx.storage)
  const old = app.zipJob()!
  const building = buildZip({ ...app.ctx, storage }, old, running())
  await reading
  const { id } = await app.ctx.db.selectFrom('file').select('id').where('name', '=', 'b.txt').executeTakeFirstOrThrow()
  ok(await app.owner.call('DELETE', `/photos/files/${id}`))
  await building
  open()
  t.match(await share(app), { zipState: 'preparing', revision: 2 })
  t.not(app.zipJob()!.revision, old.revision)
  await buildZip(app.ctx, app.zipJob()!, running())
  await cleanUp(app.ctx, {}, running())
  const answer = ok(await app.visitor.call('GET', '/photos/files/zip'))
  t.same(Object.keys(await unzipped(answer.rawPayload)), ['a.txt'])
  const { uid } = await share(app)
  t.same(
    (await storedFiles(app.ctx)).filter((file) => file.startsWith('zips/')),
    [`zips/${uid}/2`],
  )
})

t.test('stops in the middle of a zip when the worker stops, and the next worker builds it', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'some text' } })
  const { storage, reading } = gatedStore(app.ctx.storage)
  const stopping = new AbortController()
  const building = buildZip({ ...app.ctx, storage }, app.zipJob()!, stopping.signal)
  await reading
  stopping.abort()
  await t.rejects(building)
  t.match(await share(app), { zipState: 'preparing' })
  await buildZip(app.ctx, app.zipJob()!, running())
  t.match(await share(app), { zipState: 'ready' })
})

t.test('shows visitors the progress', async (t) => {
  const app = await setUp(t, { files: { 'a.bin': randomBytes(70_000), 'b.bin': randomBytes(30_000) } })
  const { storage, reading, open } = gatedStore(app.ctx.storage)
  const building = buildZip({ ...app.ctx, storage }, app.zipJob()!, running())
  await reading
  for (let progress = 0; progress === 0; ) progress = ok(await app.visitor.call('GET', '/photos/metaData')).json().zip.progress
  const { zip } = ok(await app.visitor.call('GET', '/photos/metaData')).json()
  t.match(zip, { state: 'preparing', progress: 0.7 })
  open()
  await building
  t.match(ok(await app.visitor.call('GET', '/photos/metaData')).json().zip, { state: 'ready', progress: 1 })
})

t.test('builds nothing when level 0 was set meanwhile', async (t) => {
  const app = await setUp(t, { files: { 'a.txt': 'some text' } })
  await set(app.ctx, 'share.zipCompressionLevel', 0)
  await buildZip(app.ctx, app.zipJob()!, running())
  t.match(await share(app), { zipState: 'none' })
  t.equal((await app.visitor.call('GET', '/photos/files/zip')).statusCode, 200)
})
