import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { crc32c } from '@node-rs/crc32'
import t from 'tap'
import { StoreFull } from '../../src/storage/object-store.ts'
import { partSizeFor } from '../../src/uploads/parts/part-size.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { begin, fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const log = keptLog()
const queue = waitingJobs()
const { app, ctx } = await testApp(t, { log, queue })
const port = await listen(app)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const bob = sharing(app, await signUp(app, 'bob'))
ok(await alice.create('box'))
ok(await alice.create('other'))
ok(await bob.create('bobs'))

const partUrl = (fileId: string, number: number | string) => `/api/shares/box/files/${fileId}/parts/${number}`
const announced = async (size: number, name = 'a.bin') => ok(await alice.announce('box', name, size)).json()
const reserved = async (id = 'box') => (await row(id)).reserved
const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const fileRow = (id: string) => ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirst()
const arrived = async (id: string) => ok(await alice.call('GET', `/box/files/${id}/parts`)).json().parts
const openUploads = () => readdir(join(ctx.env.dataDir, 'objects', 'tmp'))

async function stored(fileId: string): Promise<Buffer> {
  const { objectKey } = (await fileRow(fileId))!
  return Buffer.concat(await (await ctx.storage.read(objectKey)).toArray())
}

t.test('accepts names up to 255 UTF-16 units a segment, and names the limit', async (t) => {
  ok(await alice.create('long-names'))
  const names = [`${'漢'.repeat(100)}.txt`, 'я'.repeat(128), `${'あ'.repeat(251)}.pdf`, `${'👩‍👩‍👧'.repeat(31)}.jpg`]
  for (const name of [...names, names.join('/')]) ok(await alice.announce('long-names', name, 0))
  const refused = await alice.announce('long-names', 'あ'.repeat(256), 0)
  t.match(refused.json(), { error: 'file_name_invalid', rule: 'segment_too_long', max: 255, unit: 'UTF-16 code units' })
})

t.test('refuses a file whose parts would exceed the limit of the store', async (t) => {
  Object.assign(ctx.storage, { maxPartSize: 5 * 1024 ** 3 })
  t.teardown(() => Object.assign(ctx.storage, { maxPartSize: undefined }))
  await set(ctx, 'share.maxSize', Number.MAX_SAFE_INTEGER)
  ok(await alice.create('huge'))
  const refused = await alice.announce('huge', 'a', 60e12)
  t.match(refused.json(), { error: 'share_too_large', max: 5 * 1024 ** 3 * 10_000 })
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('builds the file from parts in any order and in parallel, with its CRC-32', async (t) => {
  const bytes = randomBytes(20 * MiB + 5)
  const file = await announced(bytes.length, 'photos/a.bin')
  t.same(file, { id: file.id, name: 'photos/a.bin', size: bytes.length, partSize: 8 * MiB, partCount: 3, direct: false })
  const part = (n: number) => bytes.subarray((n - 1) * 8 * MiB, n * 8 * MiB)
  t.same(ok(await alice.part('box', file.id, 3, part(3))).json(), { partNumber: 3, size: 4 * MiB + 5 })
  t.same(ok(await alice.call('GET', `/box/files/${file.id}/parts`)).json(), {
    partSize: 8 * MiB,
    partCount: 3,
    parts: [3],
    crc32: [crc32(part(3))],
    direct: false,
  })
  const early = await alice.call('POST', `/box/files/${file.id}/complete`)
  t.same(refusal(early), [400, 'upload_incomplete'])
  t.same(early.json().missing, [1, 2])
  const send = (n: number) =>
    fetchWhole(port, partUrl(file.id, n), { method: 'PUT', headers: { ...headers, 'content-length': part(n).length } }, part(n))
  t.same(
    (await Promise.all([send(2), send(1)])).map(({ status }) => status),
    [200, 200],
  )
  for (const time of ['first', 'second']) {
    t.same(
      ok(await alice.call('POST', `/box/files/${file.id}/complete`)).json(),
      { id: file.id, name: 'photos/a.bin', size: bytes.length },
      time,
    )
  }
  t.ok((await stored(file.id)).equals(bytes))
  t.match(await fileRow(file.id), { crc32: crc32(bytes), published: false, uploadId: null })
  t.same(await arrived(file.id), [1, 2, 3])
  t.same(await openUploads(), [])
  t.same(refusal(await alice.part('box', file.id, 1, part(1))), [400, 'file_already_complete'])
  t.ok((await stored(file.id)).equals(bytes), 'and it is not changed by the rejected call')
})

t.test('completes an empty file at once and accepts the same calls for it', async (t) => {
  const file = await announced(0, 'empty')
  t.match(file, { size: 0, partCount: 0 })
  t.same(ok(await alice.call('GET', `/box/files/${file.id}/parts`)).json().parts, [])
  t.same(ok(await alice.call('POST', `/box/files/${file.id}/complete`)).json(), { id: file.id, name: 'empty', size: 0 })
  t.same(refusal(await alice.part('box', file.id, 1, Buffer.alloc(0))), [400, 'file_already_complete'])
  t.equal((await stored(file.id)).length, 0)
})

t.test('uses larger parts for a large file, in whole MiB, and at most 10,000 parts', async (t) => {
  for (const [size, partSize] of [
    [1, 8 * MiB],
    [1024 * MiB - 1, 8 * MiB],
    [1024 * MiB, 16 * MiB],
    [160_000 * MiB, 16 * MiB],
    [160_000 * MiB + 1, 17 * MiB],
    [6 * 1024 ** 4, 630 * MiB],
  ] as const) {
    t.equal(partSizeFor(size), partSize)
    t.ok(size / partSize <= 10_000)
  }
})

t.test('reports each rule for names, and keeps unusual but harmless names', async (t) => {
  const before = await reserved()
  const cases: [string, string][] = [
    ['../a', 'dot_segment'],
    ['a/../b', 'dot_segment'],
    ['a/./b', 'dot_segment'],
    ['..', 'dot_segment'],
    ['/etc/passwd', 'leading_slash'],
    ['a//b', 'empty_segment'],
    ['a/', 'empty_segment'],
    ['..\\evil', 'backslash'],
    ['C:\\x.txt', 'backslash'],
    ['a\0b', 'control_character'],
    ['a\nb', 'control_character'],
    ['a\u0085b', 'control_character'],
    [`${'漢'.repeat(256)}`, 'segment_too_long'],
    [`${'a'.repeat(256)}/b`, 'segment_too_long'],
    [Array.from({ length: 17 }, () => 'x'.repeat(250)).join('/'), 'name_too_long'],
    ['a\ud800b', 'unicode'],
    [' ', 'blank'],
    ['photos/\u200b', 'blank'],
  ]
  for (const [name, rule] of cases) {
    const answer = await alice.announce('box', name, 1)
    t.same(refusal(answer), [400, 'file_name_invalid'], JSON.stringify(name))
    t.equal(answer.json().rule, rule)
  }
  for (const name of ['', 5, null, undefined]) {
    t.same(refusal(await alice.call('POST', '/box/files', { name, size: 1 })), [400, 'validation_failed'], String(name))
  }
  t.equal(await reserved(), before)
  for (const name of [
    'a;b,c"d(e).txt',
    '100% [final] {v2}.pdf',
    'C:x',
    'CON.txt',
    'x.',
    ' x',
    'ann\u202egpj.exe',
    '...',
    '"><img src=x onerror=alert(1)>.jpg',
    'a%2Fb#c?d',
    `${'é'.repeat(127)}x`,
  ]) {
    const file = await announced(0, name)
    t.equal((await fileRow(file.id))?.name, name)
  }
  const [one, two] = [await announced(0, 'same'), await announced(0, 'same')]
  t.not(one.id, two.id, 'two files with the same name are both kept')
})

t.test('rejects invalid or too large sizes before a byte is sent', async (t) => {
  await set(ctx, 'share.maxSize', 1000)
  ok(await alice.create('small'))
  for (const size of [-1, 1.5, '5', null, undefined, 2 ** 53]) {
    t.same(refusal(await alice.announce('small', 'a', size)), [400, 'validation_failed'], String(size))
  }
  const answer = await alice.announce('small', 'a', 1001)
  t.same(refusal(answer), [413, 'share_too_large'])
  t.equal(answer.json().max, 1000)
  const { id } = ok(await alice.announce('small', 'a', 600)).json()
  t.same(refusal(await alice.announce('small', 'b', 401)), [413, 'share_too_large'], 'all files count together')
  ok(await alice.announce('small', 'b', 400))
  ok(await alice.call('DELETE', `/small/files/${id}`))
  t.equal(await reserved('small'), 400, 'the space of removed files is released')
  ok(await alice.announce('small', 'c', 600))
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('rejects a part with another size, number or share, and keeps nothing', async (t) => {
  const bytes = randomBytes(100)
  const { id } = await announced(100)
  const put = (path: string, more: Record<string, string>, body?: Buffer) =>
    fetchWhole(port, path, { method: 'PUT', headers: { ...headers, ...more } }, body)
  const codeOf = async (sent: ReturnType<typeof put>) => {
    const { status, body } = await sent
    return [status, JSON.parse(String(body)).error]
  }
  for (const length of [99, 101, 0]) {
    const answer = await put(partUrl(id, 1), { 'content-length': String(length) }, Buffer.alloc(length))
    t.equal(answer.status, 400)
    t.match(JSON.parse(String(answer.body)), { error: 'wrong_part_size', expected: 100 }, String(length))
  }
  t.same(await codeOf(put(partUrl(id, 1), { 'transfer-encoding': 'chunked' }, bytes)), [411, 'length_required'])
  const outside = await alice.part('box', id, 2, bytes)
  t.same(refusal(outside), [400, 'part_out_of_range'])
  t.equal(outside.json().partCount, 1)
  t.same(refusal(await alice.part('box', id, 0, bytes)), [400, 'part_out_of_range'])
  for (const number of ['-1', 'x', '1.5', '1234567']) {
    const url = partUrl(id, number)
    t.same(refusal(await app.inject({ method: 'PUT', url, headers, payload: bytes })), [400, 'validation_failed'], number)
  }
  t.same(refusal(await alice.part('other', id, 1, bytes)), [404, 'file_not_found'], 'another share of the same owner')
  t.same(refusal(await bob.part('bobs', id, 1, bytes)), [404, 'file_not_found'])
  t.same(refusal(await bob.part('box', id, 1, bytes)), [404, 'share_not_found'], 'a share of another user')
  t.same(refusal(await sharing(app).part('box', id, 1, bytes)), [401, 'unauthorized'])
  for (const wrong of ['x', '00000000-0000-4000-8000-000000000000', '%00'])
    t.same(refusal(await alice.part('box', wrong, 1, bytes)), [404, 'file_not_found'], wrong)
  t.same(await arrived(id), [])
  t.same(await codeOf(put(partUrl(id, 1), { 'content-length': '100' }, bytes)), [200, undefined], 'a missing content type is accepted')
  ok(await alice.call('POST', `/box/files/${id}/complete`))
  t.ok((await stored(id)).equals(bytes))
})

t.test('replaces a part that is sent again', async (t) => {
  const { id } = await announced(3)
  ok(await alice.part('box', id, 1, Buffer.from('old')))
  ok(await alice.part('box', id, 1, Buffer.from('new')))
  ok(await alice.call('POST', `/box/files/${id}/complete`))
  t.equal(String(await stored(id)), 'new')
  t.equal((await fileRow(id))?.crc32, crc32('new'))
})

t.test('keeps the recorded copy, no matter how often the part is sent again and rejected', async (t) => {
  const { id } = await announced(3)
  ok(await alice.part('box', id, 1, Buffer.from('old')))
  ok(await alice.part('box', id, 1, Buffer.from('new')))
  for (let time = 0; time < 6; time++) {
    t.same(refusal(await alice.part('box', id, 1, Buffer.from('bad'), { 'content-digest': 'crc32c=:AAAAAA==:' })), [400, 'digest_mismatch'])
  }
  ok(await alice.call('POST', `/box/files/${id}/complete`))
  t.equal(String(await stored(id)), 'new')
})

t.test('accepts any content type for a part, and no binary body on other calls', async (t) => {
  for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'video/mp4']) {
    const { id } = await announced(9 * MiB, 'a.json')
    ok(await alice.part('box', id, 1, randomBytes(8 * MiB), { 'content-type': type }))
    ok(await alice.part('box', id, 2, randomBytes(MiB), { 'content-type': type }))
  }
  const created = await alice.call('POST', '', Buffer.from('{"id":"as-bytes"}'), { 'content-type': 'application/octet-stream' })
  t.same(refusal(created), [415, 'unsupported_media_type'])
})

t.test('verifies a digest while the bytes arrive', async (t) => {
  const bytes = randomBytes(300_000)
  const { id } = await announced(bytes.length)
  const sha = createHash('sha256').update(bytes).digest('base64')
  const castagnoli = Buffer.alloc(4)
  castagnoli.writeUInt32BE(crc32c(bytes))
  const crc = castagnoli.toString('base64')
  const send = (digest: string) => alice.part('box', id, 1, bytes, { 'content-digest': digest })
  for (const wrong of [
    `sha-256=:${createHash('sha256').digest('base64')}:`,
    'crc32c=:AAAAAA==:',
    `sha-256=:${sha}:, crc32c=:AAAAAA==:`,
    'sha-256=::',
  ]) {
    t.same(refusal(await send(wrong)), [400, 'digest_mismatch'], wrong)
    t.same(await arrived(id), [])
  }
  for (const unknown of ['md5=:AAAA:', 'sha-256=abc', 'sha-256', '', ':::', 'constructor=:AAAA:'])
    t.same(refusal(await send(unknown)), [400, 'digest_unsupported'], unknown)
  for (const right of [`sha-256=:${sha}:`, `crc32c=:${crc}:`, `sha-512=:AAAA:, crc32c=:${crc}:, sha-256=:${sha}:;x=1`])
    t.equal((await send(right)).statusCode, 200, right)
  t.same(refusal(await send('sha-256=:AAAA:')), [400, 'digest_mismatch'])
  t.same(await arrived(id), [1], 'a bad copy does not replace the good one')
  ok(await alice.call('POST', `/box/files/${id}/complete`))
  t.ok((await stored(id)).equals(bytes))
  const known = await announced(9) // the check value of CRC-32C in the CRC catalogs
  t.equal((await alice.part('box', known.id, 1, Buffer.from('123456789'), { 'content-digest': 'crc32c=:4waSgw==:' })).statusCode, 200)
})

t.test('leaves nothing and logs no error when the connection is lost', async (t) => {
  const { id } = await announced(4 * MiB)
  log.lines.length = 0
  const { writePart } = ctx.storage
  for (const more of [{}, { 'content-digest': 'sha-256=:AAAA:' }]) {
    const writing = Promise.withResolvers<{ over: Promise<unknown> }>()
    ctx.storage.writePart = (...part) => {
      const written = writePart(...part)
      writing.resolve({ over: Promise.allSettled([written]) })
      return written
    }
    const sent = begin(port, partUrl(id, 1), { method: 'PUT', headers: { ...headers, ...more, 'content-length': 4 * MiB } })
    sent.on('error', () => {})
    sent.write(randomBytes(MiB))
    const [{ over }] = await Promise.all([writing.promise, once(sent, 'drain')])
    sent.destroy()
    t.match(await over, [{ status: 'rejected' }])
  }
  ctx.storage.writePart = writePart
  t.same(await arrived(id), [])
  t.same(
    log.lines.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  )
  ok(await alice.part('box', id, 1, randomBytes(4 * MiB)))
  ok(await alice.call('POST', `/box/files/${id}/complete`))
})

t.test('reports a full disk when announcing and within a part, and leaves nothing', async (t) => {
  const { begin: beginUpload, writePart } = ctx.storage
  const before = [await reserved(), (await openUploads()).length]
  ctx.storage.begin = () => Promise.reject(new StoreFull('full'))
  t.same(refusal(await alice.announce('box', 'a', 5)), [507, 'insufficient_storage'])
  ctx.storage.begin = beginUpload
  t.same([await reserved(), (await openUploads()).length], before)
  const { id } = await announced(5 * MiB)
  ctx.storage.writePart = async (_upload, _number, body) => {
    await once(body, 'readable')
    body.resume()
    throw new StoreFull('full')
  }
  const answer = await fetchWhole(
    port,
    partUrl(id, 1),
    { method: 'PUT', headers: { ...headers, 'content-length': 5 * MiB } },
    randomBytes(5 * MiB),
  )
  ctx.storage.writePart = writePart
  t.match(JSON.parse(String(answer.body)), { statusCode: 507, error: 'insufficient_storage' })
  t.same(await arrived(id), [])
})

t.test('removes a file or aborts its upload, and queues its bytes for removal', async (t) => {
  const before = await reserved()
  const { id } = await announced(10)
  const { uploadId, objectKey } = (await fileRow(id))!
  queue.jobs.length = 0
  t.same(refusal(await alice.call('DELETE', `/other/files/${id}`)), [404, 'file_not_found'])
  t.same(refusal(await bob.call('DELETE', `/box/files/${id}`)), [404, 'share_not_found'])
  const answer = await alice.call('DELETE', `/box/files/${id}`)
  t.equal(answer.statusCode, 200)
  t.equal(await reserved(), before)
  t.match(await ctx.db.selectFrom('deletedObject').selectAll().where('key', '=', objectKey).execute(), [{ uploadId }])
  t.match(queue.jobs, [{ name: 'clean-up' }])
  for (const call of ['DELETE', 'POST', 'GET'] as const) {
    const url = `/box/files/${id}${{ DELETE: '', POST: '/complete', GET: '/parts' }[call]}`
    t.same(refusal(await alice.call(call, url)), [404, 'file_not_found'], call)
  }
})

t.test('hides a file removed from an open share from visitors at once', async (t) => {
  const [first, second] = await alice.share('open', { 'a.txt': 'aaa', 'b.txt': 'b' })
  const visitor = sharing(app)
  const cookies = await visitor.unlock('open')
  ok(await alice.call('DELETE', `/open/files/${first}`))
  t.match(ok(await visitor.call('GET', '/open', undefined, cookies)).json(), { size: 1, files: [{ id: second }] })
  t.same(refusal(await visitor.call('GET', `/open/files/${first}`, undefined, cookies)), [404, 'file_not_found'])
  t.match(await row('open'), { revision: 2, size: 1, reserved: 1 })
})

t.test('records an upload as activity once a minute', async (t) => {
  const { id } = await announced(3)
  await ctx.db
    .updateTable('share')
    .set({ activeAt: new Date(0) })
    .where('id', '=', 'box')
    .execute()
  ok(await alice.part('box', id, 1, Buffer.from('abc')))
  const { activeAt } = await row('box')
  t.ok(Date.now() - activeAt.getTime() < 60_000)
  ok(await alice.part('box', id, 1, Buffer.from('abc')))
  t.same((await row('box')).activeAt, activeAt)
})

t.test('requests all parts again when the store has lost one', async (t) => {
  const { id } = await announced(3)
  ok(await alice.part('box', id, 1, Buffer.from('abc')))
  await ctx.db.updateTable('filePart').set({ etag: '0123456789abcdef-00000000-boot' }).where('fileId', '=', id).execute()
  const answer = await alice.call('POST', `/box/files/${id}/complete`)
  t.same(refusal(answer), [400, 'upload_incomplete'])
  t.same(answer.json().missing, [1])
  ok(await alice.part('box', id, 1, Buffer.from('abc')))
  ok(await alice.call('POST', `/box/files/${id}/complete`))
  t.equal(String(await stored(id)), 'abc')
})
