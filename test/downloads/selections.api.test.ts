import { randomBytes, randomUUID } from 'node:crypto'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { unzipped } from '../support/app/worker.ts'
import { fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

let clock = new Date('2026-03-01T10:00:00.000Z')
const { app, ctx } = await testApp(t, { now: () => clock })
const port = await listen(app)
const alice = sharing(app, await signUp(app, 'alice'))
const visitor = sharing(app)
const files = {
  'photos/iceland/1.jpg': randomBytes(300_000),
  'photos/iceland/2.jpg': Buffer.from('two'),
  'photos/norway/1.jpg': Buffer.from('fjord'),
  'photos-old/1.jpg': Buffer.from('old'),
  'notes.txt': Buffer.from('notes'),
}
const ids = Object.fromEntries((await alice.share('trip', files, { name: 'Trip' })).map((id, index) => [Object.keys(files)[index], id]))
const cookies = await visitor.unlock('trip')
const select = (selection: object, headers = cookies, id = 'trip') => visitor.call('POST', `/${id}/selections`, selection, headers)
const addressOf = async (selection: object) => ok(await select(selection)).json().url as string
const get = (url: string, more: object = {}, method = 'GET') => fetchWhole(port, url, { method, headers: { ...cookies, ...more } })
const views = async (id: string) => (await ctx.db.selectFrom('share').select('views').where('id', '=', id).executeTakeFirstOrThrow()).views

t.test('streams selected files and folders as one zip with exact length, etag and ranges', async (t) => {
  const url = await addressOf({ files: [ids['notes.txt']], folders: ['photos/iceland'] })
  const { status, headers, body } = await get(url)
  t.equal(status, 200)
  t.equal(Number(headers['content-length']), body.length)
  t.match(headers, {
    'content-type': 'application/zip',
    'accept-ranges': 'bytes',
    'content-disposition': 'attachment; filename="Trip.zip"',
  })
  const found = await unzipped(body)
  t.same(Object.keys(found).sort(), ['notes.txt', 'photos/iceland/1.jpg', 'photos/iceland/2.jpg'])
  t.ok(found['photos/iceland/1.jpg']!.equals(files['photos/iceland/1.jpg']))
  const etag = String(headers.etag)
  const part = await get(url, { range: 'bytes=1000-200000', 'if-range': etag })
  t.equal(part.status, 206)
  t.ok(part.body.equals(body.subarray(1000, 200_001)))
  t.equal((await get(url, { 'if-none-match': etag })).status, 304)
  t.equal((await get(await addressOf({ folders: ['photos/iceland'], files: [ids['notes.txt']] }), {}, 'HEAD')).headers.etag, etag)
  t.not((await get(await addressOf({ files: [ids['notes.txt']] }), {}, 'HEAD')).headers.etag, etag, 'another selection, another etag')
})

t.test('streams one folder as a zip with its own name', async (t) => {
  for (const url of ['/api/shares/trip/files/zip?folder=photos%2Ficeland', await addressOf({ folders: ['photos/iceland'] })]) {
    const { headers, body } = await get(url)
    t.equal(headers['content-disposition'], 'attachment; filename="iceland.zip"')
    t.same(Object.keys(await unzipped(body)).sort(), ['iceland/1.jpg', 'iceland/2.jpg'])
  }
  t.same(Object.keys(await unzipped((await get('/api/shares/trip/files/zip?folder=photos')).body)).length, 3, 'not photos-old')
  for (const folder of ['', 'photo', 'photos/', '/photos', 'notes.txt'])
    t.same(refusal(await visitor.call('GET', `/trip/files/zip?folder=${folder}`, undefined, cookies)), [404, 'file_not_found'], folder)
})

t.test('takes the characters of a folder literally', async (t) => {
  await alice.share('odd', { 'a_b/1': '1', 'axb/2': '2', '100%/3': '3', '100 percent/4': '4' })
  const odd = await visitor.unlock('odd')
  const zip = (folder: string) => fetchWhole(port, `/api/shares/odd/files/zip?folder=${encodeURIComponent(folder)}`, { headers: odd })
  t.same(Object.keys(await unzipped((await zip('a_b')).body)), ['a_b/1'])
  t.same(Object.keys(await unzipped((await zip('100%')).body)), ['100%/3'])
  for (const folder of ['%', 'a%', 'a\\_b', '\0', 'a_b\0']) t.equal((await zip(folder)).status, 404, JSON.stringify(folder))
})

t.test('names the zip of a folder after it, even if it contains nothing but another folder', async (t) => {
  await alice.share('nested', { 'photos/iceland/1.jpg': 'one', 'photos/iceland/2.jpg': 'two', 'notes.txt': 'notes' })
  const opened = await visitor.unlock('nested')
  for (const [folder, name, found] of [
    ['photos', 'photos.zip', ['photos/iceland/1.jpg', 'photos/iceland/2.jpg']],
    ['photos/iceland', 'iceland.zip', ['iceland/1.jpg', 'iceland/2.jpg']],
  ] as const) {
    const url = `/api/shares/nested/files/zip?folder=${encodeURIComponent(folder)}`
    const { headers, body } = await fetchWhole(port, url, { headers: opened })
    t.equal(headers['content-disposition'], `attachment; filename="${name}"`)
    t.same(Object.keys(await unzipped(body)).sort(), found)
  }
})

t.test('streams a selection at once, even where the worker compresses the whole archive', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 6)
  await alice.share('packed', { 'a.txt': 'a', 'b.txt': 'b' })
  const opened = await visitor.unlock('packed')
  t.same(refusal(await visitor.call('GET', '/packed/files/zip', undefined, opened)), [409, 'zip_not_ready'])
  const [first] = ok(await visitor.call('GET', '/packed', undefined, opened)).json().files
  const { url } = ok(await select({ files: [first.id] }, opened, 'packed')).json()
  t.same(Object.keys(await unzipped((await fetchWhole(port, url, { headers: opened })).body)), ['a.txt'])
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('refuses selections of nothing, of foreign files, and of too much', async (t) => {
  const [foreign] = await alice.share('other', { 'x.txt': 'x' })
  for (const selection of [{}, { files: [] }]) t.same(refusal(await select(selection)), [404, 'file_not_found'], JSON.stringify(selection))
  for (const selection of [
    { files: [foreign] },
    { files: [ids['notes.txt'], randomUUID()] },
    ...['nowhere', '', 'photo', 'photos/', '/photos', 'notes.txt'].map((folder) => ({ files: [ids['notes.txt']], folders: [folder] })),
  ])
    t.same(refusal(await select(selection)), [409, 'selection_changed'], JSON.stringify(selection))
  for (const selection of [
    { files: ['x'] },
    { files: 'x' },
    { all: true },
    { folders: Array(101).fill('photos') },
    { files: Array(25_001).fill(ids['notes.txt']) },
  ])
    t.same(refusal(await select(selection)), [400, 'validation_failed'])
})

t.test('guards every request, and counts a view as for the whole archive', async (t) => {
  const [id] = await alice.share('safe', { 'a.txt': 'a', 'b.txt': 'b' }, { security: { password: 'secret' } })
  t.same(refusal(await select({ files: [id] }, {}, 'safe')), [403, 'share_password_required'])
  const opened = await visitor.unlock('safe', 'secret')
  const { url } = ok(await select({ files: [id] }, opened, 'safe')).json()
  t.equal((await fetchWhole(port, url, { headers: opened })).headers['cache-control'], 'private, no-store, no-transform')
  t.equal((await fetchWhole(port, url)).status, 403, 'the address alone opens nothing')
  ok(await alice.call('PATCH', '/safe', { password: 'other' }))
  t.equal((await fetchWhole(port, url, { headers: opened })).status, 403, 'the password was changed')

  const [open] = await alice.share('counted', { 'a.txt': 'a', 'b.txt': 'b' }, { security: { maxViews: 1 } })
  const address = ok(await select({ files: [open] }, {}, 'counted')).json().url
  t.equal(await views('counted'), 0, 'selecting is no view')
  const first = await app.inject({ url: address })
  t.equal(first.statusCode, 200)
  t.equal(await views('counted'), 1)
  t.equal((await app.inject({ url: address })).statusCode, 403)
  t.equal((await app.inject({ url: address, headers: cookiesOf(first) })).statusCode, 200)
})

t.test('keeps the address of thousands of files short', async (t) => {
  const [first] = await alice.share('many', { '0': 'x' })
  const row = await ctx.db.selectFrom('file').selectAll().where('shareId', '=', 'many').executeTakeFirstOrThrow()
  const rows = Array.from({ length: 5_000 }, (_, index) => ({
    ...row,
    id: randomUUID(),
    name: `${index + 1}.jpg`,
    objectKey: randomUUID(),
  }))
  for (let at = 0; at < rows.length; at += 500)
    await ctx.db
      .insertInto('file')
      .values(rows.slice(at, at + 500))
      .execute()
  const opened = await visitor.unlock('many')
  const odd = [first, ...rows.filter((_, index) => index % 2 === 0).map(({ id }) => id)]
  const { url } = ok(await select({ files: odd }, opened, 'many')).json()
  t.ok(url.length < 1_500, `${url.length} characters`)
  t.equal((await app.inject({ method: 'HEAD', url, headers: opened })).statusCode, 200)
})

t.test('reports before the first byte that selected files were removed or that the address has expired', async (t) => {
  const [a, b, c] = await alice.share('edited', { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }, { expiration: '90-days' })
  const opened = await visitor.unlock('edited')
  const { url } = ok(await select({ files: [a, c] }, opened, 'edited')).json()
  const status = async (address: string) => refusal(await app.inject({ url: address, headers: opened }))
  t.same(await status(url.replace('selection=', 'selection=x')), [410, 'selection_expired'])
  t.same(await status(url.replace('/edited/', '/trip/')), [410, 'selection_expired'], 'signed for one share')
  ok(await alice.call('DELETE', `/edited/files/${b}`))
  t.same(await status(url), [409, 'selection_changed'], 'the positions mean other files now')
  const again = ok(await select({ files: [a, c] }, opened, 'edited')).json().url
  ok(await alice.call('DELETE', `/edited/files/${c}`))
  t.same(await status(again), [409, 'selection_changed'])
  const last = ok(await select({ files: [a] }, opened, 'edited')).json().url
  clock = new Date(clock.getTime() + 86_400_001)
  t.same(await status(last), [410, 'selection_expired'])
})
