import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { renewZipLease } from '../../src/downloads/zip/queries.ts'
import { removeDeletedObjects } from '../../worker/deleted-objects.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { eventually, unzipped } from '../support/app/worker.ts'
import { answerTo, begin, fetchWhole, listen, replyTo } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { destroy, ok, refusal, set, sharing } from '../support/sharing.ts'

const log = keptLog()
const { app, ctx } = await testApp(t, { log })
const port = await listen(app)
const alice = sharing(app, await signUp(app, 'alice'))
const visitor = sharing(app)
const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

t.test('serves the archive of all files at once at level 0, with its exact length', async (t) => {
  const files = {
    'photos/größe 😀.jpg': randomBytes(400_000),
    'photo.jpg': Buffer.from('first'),
    'photos/a/b.txt': Buffer.from('deep'),
    empty: Buffer.alloc(0),
    'CON.txt': Buffer.from('device'),
  }
  await alice.share('trip', files, { name: 'Trip / 2026' })
  await ctx.db.updateTable('share').set({ uploadOpen: true }).where('id', '=', 'trip').execute()
  await alice.file('trip', 'photo.jpg', 'second')
  ok(await alice.call('POST', '/trip/complete'))
  const cookies = await visitor.unlock('trip')
  const meta = ok(await visitor.call('GET', '/trip/metaData', undefined, cookies)).json()
  t.match(meta, { id: 'trip', isZipReady: true, zip: { state: 'ready', progress: 1 } })
  const { status, headers, body } = await fetchWhole(port, '/api/shares/trip/files/zip', { headers: cookies })
  t.equal(status, 200)
  t.equal(Number(headers['content-length']), body.length)
  t.equal(meta.zip.size, body.length)
  t.match(headers, {
    'content-type': 'application/zip',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache, no-transform',
  })
  t.equal(headers['content-disposition'], 'attachment; filename="Trip _ 2026.zip"')
  const found = await unzipped(body)
  const twins = [String(found['photo.jpg']), String(found['photo (1).jpg'])].sort()
  t.same(twins, ['first', 'second'], 'two files with the same name are both included')
  t.same(Object.keys(found).sort(), ['_CON.txt', 'empty', 'photo (1).jpg', 'photo.jpg', 'photos/a/b.txt', 'photos/größe 😀.jpg'])
  t.ok(found['photos/größe 😀.jpg']?.equals(files['photos/größe 😀.jpg']))

  const get = (more: Record<string, string>, method = 'GET') =>
    fetchWhole(port, '/api/shares/trip/files/zip', { method, headers: { ...cookies, ...more } })
  const head = await get({}, 'HEAD')
  t.equal(head.body.length, 0)
  t.same({ ...head.headers, date: '' }, { ...headers, date: '' })
  const etag = String(headers.etag)
  t.match(etag, /^"[^"]+"$/)
  for (const [start, end] of [
    [0, 0],
    [10, 200_000],
    [body.length - 22, body.length - 1],
  ] as const) {
    const part = await get({ range: `bytes=${start}-${end}`, 'if-range': etag })
    t.equal(part.status, 206)
    t.equal(part.headers['content-range'], `bytes ${start}-${end}/${body.length}`)
    t.ok(part.body.equals(body.subarray(start, end + 1)))
  }
  t.equal((await get({ range: `bytes=${body.length}-` })).status, 416)
  t.equal((await get({ range: 'bytes=5-', 'if-range': '"old"' })).status, 200)
  t.equal((await get({ 'if-none-match': etag })).status, 304)
  ok(await alice.call('DELETE', `/trip/files/${(await visitor.call('GET', '/trip', undefined, cookies)).json().files[0].id}`))
  t.not((await get({}, 'HEAD')).headers.etag, etag, 'different files, different etag')
})

t.test('serves the archive above level 0 when the worker has built it', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 6)
  await alice.share('packed', { 'a.txt': 'a' }, { security: { password: 'secret' } })
  const { uid } = await row('packed')
  const cookies = await visitor.unlock('packed', 'secret')
  await ctx.db.updateTable('share').set({ zipProgress: 0.5 }).where('id', '=', 'packed').execute()
  const meta = async () => ok(await visitor.call('GET', '/packed/metaData', undefined, cookies)).json()
  t.same(await meta(), { id: 'packed', isZipReady: false, zip: { state: 'preparing', progress: 0.5, size: null } })
  const early = await visitor.call('GET', '/packed/files/zip', undefined, cookies)
  t.same(refusal(early), [409, 'zip_not_ready'])
  t.equal(early.json().progress, 0.5)
  t.equal(early.headers['retry-after'], '5')
  t.equal((await visitor.call('HEAD', '/packed/files/zip', undefined, cookies)).statusCode, 409)

  await set(ctx, 'share.zipCompressionLevel', 0)
  t.match(await meta(), { isZipReady: true }, 'back at level 0 it is ready at once')
  await set(ctx, 'share.zipCompressionLevel', 6)

  await ctx.db.updateTable('share').set({ zipState: 'failed' }).where('id', '=', 'packed').execute()
  t.match(await meta(), { isZipReady: false, zip: { state: 'failed' } })
  t.same(refusal(await visitor.call('GET', '/packed/files/zip', undefined, cookies)), [409, 'zip_failed'])

  const size = await ctx.storage.write(`zips/${uid}/1`, Readable.from([Buffer.from('the archive')]))
  await ctx.db.updateTable('share').set({ zipState: 'ready', zipRevision: 1, zipSize: size }).where('id', '=', 'packed').execute()
  t.same(await meta(), { id: 'packed', isZipReady: true, zip: { state: 'ready', progress: 1, size } })
  const answer = await visitor.call('GET', '/packed/files/zip', undefined, cookies)
  t.equal(answer.body, 'the archive')
  t.match(answer.headers, { 'content-length': '11', 'cache-control': 'private, no-store, no-transform', etag: /^"/ })
  t.equal((await visitor.call('GET', '/packed/files/zip', undefined, { ...cookies, range: 'bytes=4-' })).body, 'archive')
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('keeps a share that was completed at level 0 ready when the level changes', async (t) => {
  await alice.share('kept', { 'a.txt': 'a' })
  await set(ctx, 'share.zipCompressionLevel', 9)
  const cookies = await visitor.unlock('kept')
  t.match(ok(await visitor.call('GET', '/kept/metaData', undefined, cookies)).json(), { isZipReady: true })
  t.equal((await visitor.call('GET', '/kept/files/zip', undefined, cookies)).statusCode, 200)
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('counts no view while the archive is not ready', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 6)
  await alice.share('soon', { 'a.txt': 'a' }, { security: { maxViews: 1 } })
  t.same(refusal(await visitor.call('GET', '/soon/files/zip')), [409, 'zip_not_ready'])
  t.equal((await row('soon')).views, 0)
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('cuts an archive with missing bytes, and keeps the server running', async (t) => {
  const [whole, lost] = await alice.share('lost', { 'a.txt': 'b', 'b.bin': randomBytes(600_000) })
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', lost!).executeTakeFirstOrThrow()
  await ctx.storage.remove([objectKey])
  const cookies = await visitor.unlock('lost')
  log.lines.length = 0
  const sent = begin(port, '/api/shares/lost/files/zip', { headers: cookies })
  sent.end()
  await t.rejects(replyTo(sent))
  t.equal(log.lines.filter(({ level }) => level === 'error').length, 1, 'one error is logged')
  t.same(refusal(await visitor.call('GET', `/lost/files/${lost}`, undefined, cookies)), [404, 'file_not_found'])
  t.equal((await visitor.call('GET', `/lost/files/${whole}`, undefined, cookies)).body, 'b', 'the other files can still be downloaded')
})

t.test('finishes sending an archive when its share is deleted and swept', async (t) => {
  await removeDeletedObjects(ctx, 100)
  const files = { 'a.bin': randomBytes(24 * 1_048_576), 'b.bin': randomBytes(400_000), 'c.txt': Buffer.from('c') }
  await alice.share('leaving', files)
  const { uid } = await row('leaving')
  const sent = begin(port, '/api/shares/leaving/files/zip', { headers: await visitor.unlock('leaving') })
  sent.end()
  const answer = await answerTo(sent)
  answer.pause()
  await destroy(ctx, alice, 'leaving')
  const others = randomUUID()
  await ctx.db
    .insertInto('deletedObject')
    .values({ key: `shares/${others}/${others}`, uploadId: null, deletedAt: new Date(0) })
    .execute()
  t.equal(await removeDeletedObjects(ctx, 100), 1, 'objects of other shares are removed meanwhile')
  const found = await unzipped(Buffer.concat(await answer.toArray()))
  for (const [name, bytes] of Object.entries(files)) t.ok(found[name]?.equals(bytes), name)

  await eventually(async () => {
    await removeDeletedObjects(ctx, 100)
    return !existsSync(join(ctx.env.dataDir, 'objects/shares', uid))
  }, 'then they go')
})

t.test('removes the files of an archive when the lease of a dead process expires', async (t) => {
  await alice.share('orphan', { 'a.txt': 'a' })
  const { uid } = await row('orphan')
  await renewZipLease(ctx.db, { id: randomUUID(), shareUid: uid, until: new Date(Date.now() + 60_000) })
  await destroy(ctx, alice, 'orphan')
  const after = (seconds: number) => removeDeletedObjects({ ...ctx, now: () => new Date(Date.now() + seconds * 1000) }, 100)
  t.equal(await after(1), 0)
  t.equal(await after(61), 1)
})
