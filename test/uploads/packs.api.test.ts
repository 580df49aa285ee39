import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { storedFiles, unzipped } from '../support/app/worker.ts'
import { begin, listen } from '../support/listening.ts'
import { packBody, packId, sendPack } from '../support/packs.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const HOUR = 3_600_000
const { app, ctx } = await testApp(t, { queue: waitingJobs() })
const port = await listen(app)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)

const send = (share: string, body: Buffer, more: Record<string, string> = headers) => sendPack(app, more, share, body)
const small = (name: string, size = 1_000) => ({ name, bytes: randomBytes(size) })
const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const filesOf = (id: string) => ctx.db.selectFrom('file').selectAll().where('shareId', '=', id).orderBy('id').execute()
const objectsOf = async (id: string) => {
  const { uid } = await row(id)
  return (await storedFiles(ctx)).filter((key) => key.includes(uid))
}
const clean = (hours = 0) => cleanUp({ ...ctx, now: () => new Date(Date.now() + hours * HOUR) }, {}, new AbortController().signal)
const issueOf = (answer: Awaited<ReturnType<typeof send>>) => answer.json().issues?.[0]

/** What a share has: nothing must remain of a refused pack. */
async function contentOf(id: string) {
  await clean(4)
  const { reserved, reservedFiles, reservedNameBytes } = await row(id)
  const packs = await ctx.db.selectFrom('pack').select('id').execute()
  return { reserved, reservedFiles, reservedNameBytes, files: await filesOf(id), objects: await objectsOf(id), packs: packs.length }
}

t.test('stores many files in one object, each of which is downloaded, checked and zipped by itself', async (t) => {
  ok(await alice.create('site', { expiration: '7-days' }))
  const files = [small('css/main.css', 3_000), small('empty.txt', 0), small('index.html', 70_000), small('img/ü.png', 1)]
  const id = packId()
  const answer = ok(await send('site', packBody(files, { id })))
  t.equal(answer.statusCode, 201)
  const stored: { id: string; name: string; size: number }[] = answer.json().files
  t.same(
    stored.map(({ name, size }) => [name, size]),
    files.map(({ name, bytes }) => [name, bytes.length]),
  )
  t.same(
    stored.map((file) => file.id),
    ['0000', '0001', '0002', '0003'].map((digits) => id.slice(0, -4) + digits),
  )
  t.equal((await objectsOf('site')).length, 1)
  t.match(await row('site'), { reserved: 73_001, reservedFiles: 4 })
  t.same(
    (await filesOf('site')).map((file) => file.crc32),
    files.map(({ bytes }) => crc32(bytes)),
  )
  ok(await alice.call('POST', '/site/complete'))
  const visitor = sharing(app, await alice.unlock('site'))
  for (const [index, { bytes }] of files.entries()) {
    const url = `/site/files/${stored[index]!.id}`
    const whole = ok(await visitor.call('GET', url))
    t.ok(whole.rawPayload.equals(bytes), files[index]!.name)
    t.equal(whole.headers['content-length'], String(bytes.length))
    t.equal(ok(await visitor.call('HEAD', url)).headers['content-length'], String(bytes.length))
  }
  const range = await visitor.call('GET', `/site/files/${stored[2]!.id}`, undefined, { range: 'bytes=10-19' })
  t.equal(range.headers['content-range'], 'bytes 10-19/70000')
  t.ok(range.rawPayload.equals(files[2]!.bytes.subarray(10, 20)))
  const suffix = await visitor.call('GET', `/site/files/${stored[2]!.id}`, undefined, { range: 'bytes=-5' })
  t.ok(suffix.rawPayload.equals(files[2]!.bytes.subarray(-5)))
  const zip = ok(await visitor.call('GET', '/site/files/zip'))
  const entries = await unzipped(zip.rawPayload)
  for (const { name, bytes } of files) t.ok(entries[name]?.equals(bytes), name)
})

t.test('reads files that lie together in one object with one read for an archive', async (t) => {
  ok(await alice.create('together'))
  const files = Array.from({ length: 200 }, (_, index) => small(`f/${String(index).padStart(3, '0')}`, 1_000))
  ok(await send('together', packBody(files)))
  ok(await alice.call('POST', '/together/complete'))
  const { readInto } = ctx.storage
  let reads = 0
  ctx.storage.readInto = (...parameters) => {
    reads++
    return readInto(...parameters)
  }
  t.teardown(() => Object.assign(ctx.storage, { readInto }))
  const zip = ok(await sharing(app, await alice.unlock('together')).call('GET', '/together/files/zip'))
  const entries = await unzipped(zip.rawPayload)
  for (const { name, bytes } of files) if (!entries[name]?.equals(bytes)) t.fail(name)
  t.ok(reads <= 2, `${reads} reads`)
})

t.test('names the rule and the field of a refusal, and keeps nothing', async (t) => {
  ok(await alice.create('refused'))
  const two = [small('a.txt', 10), small('b.txt', 20)]
  const broken = (body: string | Buffer) => send('refused', Buffer.from(body))
  t.match(issueOf(await broken('no json\nabc')), { path: '', message: 'must begin with a line of JSON' })
  t.match(issueOf(await broken('{"id":')), { path: '', message: 'has no line feed after the manifest' })
  t.match(issueOf(await broken('{}\n')), { path: 'id', rule: 'required' })
  t.match(issueOf(await send('refused', packBody(two, { id: '8a5e4a2e-5b1d-4c5a-8f7e-0123456789ab' }))), {
    path: 'id',
    message: 'must be a lower-case UUID that ends in 0000',
  })
  t.match(issueOf(await send('refused', packBody(two, { extra: 1 }))), { path: 'extra' })
  t.match(issueOf(await send('refused', packBody([]))), { path: 'files', rule: 'minItems' })
  t.match(issueOf(await send('refused', packBody(Array.from({ length: 257 }, (_, n) => small(`${n}`, 1))))), {
    path: 'files',
    rule: 'maxItems',
  })
  t.match(issueOf(await send('refused', packBody([small('a', 1), small('a', 2)]))), { path: 'files.1.name', rule: 'uniqueItems' })
  t.match(issueOf(await send('refused', packBody([small('a', 5 * MiB), small('b', 4 * MiB)]))), {
    path: 'files',
    params: { limit: 8 * MiB },
  })
  t.match(issueOf(await send('refused', packBody(two).subarray(0, -1))), { path: 'content-length' })
  t.match(issueOf(await send('refused', Buffer.concat([packBody(two), Buffer.from('x')]))), { path: 'content-length' })
  const bad = await send('refused', packBody([small('a'), small('../b')]))
  t.match(bad.json(), { error: 'file_name_invalid', rule: 'dot_segment', file: 1 })
  t.same(refusal(await send('unknown', packBody(two))), [404, 'share_not_found'])
  t.same(refusal(await send('refused', packBody(two), {})), [401, 'unauthorized'])
  const huge = await send('refused', Buffer.alloc(11 * MiB))
  t.equal(huge.statusCode, 413)
  t.match(await contentOf('refused'), { reserved: 0, reservedFiles: 0, reservedNameBytes: 0, files: [], objects: [] })
})

t.test('stores a repeated pack once, also when both arrive together', async (t) => {
  ok(await alice.create('again'))
  const id = packId()
  const body = packBody([small('a'), small('b')], { id })
  const answers = await Promise.all([send('again', body), send('again', body), send('again', body)])
  for (const answer of [...answers, await send('again', body)]) t.same(ok(answer).json(), answers[0]!.json())
  await clean()
  t.equal((await objectsOf('again')).length, 1)
  t.match(await row('again'), { reserved: 2_000, reservedFiles: 2 })
  t.match(issueOf(await send('again', packBody([small('c')], { id }))), { path: 'id', rule: 'unique' })
  ok(await alice.create('elsewhere'))
  t.match(issueOf(await send('elsewhere', body)), { path: 'id', rule: 'unique' })
  t.match(await contentOf('elsewhere'), { reserved: 0, files: [], objects: [] })
})

t.test('keeps nothing of a pack that is cut, and accepts it the second time', async (t) => {
  ok(await alice.create('cut'))
  const body = packBody([small('a', 500_000), small('b', 500_000)])
  const before = await contentOf('cut')
  for (const at of [20, 1_000, 600_000]) {
    const request = begin(port, '/api/shares/cut/packs', { method: 'POST', headers: { ...headers, 'content-length': body.length } })
    request.on('error', () => {})
    request.write(body.subarray(0, at))
    await sleep(100)
    const closed = new Promise((resolve) => request.once('close', resolve))
    request.destroy()
    await closed
  }
  await sleep(200)
  t.same(await contentOf('cut'), before)
  ok(await send('cut', body))
  t.equal((await filesOf('cut')).length, 2)
})

t.test('removes the object of a request that died before its files were added', async (t) => {
  ok(await alice.create('died'))
  const { writeWhole } = ctx.storage
  ctx.storage.writeWhole = async (...parameters) => {
    await writeWhole(...parameters)
    throw new Error('the process dies here')
  }
  t.equal((await send('died', packBody([small('a')]))).statusCode, 500)
  Object.assign(ctx.storage, { writeWhole })
  t.equal((await objectsOf('died')).length, 1)
  await clean()
  t.equal((await objectsOf('died')).length, 1, 'it may still be written to')
  await clean(4)
  t.same(await objectsOf('died'), [])
  t.same(await filesOf('died'), [])
})

t.test('obeys the limits of a share, also for packs that arrive together', async (t) => {
  ok(await alice.create('limited'))
  await set(ctx, 'share.maxFiles', 5)
  t.teardown(() => set(ctx, 'share.maxFiles', 10_000))
  const pack = () => packBody([small(packId()), small(packId()), small(packId())])
  const answers = await Promise.all([send('limited', pack()), send('limited', pack())])
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 413])
  const refused = answers.find(({ statusCode }) => statusCode === 413)!
  t.match(refused.json(), { error: 'too_many_files', limit: 5 })
  t.match(await contentOf('limited'), { reserved: 3_000, reservedFiles: 3, files: { length: 3 }, objects: { length: 1 } })
  await set(ctx, 'share.maxSize', 3_500)
  t.teardown(() => set(ctx, 'share.maxSize', 1_000_000_000_000))
  t.match((await send('limited', packBody([small('x')]))).json(), { error: 'share_too_large', max: 3_500 })
})

t.test('removes the object when its last file has been deleted, also when two are deleted at once', async (t) => {
  ok(await alice.create('deleting'))
  const stored = ok(await send('deleting', packBody([small('a'), small('b'), small('c')]))).json().files
  const remove = (index: number) => alice.call('DELETE', `/deleting/files/${stored[index].id}`)
  ok(await remove(1))
  await clean()
  t.equal((await objectsOf('deleting')).length, 1)
  t.ok((await ctx.storage.read((await filesOf('deleting'))[1]!.objectKey).then((stream) => stream.toArray())).length > 0)
  const uid = (await row('deleting')).uid
  const db = ctx.db
  await Promise.all(['a', 'c'].map((name) => db.deleteFrom('file').where('shareId', '=', 'deleting').where('name', '=', name).execute()))
  await clean()
  t.same(await objectsOf('deleting'), [])
  t.same(await db.selectFrom('pack').selectAll().where('shareUid', '=', uid).execute(), [])
})

t.test('removes the objects of a deleted share', async (t) => {
  ok(await alice.create('dropped'))
  for (let n = 0; n < 3; n++) ok(await send('dropped', packBody([small(`a${n}`), small(`b${n}`)])))
  await alice.file('dropped', 'alone', 'alone')
  const before = await objectsOf('dropped')
  const { uid } = await row('dropped')
  t.equal(before.length, 4)
  ok(await alice.call('DELETE', '/dropped'))
  await clean()
  t.same(
    (await storedFiles(ctx)).filter((key) => key.includes(uid)),
    [],
  )
  t.same(await ctx.db.selectFrom('pack').selectAll().where('shareUid', '=', uid).execute(), [])
})

t.test('checks the names and the contents of files for a link that accepts only some types', async (t) => {
  await reversing(app, headers).link('pictures', { allowedTypes: ['image/*'], maxShareSize: '1000000' })
  const { answer } = await sending(app).send('pictures', 'album')
  const visitor = cookiesOf(ok(answer))
  const png = { name: 'a.png', bytes: Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1') }
  const byName = await send('album', packBody([png, small('b.txt')]), visitor)
  t.match(byName.json(), { error: 'file_type_not_allowed', allowed: ['image/*'], file: 1 })
  const byContent = await send('album', packBody([png, { name: 'b.png', bytes: '<script>' }]), visitor)
  t.match(byContent.json(), { error: 'file_type_not_allowed', file: 1 })
  t.match(await contentOf('album'), { reserved: 0, files: [], objects: [] })
  ok(await send('album', packBody([png]), visitor))
})

t.test('stores a pack of empty files', async (t) => {
  ok(await alice.create('empties'))
  const stored = ok(await send('empties', packBody([small('a', 0), small('b', 0)]))).json().files
  ok(await alice.call('POST', '/empties/complete'))
  const visitor = sharing(app, await alice.unlock('empties'))
  t.equal(ok(await visitor.call('GET', `/empties/files/${stored[1].id}`)).rawPayload.length, 0)
})
