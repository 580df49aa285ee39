import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { diskStore } from '../../src/storage/disk/disk-store.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { eventually } from '../support/app/worker.ts'
import { boundary, file, form, formType, headOf, text } from '../support/form.ts'
import { begin, fetchWhole, listen, replyTo } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { reversing } from '../support/reverse.ts'
import { refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const disk = await mkdtemp(join(tmpdir(), 'razorbill-small-disk-'))
const mounted = mountSmallDisk()
t.teardown(async () => {
  if (mounted) execFileSync('umount', ['-l', disk])
  await rm(disk, { recursive: true, force: true })
})
const { app, ctx } = await testApp(t, { queue: waitingJobs(), storage: await diskStore({ dir: join(disk, 'objects') }) })
const port = await listen(app)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const upload = { method: 'POST', headers: { ...headers, ...formType } }

/** Mounts a disk of 64 MiB if this user may; returns whether it did. */
function mountSmallDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** Returns the numbers of rows, objects and reserved bytes. */
async function state() {
  await cleanUp(ctx, {}, new AbortController().signal)
  const shares = await ctx.db.selectFrom('share').select(['id', 'reserved']).orderBy('id').execute()
  const files = await ctx.db.selectFrom('file').select('id').orderBy('id').execute()
  const objects = await readdir(join(disk, 'objects'), { recursive: true })
  return { shares, files, objects: objects.sort() }
}

/** Returns the resident memory of this process after a garbage collection, in bytes. */
function memory(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

t.test('limits text parts in total', async (t) => {
  const parts = Array.from({ length: 40 }, () => text('description', 'x'.repeat(60_000)))
  const reply = await fetchWhole(port, '/api/upload', upload, form(...parts, file('a', 'x')))
  const answer = JSON.parse(String(reply.body))
  t.match([reply.status, answer.error], [400, 'validation_failed'])
  t.match(answer.issues[0], { path: 'description', rule: 'maxLength', params: { limit: MiB } })
})

t.test('rejects a visitor early where visitors may not share, unless the form names a reverse share', async (t) => {
  const anonymous = (...parts: Parameters<typeof form>) =>
    app.inject({ method: 'POST', url: '/api/upload', headers: formType, payload: form(...parts) })
  const sent = begin(port, '/api/upload', { method: 'POST', headers: formType })
  sent.on('error', () => {})
  for (const name of ['name', 'description', 'senderName'])
    sent.write(form(text(name, 'x'.repeat(10_000))).subarray(0, -boundary.length - 6))
  const reply = await replyTo(sent)
  sent.destroy()
  t.match([reply.status, JSON.parse(String(reply.body)).error], [403, 'unauthenticated_shares_disabled'], 'before the form ends')
  const token = await reversing(app, headers).link('letters', { maxUseCount: 5 })
  const long = text('senderMessage', 'x'.repeat(20_000))
  const through = await anonymous(text('reverseShareToken', token), long, file('a.txt', 'x'))
  t.match(refusal(through), [400, 'validation_failed'], 'a message of 20,000 characters is read and rejected as too long')
  t.equal((await anonymous(text('name', 'x'), text('reverseShareToken', token), file('a.txt', 'x'))).statusCode, 201)
  t.same(refusal(await anonymous(text('reverseShareToken', 'none'), long)), [404, 'reverse_share_not_found'])
})

t.test('rejects a form of 200,000 tiny files at the limit, leaves nothing and uses constant memory', async (t) => {
  await set(ctx, 'share.maxFiles', 100)
  const before = await state()
  const many = Array.from({ length: 200_000 }, (_, n) => `${headOf({ name: 'f', filename: `${n}` })}x\r\n`)
  const body = Buffer.from(`${many.join('')}--${boundary}--\r\n`)
  const start = memory()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  const reply = await fetchWhole(port, '/api/upload', { ...upload, headers: { ...upload.headers, 'content-length': body.length } }, body)
  clearInterval(watch)
  const answer = JSON.parse(String(reply.body))
  t.match([reply.status, answer.error, answer.limit], [413, 'too_many_files', 100])
  t.ok(peak - start < 100 * MiB, `grew by ${Math.round((peak - start) / MiB)} MiB`)
  t.same(await state(), before)
  await set(ctx, 'share.maxFiles', 10_000)
})

t.test('stops within a second and leaves nothing when the client disconnects', async (t) => {
  const before = await state()
  const sent = begin(port, '/api/upload', upload)
  sent.on('error', () => {})
  for (let n = 0; n < 20_000; n++) sent.write(`${headOf({ name: 'f', filename: `${n}` })}x\r\n`)
  const count = async () =>
    (
      await ctx.db
        .selectFrom('file')
        .select((eb) => eb.fn.countAll<number>().as('files'))
        .executeTakeFirstOrThrow()
    ).files
  await eventually(async () => (await count()) > before.files.length + 20, 'the upload has started')
  sent.destroy()
  const cut = Date.now()
  await eventually(async () => (await count()) === before.files.length, 'its rows are deleted')
  t.ok(Date.now() - cut < 1000, `after ${Date.now() - cut} ms`)
  await eventually(async () => isDeepStrictEqual(await state(), before), 'nothing is left')
})

/** Sends an endless file, `quickly` MiB at once and the rest slowly, to read the reply in time. */
async function sendUntilReply(sent: ClientRequest, quickly: number) {
  let replied = false
  const reply = replyTo(sent).finally(() => {
    replied = true
  })
  sent.write(headOf(file('big', '')))
  for (let n = 0; !replied; n++) {
    if (!sent.write(randomBytes(MiB))) await Promise.race([once(sent, 'drain'), reply])
    if (n >= quickly) await Promise.race([sleep(200), reply])
  }
  sent.destroy()
  return reply
}

t.test('reports a full disk during a form, with or without a length, a part and a chunk', { skip: !mounted }, async (t) => {
  const before = await state()
  const large = { ...upload, headers: { ...upload.headers, 'content-length': 200 * MiB } }
  for (const [name, options, quickly] of [
    ['with a length', large, 0],
    ['without a length', upload, 50],
  ] as const) {
    const reply = await sendUntilReply(
      begin(port, '/api/upload', options).on('error', () => {}),
      quickly,
    )
    t.match([reply.status, JSON.parse(String(reply.body)).error], [507, 'insufficient_storage'], name)
    t.same(await state(), before, name)
  }
  t.equal((await alice.create('full')).statusCode, 201)
  const { id } = (await alice.announce('full', 'a', 8 * MiB)).json()
  const filler = join(disk, 'filler')
  execFileSync('sh', ['-c', `head -c 128M /dev/zero > ${filler} || true`], { stdio: 'ignore' })
  t.same(refusal(await alice.part('full', id, 1, Buffer.alloc(8 * MiB))), [507, 'insufficient_storage'])
  const digest = { 'content-digest': 'crc32c=:AAAAAA==:' }
  t.same(refusal(await alice.part('full', id, 1, Buffer.alloc(8 * MiB), digest)), [507, 'insufficient_storage'])
  const chunk = (payload: Buffer, total: number) =>
    app.inject({
      method: 'POST',
      url: `/api/shares/full/files?name=b&chunkIndex=0&totalChunks=${total}`,
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      payload,
    })
  t.same(refusal(await chunk(Buffer.alloc(10_000_000), 2)), [507, 'insufficient_storage'])
  t.same(refusal(await chunk(Buffer.alloc(MiB), 1)), [507, 'insufficient_storage'])
  await rm(filler)
})
