import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { StoreFull } from '../../src/storage/object-store.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { eventually } from '../support/app/worker.ts'
import { boundary, file, form, formType, headOf, text } from '../support/form.ts'
import { begin, fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const run = promisify(execFile)
const log = keptLog()
const queue = waitingJobs()
let now = () => new Date()
const { app, ctx } = await testApp(t, { log, queue, now: () => now() })
const port = await listen(app)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)

const send = (parts: Parameters<typeof form>, more: Record<string, string> = headers) =>
  app.inject({ method: 'POST', url: '/api/upload', headers: { ...formType, ...more }, payload: form(...parts) })
const shareRow = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirst()
const bytesOf = async (fileId: string) => {
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', fileId).executeTakeFirstOrThrow()
  return Buffer.concat(await (await ctx.storage.read(objectKey)).toArray())
}
const token = async (scopes: string[]) => {
  const answer = await app.inject({ method: 'POST', url: '/api/auth/tokens', headers, payload: { name: 'script', scopes } })
  return { authorization: `Bearer ${ok(answer).json().token}` }
}

/** Returns the shares, files and bytes: the same before and after a failure. */
async function state() {
  await cleanUp(ctx, {}, new AbortController().signal)
  const ids = async (table: 'share' | 'file') => (await ctx.db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)
  const objects = await readdir(join(ctx.env.dataDir, 'objects'), { recursive: true })
  return { shares: await ids('share'), files: await ids('file'), objects: objects.sort() }
}

/** Counts the objects that the store writes as a whole until the test ends. */
function countObjects(t: Test): () => number {
  const { writeWhole } = ctx.storage
  let objects = 0
  ctx.storage.writeWhole = (...args) => {
    objects++
    return writeWhole.apply(ctx.storage, args)
  }
  t.teardown(() => Object.assign(ctx.storage, { writeWhole }))
  return () => objects
}

t.test('stores many small files together, and returns them in the order of the form', async (t) => {
  const objects = countObjects(t)
  const contents = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? '' : 'x'.repeat(n)))
  const { files } = ok(await send(contents.map((content, n) => file(`${n}.txt`, content)))).json()
  t.same(
    files.map(({ name, size }: { name: string; size: number }) => [name, size]),
    contents.map((content, n) => [`${n}.txt`, content.length]),
  )
  for (const n of [0, 1, 299]) t.equal(String(await bytesOf(files[n].id)), contents[n])
  t.equal(objects(), 2, '256 files, and the rest')
})

t.test('keeps few long names and types in memory, and stores no type of more than 255 characters', async (t) => {
  const objects = countObjects(t)
  const longName = (n: number) => `${'x'.repeat(250)}/`.repeat(15) + n
  const { id } = ok(await send(Array.from({ length: 40 }, (_, n) => file(longName(n), 'x', `a/${'b'.repeat(8000)}`)))).json()
  t.ok(objects() >= 3, `${objects()} objects`)
  const rows = await ctx.db.selectFrom('file').select('type').distinct().where('shareId', '=', id).execute()
  t.same(rows, [{ type: null }])
})

t.test('stores a small file between large ones in an object of its own, which a proxy can send', async (t) => {
  const large = randomBytes(MiB)
  const { files } = ok(await send([file('a', large), file('b', 'small'), file('c', large)])).json()
  t.same(
    files.map(({ name, size }: { name: string; size: number }) => [name, size]),
    [
      ['a', MiB],
      ['b', 5],
      ['c', MiB],
    ],
  )
  t.same(await bytesOf(files[2].id), large)
  t.equal(String(await bytesOf(files[1].id)), 'small')
  const rows = await ctx.db
    .selectFrom('file')
    .select('packId')
    .where(
      'id',
      'in',
      files.map(({ id }: { id: string }) => id),
    )
    .execute()
  t.same(rows, [{ packId: null }, { packId: null }, { packId: null }])
})

t.test('creates an open share from one form, with its fields, folders, sizes and CRC-32', async (t) => {
  const large = randomBytes(9 * MiB + 1)
  const answer = await send([
    text('id', 'form'),
    text('name', 'Summer'),
    text('description', 'two\nlines'),
    text('expiration', '3-days'),
    text('maxViews', '5'),
    text('password', ''),
    file('photos/größe 🐦.bin', large),
    file('empty', ''),
    file('a;b,c"d(e).txt', 'hello', 'text/plain'),
  ])
  t.equal(answer.statusCode, 201)
  const { id, link, files } = answer.json()
  t.same([id, link], ['form', 'http://localhost:80/share/form'])
  t.same(
    files.map(({ name, size }: { name: string; size: number }) => [name, size]),
    [
      ['photos/größe 🐦.bin', large.length],
      ['empty', 0],
      ['a;b,c"d(e).txt', 5],
    ],
  )
  t.match(await shareRow('form'), { name: 'Summer', description: 'two\nlines', maxViews: 5, passwordHash: null, uploadOpen: false })
  t.match(await shareRow('form'), { size: large.length + 5, reserved: large.length + 5, revision: 1 })
  t.ok((await bytesOf(files[0].id)).equals(large))
  const [row] = await ctx.db.selectFrom('file').selectAll().where('id', '=', files[0].id).execute()
  t.match(row, { crc32: crc32(large), published: true, partCount: 1, partSize: large.length, uploadId: null })
  t.same(ok(await alice.call('GET', `/form/files/${files[0].id}/parts`)).json().parts, [1])
  const unlocked = await sharing(app).unlock('form')
  const page = ok(await sharing(app, unlocked).call('GET', '/form')).json()
  t.equal(page.files.length, 3)
  t.equal((await sharing(app, unlocked).call('GET', '/form/files/zip')).statusCode, 200, 'the archive needs sizes and CRCs')
})

t.test('prints the link for curl, and returns JSON without Accept', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-curl-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'a,b "c".txt')
  await writeFile(path, 'by curl')
  const { authorization } = await token(['shares:write'])
  const url = `http://127.0.0.1:${port}/api/upload`
  const common = ['-sf', '-H', `authorization: ${authorization}`, '-F', 'name=From curl']
  const quoted = `file=@"${path.replaceAll('"', '\\"')}"`
  const { stdout: link } = await run('curl', [...common, '-H', 'accept: text/plain', '-F', quoted, url])
  t.match(link, new RegExp(`^http://127\\.0\\.0\\.1:${port}/share/[A-Za-z0-9_-]+\\n$`))
  const { stdout: json } = await run('curl', [
    ...common,
    '-F',
    quoted,
    '-F',
    `file=@"${path.replaceAll('"', '\\"')}";filename=x/y.txt`,
    url,
  ])
  t.same(
    JSON.parse(json).files.map(({ name }: { name: string }) => name),
    ['a,b "c".txt', 'x/y.txt'],
  )
})

t.test('lets visitors share where allowed and continue by cookie, and requires the write scope of tokens', async (t) => {
  const before = await state()
  t.same(refusal(await send([file('a', 'x')], {})), [403, 'unauthenticated_shares_disabled'])
  t.same(refusal(await send([file('a', 'x')], await token(['shares:read']))), [403, 'forbidden'])
  t.same(refusal(await send([file('a', 'x')], { authorization: 'Bearer rzb_nothing' })), [401, 'unauthorized'])
  t.same(refusal(await send([file('a', 'x')], { ...headers, 'sec-fetch-site': 'cross-site' })), [403, 'cross_site_request'])
  t.same(await state(), before)
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const answer = ok(await send([file('a', 'x')], {}))
  const visitor = sharing(app, cookiesOf(answer))
  t.equal((await visitor.call('PATCH', `/${answer.json().id}`, { name: 'mine' })).statusCode, 200)
  await set(ctx, 'share.allowUnauthenticatedShares', false)
})

t.test('applies the uses, limit and types of a reverse share, and refunds the use on failure', async (t) => {
  const more = { shareExpiration: '1-day', maxShareSize: '1000', maxUseCount: 1, sendEmailNotification: false, allowedTypes: ['.txt'] }
  const made = ok(
    await app.inject({ method: 'POST', url: '/api/reverseShares', headers, payload: { ...more, fields: { name: 'required' } } }),
  )
  const { token: reverse } = made.json()
  const uses = async () => (await ctx.db.selectFrom('reverseShare').select('uses').where('token', '=', reverse).executeTakeFirst())?.uses
  const through = [text('reverseShareToken', reverse), text('senderName', 'Bob')]
  const before = await state()
  const big = await send([...through, file('a.txt', Buffer.alloc(1001))], {})
  t.same(refusal(big), [413, 'share_too_large'])
  t.equal(big.json().max, 1000)
  t.same(refusal(await send([...through, file('a.txt', 'x'), file('a.exe', 'x')], {})), [400, 'file_type_not_allowed'])
  t.same(await state(), before)
  t.equal(await uses(), 0)
  const answer = ok(await send([...through, file('a.txt', Buffer.alloc(1000))], {}))
  t.equal(await uses(), 1)
  t.match(await shareRow(answer.json().id), { senderName: 'Bob', receiverId: /./, ownerId: null })
  t.same(refusal(await send([...through, file('a.txt', 'x')], {})), [404, 'reverse_share_not_found'])
  t.same(refusal(await send([text('reverseShareToken', 'nothing'), file('a.txt', 'x')], {})), [404, 'reverse_share_not_found'])
})

t.test('rejects many small files over the limit by the received bytes, and leaves nothing', async (t) => {
  await set(ctx, 'share.maxSize', 10_000)
  const before = await state()
  const small = Array.from({ length: 101 }, (_, n) => file(`f/${n}`, Buffer.alloc(100)))
  const answer = await send([text('id', 'many'), ...small])
  t.same(refusal(answer), [413, 'share_too_large'])
  t.equal(answer.json().max, 10_000)
  t.same(await state(), before)
  t.equal(ok(await send([text('id', 'many'), ...small.slice(1)])).json().files.length, 100, 'the link is available again')
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('leaves nothing after each rejection', async (t) => {
  ok(await alice.create('taken'))
  const before = await state()
  const one = file('a', 'x')
  const cases: [string, Parameters<typeof form>, number, string][] = [
    ['text after a file', [one, text('name', 'late')], 400, 'upload_field_after_file'],
    ['no file', [text('name', 'x')], 400, 'share_has_no_files'],
    ['a file without a name', [one, { name: 'file', filename: '', value: '' }], 400, 'file_name_invalid'],
    ['bytes without a name', [one, { name: 'file', type: 'application/octet-stream', value: 'x' }], 400, 'file_name_invalid'],
    ['out of the folder', [one, file('../a', 'x')], 400, 'file_name_invalid'],
    ['a backslash', [one, { name: 'file', filename: 'a\\\\b', value: 'x' }], 400, 'file_name_invalid'],
    ['a line break', [one, file('a%0Ab', 'x')], 400, 'file_name_invalid'],
    ['a taken link', [text('id', 'taken'), one], 400, 'share_id_taken'],
    ['a wrong link', [text('id', 'a b'), one], 400, 'validation_failed'],
    ['a wrong number', [text('maxViews', '1.5'), one], 400, 'validation_failed'],
    ['a short password', [text('password', 'x'), one], 400, 'validation_failed'],
    ['a wrong address', [text('recipients', 'a@example.com, b'), one], 400, 'validation_failed'],
    ['no recipients here', [text('recipients', 'a@example.com'), one], 400, 'recipients_disabled'],
    ['a wrong expiration', [text('expiration', 'soon'), one], 400, 'expiration_invalid'],
    ['a long field', [text('description', 'x'.repeat(70_000)), one], 400, 'validation_failed'],
    ['a field called like a part of every object', [text('constructor', 'x'), one], 400, 'validation_failed'],
  ]
  for (const [name, parts, status, code] of cases) {
    const answer = await send(parts)
    t.same(refusal(answer), [status, code], name)
    if (name === 'a wrong number') t.equal(answer.json().issues[0].path, 'maxViews')
    if (name === 'text after a file') t.equal(answer.json().field, 'name')
  }
  const crowd = Array.from({ length: 200 }, () => text('recipients', 'a,'.repeat(32_000)))
  const peak = () => process.resourceUsage().maxRSS * 1024
  const most = peak() + 400 * MiB
  t.same(refusal(await send([...crowd, one])), [400, 'validation_failed'], 'six million recipients')
  t.ok(peak() < most, 'use hardly any memory')
  const post = (payload: Buffer | string, type: string) =>
    app.inject({ method: 'POST', url: '/api/upload', headers: { ...headers, 'content-type': type }, payload })
  t.same(refusal(await post('{}', 'application/json')), [415, 'unsupported_media_type'])
  t.same(refusal(await app.inject({ method: 'POST', url: '/api/upload', headers })), [415, 'unsupported_media_type'])
  t.same(refusal(await post('x', 'multipart/form-data')), [400, 'validation_failed'], 'no boundary')
  t.same(refusal(await post(form(file('a', 'x')).subarray(0, -20), formType['content-type'])), [400, 'validation_failed'], 'no end')
  t.same(refusal(await post('', formType['content-type'])), [415, 'unsupported_media_type'], 'nothing')
  t.same(await state(), before)
})

t.test('reserves space for the remaining bytes only, not for the whole request with each file', async (t) => {
  const { write } = ctx.storage
  const asked: (number | undefined)[] = []
  ctx.storage.write = (key, body, expected) => {
    asked.push(expected)
    return write(key, body, expected)
  }
  const body = form(file('a', Buffer.alloc(500_000)), file('b', Buffer.alloc(300_000)))
  const options = { method: 'POST', headers: { ...headers, ...formType, 'content-length': body.length } }
  t.equal((await fetchWhole(port, '/api/upload', options, body)).status, 201)
  ctx.storage.write = write
  t.same(asked, [body.length, body.length - 500_000])
})

t.test('reports a full disk and leaves nothing', async (t) => {
  const before = await state()
  const { write } = ctx.storage
  let files = 0
  ctx.storage.write = async (key, body, expected) => {
    if (++files === 1) return write(key, body, expected)
    await once(body, 'data')
    throw new StoreFull('full')
  }
  const answer = await fetchWhole(
    port,
    '/api/upload',
    { method: 'POST', headers: { ...headers, ...formType } },
    form(file('a', 'x'), file('b', randomBytes(3 * MiB))),
  )
  ctx.storage.write = write
  t.match(JSON.parse(String(answer.body)), { statusCode: 507, error: 'insufficient_storage' })
  t.same(await state(), before)
})

t.test('leaves nothing and logs no error when the connection is lost', async (t) => {
  const before = await state()
  log.lines.length = 0
  for (const cutAt of ['in the second file', 'between files']) {
    const sent = begin(port, '/api/upload', { method: 'POST', headers: { ...headers, ...formType } })
    sent.on('error', () => {})
    sent.write(headOf(file('a', '')))
    sent.write(randomBytes(9 * MiB))
    sent.write(`\r\n--${boundary}\r\n`.slice(0, cutAt === 'between files' ? undefined : 2))
    if (cutAt === 'in the second file') sent.write(`${headOf(file('b', ''))}x`)
    await eventually(async () => (await state()).files.length === before.files.length + 1, 'the upload has started')
    sent.destroy()
    await eventually(async () => (await ctx.db.selectFrom('share').select('id').execute()).length === before.shares.length, cutAt)
    t.same(await state(), before, cutAt)
  }
  t.same(
    log.lines.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  )
})

t.test('removes the remains of a killed process after an hour, and never shows them', async (t) => {
  const before = await state()
  const { write } = ctx.storage
  const stuck = Promise.withResolvers<number>()
  let isWritten = false
  ctx.storage.write = async (key, body, expected) => {
    await write(key, body, expected)
    isWritten = true
    return stuck.promise
  }
  const sent = send([text('id', 'killed'), file('a', 'x')]).catch(() => {})
  await eventually(() => isWritten, 'its file exists')
  t.same(refusal(await sharing(app).call('GET', '/killed')), [404, 'share_not_found'])
  now = () => new Date(Date.now() + 3_660_000)
  t.same(await state(), before)
  now = () => new Date()
  ctx.storage.write = write
  stuck.resolve(1)
  await sent
  t.same(await state(), before)
})

t.test('keeps a share deleted that is deleted during the request', async (t) => {
  const before = await state()
  const { write } = ctx.storage
  ctx.storage.write = async (key, body, expected) => {
    ok(await alice.call('DELETE', '/deleted'))
    return write(key, body, expected)
  }
  const answer = await send([text('id', 'deleted'), file('a', 'x')])
  ctx.storage.write = write
  t.match(refusal(answer), [404, /^(file|share)_not_found$/], 'whichever is noticed first')
  t.same(await state(), before)
})
