import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { storedFiles } from '../support/app/worker.ts'
import { callsOf } from '../support/calls.ts'
import { password, signUp } from '../support/people/people.ts'
import { storePreview } from '../support/previews.ts'
import { destroy, ok, refusal, set, sharing } from '../support/sharing.ts'

const clock = { offset: 0 }
const { app, ctx } = await testApp(t, { now: () => new Date(Date.now() + clock.offset) })
const admin = callsOf(app, await signUp(app, 'root'))
const aliceHeaders = await signUp(app, 'alice')
const alice = sharing(app, aliceHeaders)
const visitor = sharing(app)
const expected = { kind: 'image', width: 4000, height: 3000 }

/** A share with one file that has a preview. Returns the file's id and the keys of its pictures. */
async function sharePicture(id: string, more: object = {}) {
  const [fileId = ''] = await alice.share(id, { 'a/photo.jpg': 'not looked at here' }, more)
  return {
    fileId,
    keys: await storePreview(ctx, fileId),
    thumbnail: `/${id}/files/${fileId}/thumbnail`,
    preview: `/${id}/files/${fileId}/preview`,
  }
}

const previewKeys = async () => (await storedFiles(ctx)).filter((key) => key.startsWith('previews/'))
const shareOf = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

t.test('sends both pictures as WebP with validators, and counts neither a view nor a download', async (t) => {
  const { thumbnail, preview } = await sharePicture('plain')
  const small = ok(await visitor.call('GET', thumbnail))
  t.equal(small.body, 'small')
  t.match(small.headers, {
    'content-type': 'image/webp',
    'content-length': '5',
    'content-disposition': 'inline; filename="photo.jpg.webp"',
    'cache-control': 'private, no-cache, no-transform',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  })
  t.notOk(small.headers['set-cookie'])
  const large = ok(await visitor.call('GET', preview))
  t.equal(large.body, 'larger')
  t.not(small.headers.etag, large.headers.etag)
  const again = await visitor.call('GET', thumbnail, undefined, { 'if-none-match': String(small.headers.etag) })
  t.same([again.statusCode, again.body], [304, ''])
  t.same([(await visitor.call('HEAD', preview)).statusCode, (await visitor.call('HEAD', preview)).headers['content-length']], [200, '6'])
  t.equal((await shareOf('plain')).views, 0)
})

t.test('reports the preview of a file wherever files are listed, and nothing for other files', async (t) => {
  const [withOne = '', without = ''] = await alice.share('listed', { 'a.jpg': 'a', 'b.txt': 'b' })
  await storePreview(ctx, withOne)
  const files = [
    { id: withOne, name: 'a.jpg', size: '1', preview: expected },
    { id: without, name: 'b.txt', size: '1' },
  ]
  const cookie = await visitor.unlock('listed')
  t.same(ok(await visitor.call('GET', '/listed', undefined, cookie)).json().files, files)
  const own = ok(await alice.call('GET', '?search=listed')).json()
  t.same(own[0].files, files)
  const page = ok(await alice.call('GET', '/listed/from-owner')).json()
  t.match(page.files, files)
  t.notOk('preview' in page.files[1])
})

t.test('guards pictures like all bytes of a share', async (t) => {
  const { thumbnail, fileId } = await sharePicture('locked', { security: { password: 'a password' } })
  t.same(refusal(await visitor.call('GET', thumbnail)), [403, 'share_password_required'])
  const cookie = await visitor.unlock('locked', 'a password')
  const answer = ok(await visitor.call('GET', thumbnail, undefined, cookie))
  t.equal(answer.headers['cache-control'], 'private, no-store, no-transform')
  ok(await alice.call('GET', thumbnail))
  ok(await alice.call('PATCH', '/locked', { password: 'another password' }))
  t.same(refusal(await visitor.call('GET', thumbnail, undefined, cookie)), [403, 'share_password_required'], 'after a new password')
  t.same(refusal(await visitor.call('GET', thumbnail, undefined, { ...cookie, 'if-none-match': '*' })), [403, 'share_password_required'])
  const other = await sharePicture('other')
  t.same(refusal(await visitor.call('GET', `/other/files/${fileId}/thumbnail`)), [404, 'file_not_found'], 'of another share')
  t.same(refusal(await visitor.call('GET', `/other/files/zip/thumbnail`)), [404, 'file_not_found'])
  ok(await alice.call('DELETE', '/other'))
  t.same(refusal(await visitor.call('GET', other.preview)), [404, 'share_not_found'])
})

t.test('shows no picture of an expired share, even before the clean-up', async (t) => {
  const { preview } = await sharePicture('expires', { expiration: '1-hour' })
  ok(await visitor.call('GET', preview))
  clock.offset = 2 * 3_600_000
  t.same(refusal(await visitor.call('GET', preview)), [404, 'share_not_found'])
  t.same(refusal(await alice.call('GET', preview)), [404, 'share_not_found'])
  clock.offset = 0
})

t.test('shows pictures of a share with limited views only to visitors who have used one', async (t) => {
  const { thumbnail } = await sharePicture('limited', { security: { maxViews: 1 } })
  t.same(refusal(await visitor.call('GET', thumbnail)), [403, 'share_token_required'])
  const cookie = await visitor.unlock('limited')
  ok(await visitor.call('GET', thumbnail, undefined, cookie))
  ok(await visitor.call('GET', thumbnail, undefined, cookie))
  t.equal((await shareOf('limited')).views, 1)
  t.same(refusal(await visitor.call('GET', thumbnail)), [403, 'share_max_views_exceeded'])
})

t.test('shows pictures of a share without downloads left to the visitors who have used one', async (t) => {
  const { thumbnail, fileId } = await sharePicture('used', { security: { maxDownloads: 1 } })
  const [cookie, other] = [await visitor.unlock('used'), await visitor.unlock('used')]
  ok(await visitor.call('GET', `/used/files/${fileId}`, undefined, cookie))
  while ((await shareOf('used')).downloads === 0) await sleep(50)
  await sleep(100) // the use is marked after it is counted
  ok(await visitor.call('GET', thumbnail, undefined, cookie))
  t.same(refusal(await visitor.call('GET', thumbnail, undefined, other)), [403, 'share_max_downloads_exceeded'])
})

t.test('hides files that are not published yet', async (t) => {
  await sharePicture('edited')
  ok(await alice.call('DELETE', '/edited/complete'))
  const added = await alice.file('edited', 'b.jpg', 'b')
  await storePreview(ctx, added)
  t.same(refusal(await visitor.call('GET', `/edited/files/${added}/thumbnail`)), [404, 'file_not_found'])
  ok(await alice.call('POST', '/edited/complete'))
  ok(await visitor.call('GET', `/edited/files/${added}/thumbnail`))
})

t.test('deletes pictures with the file, the share, the account and at the end', async (t) => {
  const run = () => cleanUp(ctx, {}, new AbortController().signal)
  await set(ctx, 'share.graceDays', 0)
  await run()
  const bobHeaders = await signUp(app, 'bob')
  const bob = sharing(app, bobHeaders)
  const [ofBob = ''] = await bob.share('of-bob', { 'a.jpg': 'a' })
  const kept = await sharePicture('kept')
  const gone = await sharePicture('gone')
  const ending = await sharePicture('ending', { expiration: '1-hour' })
  const before = [...kept.keys, ...gone.keys, ...ending.keys, ...(await storePreview(ctx, ofBob))]
  const removed = await alice.file('kept', 'b.jpg', 'b').catch(() => '')
  t.equal(removed, '', 'a closed share takes no file')
  ok(await alice.call('DELETE', '/kept/complete'))
  const edited = await alice.file('kept', 'b.jpg', 'b')
  ok(await alice.call('POST', '/kept/complete'))
  const more = await storePreview(ctx, edited)
  const present = async () => (await previewKeys()).filter((key) => [...before, ...more].includes(key)).length
  t.equal(await present(), 10)

  ok(await alice.call('DELETE', '/kept/complete'))
  ok(await alice.call('DELETE', `/kept/files/${edited}`))
  await run()
  t.equal(await present(), 10, 'visitors see the file until the edits are saved')
  ok(await alice.call('POST', '/kept/complete'))
  await run()
  t.equal(await present(), 8)
  await destroy(ctx, alice, 'gone')
  await run()
  t.equal(await present(), 6)
  t.ok((await callsOf(app, bobHeaders)('DELETE users/me', { password })).statusCode < 300)
  await run()
  t.equal(await present(), 4)
  clock.offset = 2 * 3_600_000
  await run()
  clock.offset = 0
  t.same(
    (await previewKeys()).filter((key) => [...before, ...more].includes(key)),
    kept.keys,
  )
  t.same(await ctx.db.selectFrom('deletedObject').select('key').where('key', 'like', 'previews/%').execute(), [])
})

t.test('lets a preview be made again whose object is lost', async (t) => {
  const { thumbnail, preview, keys, fileId } = await sharePicture('lost')
  await rm(join(ctx.env.dataDir, 'objects', keys.find((key) => key.endsWith('thumbnail'))!))
  ok(await visitor.call('GET', preview))
  t.same(refusal(await visitor.call('GET', thumbnail)), [404, 'file_not_found'])
  const row = await ctx.db.selectFrom('preview').selectAll().where('fileId', '=', fileId).executeTakeFirstOrThrow()
  t.match(row, { objectKey: null, attempts: 0 })
  t.equal(ok(await visitor.call('GET', '/lost', undefined, await visitor.unlock('lost'))).json().files[0].preview, undefined)
  await cleanUp(ctx, {}, new AbortController().signal)
  t.same(
    (await previewKeys()).filter((key) => keys.includes(key)),
    [],
    'the other picture is deleted',
  )
})

t.test('queues previews of a completed share unless they are turned off, which deletes all', async (t) => {
  const jobs = () => (ctx.queue as unknown as { jobs: { name: string; payload: { shareUid: string } }[] }).jobs
  const queued = (uid: string) => jobs().filter(({ name, payload }) => name === 'make-previews' && payload.shareUid === uid).length
  await sharePicture('queued')
  t.equal(queued((await shareOf('queued')).uid), 1)
  t.equal((await admin('PATCH configs/admin', [{ key: 'share.previews', value: false }])).statusCode, 200)
  await alice.share('quiet', { 'a.jpg': 'a' })
  t.equal(queued((await shareOf('quiet')).uid), 0)
  await cleanUp(ctx, {}, new AbortController().signal)
  t.same(await ctx.db.selectFrom('preview').selectAll().execute(), [])
  await cleanUp(ctx, {}, new AbortController().signal)
  t.same(await previewKeys(), [])
  await set(ctx, 'share.previews', true)
})

t.test('also deletes a preview that is in use when previews are turned off', async (t) => {
  const clean = () => cleanUp(ctx, {}, new AbortController().signal)
  await sharePicture('in-use')
  await clean()
  await set(ctx, 'share.previews', false)
  const { cleaning } = await ctx.db.transaction().execute(async (tx) => {
    await tx.selectFrom('preview').select('fileId').forUpdate().execute()
    const cleaning = clean()
    await Promise.race([cleaning, sleep(1_000)])
    return { cleaning }
  })
  await cleaning
  await clean()
  t.same(await ctx.db.selectFrom('preview').selectAll().execute(), [])
  await set(ctx, 'share.previews', true)
})
