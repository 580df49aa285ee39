import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { StoreFull } from '../../src/storage/object-store.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { eventually } from '../support/app/worker.ts'
import { begin, fetchWhole, listen } from '../support/listening.ts'
import { password, signUp } from '../support/people/people.ts'
import { pingvinClient } from '../support/pingvin-client.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const size = 5 * MiB
const log = keptLog()
const { app, ctx, database } = await testApp(t, { log, queue: waitingJobs() })
const { app: other } = await testApp(t, { database, storage: ctx.storage })
const port = await listen(app)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
await set(ctx, 'share.chunkSize', size)
for (const id of ['box', 'other']) ok(await alice.create(id))

interface Sent {
  id?: string | undefined
  name?: string
  index?: number
  total?: number
  to?: string
  on?: typeof app
  type?: string
}
const url = ({ id, name = 'a.bin', index = 0, total = 1, to = 'box' }: Sent) =>
  `/api/shares/${to}/files?${new URLSearchParams({ ...(id !== undefined && { id }), name, chunkIndex: String(index), totalChunks: String(total) })}`
const send = (bytes: Buffer | string, sent: Sent = {}) =>
  (sent.on ?? app).inject({
    method: 'POST',
    url: url(sent),
    headers: { ...headers, 'content-type': sent.type ?? 'application/octet-stream' },
    payload: bytes,
  })
const fileRow = (id: string) => ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirst()
const shareRow = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const openUploads = async () => (await readdir(join(ctx.env.dataDir, 'objects', 'tmp'))).length
async function counts() {
  await cleanUp(ctx, {}, new AbortController().signal)
  const files = (await ctx.db.selectFrom('file').select('id').execute()).length
  return { files, reserved: (await shareRow('box')).reserved, open: await openUploads() }
}
async function stored(id: string): Promise<Buffer> {
  return Buffer.concat(await (await ctx.storage.read((await fileRow(id))!.objectKey)).toArray())
}

t.test('works for a client with a cookie jar, step by step', async (t) => {
  const client = pingvinClient(app)
  t.equal((await client.call('POST', '/auth/signIn', { username: 'alice', password })).statusCode, 200)
  const configs: { key: string; value: unknown; type: string }[] = ok(await client.call('GET', '/configs')).json()
  for (const { value, type } of configs) t.match([typeof value, type], ['string', /^(string|text|number|boolean)$/])
  t.same((await client.call('GET', '/shares/isShareIdAvailable/jar-1234')).json(), { isAvailable: true })
  const created = await client.call('POST', '/shares', { id: 'jar-1234', name: 'Trip', expiration: '7-day', recipients: [], security: {} })
  t.equal(created.statusCode, 201)
  t.match(created.json(), { id: 'jar-1234', name: 'Trip', description: null, expiration: /^\d{4}-.*Z$/ })
  const bytes = randomBytes(2 * size + 17)
  const id = await client.upload('jar-1234', 'größe.bin', bytes)
  const exact = await client.upload('jar-1234', 'exact.bin', bytes.subarray(0, 2 * size))
  const empty = await client.upload('jar-1234', 'empty', Buffer.alloc(0))
  const completed = await client.call('POST', '/shares/jar-1234/complete')
  t.equal(completed.statusCode, 202)
  t.match(completed.json(), { id: 'jar-1234', name: 'Trip', description: null })
  t.match(await fileRow(id), { crc32: crc32(bytes), size: bytes.length, partCount: 3, published: true, uploadId: null })
  t.ok((await stored(id)).equals(bytes))
  t.ok((await stored(exact)).equals(bytes.subarray(0, 2 * size)))
  t.equal((await stored(empty)).length, 0)
  const visitor = pingvinClient(app)
  t.match((await visitor.call('GET', '/shares/jar-1234')).json(), { statusCode: 403, error: 'share_token_required' })
  t.match((await visitor.call('POST', '/shares/jar-1234/token', {})).json(), { token: /./ })
  const seen = ok(await visitor.call('GET', '/shares/jar-1234')).json()
  t.match(seen, { id: 'jar-1234', name: 'Trip', creator: { username: 'alice' }, hasPassword: false })
  t.match(seen.files, [{ name: 'empty', size: '0' }, { size: String(2 * size) }, { name: 'größe.bin', size: String(bytes.length) }])
  t.same((await visitor.call('GET', '/shares/jar-1234/metaData')).json().isZipReady, true)
  const direct = await pingvinClient(app).call('GET', `/shares/jar-1234/files/${id}`)
  t.ok(direct.rawPayload.equals(bytes), 'a file by its address alone')
})

t.test('works for a client that reads the token from the body and ignores cookies', async (t) => {
  const { accessToken } = (await pingvinClient(app).call('POST', '/auth/signIn', { email: 'alice@example.com', password })).json()
  const client = pingvinClient(app, { access_token: accessToken }, false)
  ok(await client.call('POST', '/shares', { id: 'abc1234', expiration: 'never', recipients: [], security: {} }))
  const bytes = randomBytes(size + 1)
  const id = await client.upload('abc1234', 'a.bin', bytes)
  const completed = await client.call('POST', '/shares/abc1234/complete')
  t.match(completed.json(), { expiration: '1970-01-01T00:00:00.000Z' })
  t.ok((await stored(id)).equals(bytes))
  const list = ok(await client.call('GET', '/shares')).json()
  t.match(list[0], { id: 'abc1234', size: bytes.length, views: 0, recipients: [], security: { passwordProtected: false, maxViews: null } })
})

t.test('works for a visitor with a cookie jar, also through a reverse share', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const visitor = pingvinClient(app)
  ok(await visitor.call('POST', '/shares', { id: 'by-nobody', expiration: '1-week', recipients: [] }))
  await visitor.upload('by-nobody', 'a', randomBytes(3))
  t.equal((await visitor.call('POST', '/shares/by-nobody/complete')).statusCode, 202)
  await set(ctx, 'share.allowUnauthenticatedShares', false)
  const wanted = { shareExpiration: '1-day', maxShareSize: String(size + 1), maxUseCount: 2, sendEmailNotification: false }
  const made = ok(await app.inject({ method: 'POST', url: '/api/reverseShares', headers, payload: wanted })).json()
  t.match(made, { token: /./, link: new RegExp(`/upload/${made.token}$`) })
  const sender = pingvinClient(app, { reverse_share_token: made.token })
  t.match((await sender.call('GET', `/reverseShares/${made.token}`)).json(), { token: made.token, maxShareSize: String(size + 1) })
  ok(await sender.call('POST', '/shares', { id: 'reversed', expiration: 'never', recipients: [], security: {} }))
  await sender.upload('reversed', 'a', randomBytes(size + 1))
  await t.rejects(sender.upload('reversed', 'b', randomBytes(1)), /share_too_large/)
  t.match((await sender.call('POST', '/shares/reversed/complete')).json(), { id: 'reversed', notifyReverseShareCreator: false })
})

t.test('accepts any content type on a POST without a body', async (t) => {
  const client = pingvinClient(app)
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    await client.call('POST', '/auth/signIn', { username: 'alice', password })
    const { id } = ok(await client.call('POST', '/shares', { id: type.slice(-10).replace('/', '-'), expiration: '1-day' })).json()
    await client.upload(id, 'a', Buffer.from('x'))
    t.equal((await client.call('POST', `/shares/${id}/complete`, '', type)).statusCode, 202, type)
    t.match((await client.call('POST', `/shares/${id}/token`, '', type)).json(), { token: /./ })
    t.equal((await client.call('POST', '/auth/token', '', type)).statusCode, 200)
    t.same(refusal(await client.call('POST', '/shares', '', type)), [400, 'validation_failed'])
    t.ok((await client.call('POST', '/auth/signOut', '', type)).statusCode < 300)
  }
})

t.test('reports the expected chunk on a wrong order, and accepts the last chunk again', async (t) => {
  const bytes = randomBytes(2 * size + 9)
  const part = (index: number) => bytes.subarray(index * size, (index + 1) * size)
  const early = await send(part(1), { index: 1, total: 3 })
  t.equal(early.statusCode, 400)
  t.match(early.json(), { message: /./, error: 'unexpected_chunk_index', expectedChunkIndex: 0 })
  const { id, name } = ok(await send(part(0), { total: 3 })).json()
  t.equal(name, 'a.bin')
  for (const index of [0, 2]) t.equal((await send(part(index), { id, index, total: 3 })).json().expectedChunkIndex, 1)
  ok(await send(part(1), { id, index: 1, total: 3, on: other }))
  for (const on of [app, other, app]) t.same((await send(part(2), { id, index: 2, total: 3, on })).json(), { id, name })
  t.equal((await send(part(0), { id, total: 3 })).json().expectedChunkIndex, 2, 'starting over: the last chunk again')
  t.ok((await stored(id)).equals(bytes))
})

t.test('completes a share although a file was started twice after a lost response', async (t) => {
  ok(await alice.create('lost'))
  ok(await send(randomBytes(size), { to: 'lost', total: 2 }))
  const { id } = ok(await send(randomBytes(size), { to: 'lost', total: 2 })).json()
  ok(await send(randomBytes(5), { to: 'lost', id, index: 1, total: 2 }))
  ok(await alice.call('POST', '/lost/complete'))
  t.equal((await shareRow('lost')).size, size + 5)
  const files = await ctx.db.selectFrom('file').select('id').where('shareId', '=', 'lost').execute()
  t.same(files, [{ id }])
  t.same(refusal(await send(randomBytes(5), { to: 'lost' })), [400, 'share_already_completed'])
})

t.test('requires every chunk but the last to have the chunk size set when the file was started', async (t) => {
  const before = await counts()
  for (const length of [size - 1, size + 1, 100, 0]) {
    const answer = await send(Buffer.alloc(length), { total: 2 })
    t.same(refusal(answer), [400, 'wrong_chunk_size'], String(length))
    t.equal(answer.json().expected, size)
  }
  t.same(refusal(await send(Buffer.alloc(10 * MiB + 1))), [413, 'payload_too_large'])
  t.same(await counts(), before)
  const bytes = randomBytes(2 * size + 1)
  const { id } = ok(await send(bytes.subarray(0, size), { total: 3 })).json()
  await set(ctx, 'share.chunkSize', 6 * MiB)
  const wrong = await send(randomBytes(6 * MiB), { id, index: 1, total: 3 })
  t.same(refusal(wrong), [413, 'payload_too_large'])
  const short = await send(randomBytes(size - 1), { id, index: 1, total: 3 })
  t.same([...refusal(short), short.json().expected], [400, 'wrong_chunk_size', size])
  ok(await send(bytes.subarray(size, 2 * size), { id, index: 1, total: 3 }))
  t.same(refusal(await send(randomBytes(size + 1), { id, index: 2, total: 3 })), [413, 'payload_too_large'])
  ok(await send(bytes.subarray(2 * size), { id, index: 2, total: 3 }))
  t.ok((await stored(id)).equals(bytes))
  await set(ctx, 'share.chunkSize', size)
})

t.test('accepts an empty last chunk', async (t) => {
  const bytes = randomBytes(size)
  const { id } = ok(await send(bytes, { total: 2 })).json()
  for (const time of ['once', 'twice']) t.equal((await send('', { id, index: 1, total: 2 })).statusCode, 201, time)
  t.ok((await stored(id)).equals(bytes))
})

t.test('decodes a Base64 data URL sent as text, in the chunks of older clients', async (t) => {
  const bytes = randomBytes(10 * MiB + 1000)
  const text = (from: number, to?: number) => `data:application/octet-stream;base64,${bytes.subarray(from, to).toString('base64')}`
  const { id } = ok(await send(text(0, 10 * MiB), { total: 2 })).json()
  ok(await send(text(10 * MiB), { id, index: 1, total: 2, type: 'text/plain' }))
  t.ok((await stored(id)).equals(bytes))
  const image = ok(await send('data:image/png;base64,AAEC', { type: 'text/plain;charset=utf-8' })).json()
  t.same(await stored(image.id), Buffer.from([0, 1, 2]))
  for (const raw of [
    'data:image/png;base64,AAEC',
    'data:application/octet-stream;base64,AAE',
    'data:application/octet-stream;base64,A!==',
    'data',
  ]) {
    const { id } = ok(await send(raw)).json()
    t.equal(String(await stored(id)), raw, 'bytes that only look like a data URL are kept unchanged')
  }
})

t.test('accepts long text chunks over a connection, with and without a length', async (t) => {
  const bytes = randomBytes(10 * MiB)
  const body = Buffer.from(`data:application/octet-stream;base64,${bytes.toString('base64')}`)
  for (const framing of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain', ...framing } }
    const reply = await fetchWhole(port, url({}), sent, body)
    t.equal(reply.status, 201)
    t.ok((await stored(JSON.parse(String(reply.body)).id)).equals(bytes))
  }
})

t.test('rejects invalid chunks and keeps nothing', async (t) => {
  const before = await counts()
  const x = Buffer.from('x')
  const cases: [string, Sent, number, string][] = [
    ['no uuid', { id: '../../etc' }, 400, 'validation_failed'],
    ['an index beyond the last', { index: 1, total: 1 }, 400, 'validation_failed'],
    ['too many', { total: 10_001 }, 400, 'validation_failed'],
    ['none', { total: 0 }, 400, 'validation_failed'],
    ['a negative one', { index: -1 }, 400, 'validation_failed'],
    ['a path out', { name: '../x' }, 400, 'file_name_invalid'],
    ['no name', { name: '' }, 400, 'validation_failed'],
    ['no share', { to: 'nothing' }, 404, 'share_not_found'],
  ]
  for (const [name, sent, status, code] of cases) t.same(refusal(await send(x, sent)), [status, code], name)
  const bob = await signUp(app, 'bob')
  const as = (more: Record<string, string>) => app.inject({ method: 'POST', url: url({}), headers: more, payload: x })
  t.same(refusal(await as(bob)), [404, 'share_not_found'])
  t.same(refusal(await as({})), [401, 'unauthorized'])
  t.same(refusal(await as({ ...headers, 'sec-fetch-site': 'cross-site' })), [403, 'cross_site_request'])
  const native = ok(await alice.announce('box', 'native', 5)).json()
  t.same(refusal(await send(x, { id: native.id })), [404, 'file_not_found'], 'a file that was announced with its size')
  ok(await alice.call('DELETE', `/box/files/${native.id}`))
  const { id } = ok(await send(x, { to: 'other' })).json()
  t.same(refusal(await send(x, { id })), [404, 'file_not_found'], 'a file of another share')
  ok(await alice.call('DELETE', `/other/files/${id}`))
  t.same(await counts(), before)
  const own = randomUUID().toUpperCase()
  t.equal(ok(await send(x, { id: own })).json().id, own.toLowerCase(), 'a client may choose the id')
})

t.test('counts the received bytes towards the size of the share', async (t) => {
  ok(await alice.create('small'))
  await set(ctx, 'share.maxSize', size + 10)
  const far = await send(randomBytes(size), { to: 'small', total: 3 })
  t.same([...refusal(far), far.json().max], [413, 'share_too_large', size + 10])
  const { id } = ok(await send(randomBytes(size), { to: 'small', total: 2 })).json()
  t.same(refusal(await send(randomBytes(11), { to: 'small', id, index: 1, total: 2 })), [413, 'share_too_large'])
  t.same(refusal(await send(randomBytes(11), { to: 'small' })), [413, 'share_too_large'])
  ok(await send(randomBytes(10), { to: 'small', id, index: 1, total: 2 }))
  t.equal((await shareRow('small')).reserved, size + 10)
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('creates one file when a chunk is sent twice at once and the next one comes early', async (t) => {
  const bytes = randomBytes(2 * size)
  const { id } = ok(await send(bytes.subarray(0, size), { total: 2 })).json()
  const last = () => send(bytes.subarray(size), { id, index: 1, total: 2 })
  const answers = await Promise.all([last(), last(), send(bytes.subarray(size), { id, index: 1, total: 2, on: other })])
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [201, 201, 201],
  )
  t.ok((await stored(id)).equals(bytes))
  const own = randomUUID()
  const firsts = await Promise.all([0, 1, 2].map((n) => send(bytes.subarray(0, size), { id: own, total: 2, on: n === 1 ? other : app })))
  for (const answer of firsts)
    if (answer.statusCode !== 201) t.match(answer.json(), { error: 'unexpected_chunk_index', expectedChunkIndex: 1 })
  ok(await send(bytes.subarray(size), { id: own, index: 1, total: 2 }))
  t.ok((await stored(own)).equals(bytes))
  t.equal((await counts()).open, 0, 'and no upload stays open')
})

t.test('drops the chunk after a lost connection or on a full disk, and accepts it again', async (t) => {
  const before = await counts()
  log.lines.length = 0
  const sent = begin(port, url({}), { method: 'POST', headers: { ...headers, 'content-length': 4 * MiB } })
  sent.on('error', () => {})
  sent.write(randomBytes(MiB))
  await eventually(async () => (await counts()).files > before.files, 'the upload has started')
  sent.destroy()
  await eventually(async () => (await counts()).files === before.files, 'the first chunk is removed completely')
  const bytes = randomBytes(size + 3 * MiB)
  const { id } = ok(await send(bytes.subarray(0, size), { total: 2 })).json()
  const { writePart } = ctx.storage
  ctx.storage.writePart = async (_upload, _number, body) => {
    await once(body, 'readable')
    throw new StoreFull('full')
  }
  t.same(refusal(await send(bytes.subarray(size), { id, index: 1, total: 2 })), [507, 'insufficient_storage'])
  ctx.storage.writePart = writePart
  const half = begin(port, url({ id, index: 1, total: 2 }), { method: 'POST', headers: { ...headers, 'content-length': 3 * MiB } })
  half.on('error', () => {})
  half.write(randomBytes(2 * MiB))
  await once(half, 'drain')
  half.destroy()
  t.equal((await send(bytes.subarray(0, size), { id, total: 2 })).json().expectedChunkIndex, 1)
  ok(await send(bytes.subarray(size), { id, index: 1, total: 2 }))
  t.ok((await stored(id)).equals(bytes))
  t.same(
    log.lines.filter(({ level, message }) => level === 'error' || (level === 'warn' && message !== 'request could not be served')),
    [],
  )
})

t.test('accepts chunks without a length or a type', async (t) => {
  const bytes = randomBytes(size + 2)
  const stream = async (part: Buffer, sent: Sent) => {
    const request = begin(port, url(sent), { method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' } })
    request.end(part)
    const [answer] = await once(request, 'response')
    const body = Buffer.concat(await answer.toArray())
    return { status: answer.statusCode, ...JSON.parse(String(body)) }
  }
  const { id } = await stream(bytes.subarray(0, size), { total: 2 })
  t.match(await stream(bytes.subarray(size), { id, index: 1, total: 2 }), { status: 201, id })
  t.ok((await stored(id)).equals(bytes))
  t.match(await stream(Buffer.alloc(14 * MiB + 200_000), {}), { status: 413, error: 'payload_too_large' })
})

t.test('removes abandoned files with their share', async (t) => {
  ok(await alice.create('gone'))
  ok(await send(randomBytes(size), { to: 'gone', total: 2 }))
  const at = new Date(Date.now() + 25 * 3_600_000)
  await cleanUp({ ...ctx, now: () => at }, {}, new AbortController().signal)
  t.same(await ctx.db.selectFrom('share').select('id').where('id', '=', 'gone').execute(), [])
  t.equal(await openUploads(), 0)
})
