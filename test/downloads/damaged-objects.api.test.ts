import { randomBytes } from 'node:crypto'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { StoreUnavailable } from '../../src/storage/object-store.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { refusal, sharing } from '../support/sharing.ts'

const log = keptLog()
const metrics = createMetrics()
const { app, ctx } = await testApp(t, { log, metrics })
const alice = sharing(app, await signUp(app, 'alice'))
const port = await listen(app)
const bytes = randomBytes(700_000)

async function shared(id: string) {
  const [file = ''] = await alice.share(id, { 'a.bin': bytes, 'b.txt': 'text' })
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', file).executeTakeFirstOrThrow()
  return {
    url: `/api/shares/${id}/files/${file}`,
    zip: `/api/shares/${id}/files/zip`,
    path: join(ctx.env.dataDir, 'objects', objectKey),
    objectKey,
  }
}

t.test('cuts a file whose bytes have changed in the store, logs its object and counts it', async (t) => {
  const { url, path, objectKey } = await shared('flipped')
  t.ok((await fetchWhole(port, url)).body.equals(bytes))
  const stored = await readFile(path)
  stored[350_000]! ^= 1
  await writeFile(path, stored)
  log.lines.length = 0
  await t.rejects(fetchWhole(port, url), 'the connection is cut')
  const [line, ...others] = log.lines.filter(({ level }) => level === 'error')
  t.equal(line?.message, 'stored object is damaged')
  t.match(line?.details, { err: { message: new RegExp(objectKey) } })
  t.same(others, [])
  t.match(await metrics.text(), /razorbill_storage_errors_total\{operation="send",reason="damaged"\} 1/)
  t.equal((await fetchWhole(port, url, { headers: { range: 'bytes=0-9' } })).status, 206, 'a part can not be checked')
})

t.test('cuts a zip when the bytes of a file have changed, small or large, and logs its object', async (t) => {
  const { zip, path, objectKey } = await shared('zipped')
  const { body: whole } = await fetchWhole(port, zip)
  for (const [size, position] of [
    [bytes.length, 350_000],
    [4, 2],
  ] as const) {
    const files = await ctx.db.selectFrom('file').select('objectKey').where('shareId', '=', 'zipped').where('size', '=', size).execute()
    const damaged = join(ctx.env.dataDir, 'objects', files[0]!.objectKey)
    const before = await readFile(damaged)
    const after = Buffer.from(before)
    after[position]! ^= 1
    await writeFile(damaged, after)
    log.lines.length = 0
    await t.rejects(fetchWhole(port, zip), `${size} bytes: the connection is cut`)
    const errors = log.lines.filter(({ level }) => level === 'error')
    t.match(errors, [{ message: 'stored object is damaged', details: { err: { message: new RegExp(files[0]!.objectKey) } } }])
    t.equal(errors.length, 1)
    await writeFile(damaged, before)
  }
  t.ok((await fetchWhole(port, zip)).body.equals(whole))
  const stored = await readFile(path)
  stored[0]! ^= 1
  await writeFile(path, stored)
  const directory = { headers: { range: `bytes=${whole.length - 100}-` } }
  t.equal((await fetchWhole(port, zip, directory)).status, 206, 'other parts can be read')
  await t.rejects(fetchWhole(port, zip, { headers: { range: `bytes=0-${bytes.length + 100}` } }), 'a range with all of the file is cut')
  t.match(await metrics.text(), /razorbill_storage_errors_total\{operation="send",reason="damaged"\} [2-9]/, objectKey)
})

t.test('names an object of the wrong size in the log, and reports it as damaged', async (t) => {
  const { url, zip, path, objectKey } = await shared('short')
  await truncate(path, 10)
  log.lines.length = 0
  for (const address of [url, zip]) {
    const reply = await fetchWhole(port, address)
    t.match([reply.status, JSON.parse(String(reply.body))], [500, { error: 'file_damaged', expected: bytes.length, actual: 10 }])
    t.equal((await fetchWhole(port, address, { method: 'HEAD' })).status, 500)
  }
  t.ok(log.lines.some(({ details }) => String((details as { err?: Error }).err?.message).includes(objectKey)))
})

t.test('reports a missing object before any byte of a file or a zip, also to HEAD', async (t) => {
  const { url, zip, path } = await shared('missing')
  await rm(path)
  for (const address of [url, zip]) {
    t.match(refusal(await app.inject(address)), [404, 'file_not_found'])
    t.equal((await fetchWhole(port, address, { method: 'HEAD' })).status, 404)
  }
})

t.test('reports a store that is down before any byte of a file or a zip', async (t) => {
  const { url, zip } = await shared('down')
  const { head, send, readInto } = ctx.storage
  const fail = async () => {
    throw new StoreUnavailable('down')
  }
  Object.assign(ctx.storage, { head: fail, send: fail, readInto: fail })
  t.teardown(() => Object.assign(ctx.storage, { head, send, readInto }))
  for (const address of [url, zip]) {
    const reply = await fetchWhole(port, address)
    t.match([reply.status, reply.headers['retry-after'], JSON.parse(String(reply.body)).error], [503, '5', 'unavailable'])
    t.equal((await fetchWhole(port, address, { method: 'HEAD' })).status, 503)
  }
})
