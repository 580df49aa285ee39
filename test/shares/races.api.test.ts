import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { markReverseShareDeleted } from '../../src/reverse-shares/queries.ts'
import { testApp } from '../support/app/app.ts'
import { begin, fetchWhole, listen, replyTo } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { type Answer, ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
// Two replicas share one database and one store: counts and uniqueness must not depend on the
// process.
const first = await testApp(t)
const { ctx } = first
const second = await testApp(t, { database: first.database, storage: ctx.storage })
const headers = await signUp(first.app, 'alice')
const alices = [sharing(first.app, headers), sharing(second.app, headers)] as const
const visitors = [sharing(first.app), sharing(second.app)] as const
const [alice] = alices
const port = await listen(first.app)
const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirst()

/** Runs a call `times` times at once, alternating between the replicas. */
const atOnce = <T, P>(people: readonly [P, P], times: number, act: (person: P, n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, n) => act(people[n % 2]!, n)))

/** Counts the responses by status. */
function counted(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

t.test('gives a link to one of ten concurrent requests', async (t) => {
  const answers = await atOnce(alices, 10, (person) => person.create('wanted'))
  t.same(counted(answers), { 201: 1, 400: 9 })
  for (const answer of answers) if (answer.statusCode === 400) t.equal(answer.json().error, 'share_id_taken')
})

t.test('gives a link to one of ten concurrent requests that differ only in case', async (t) => {
  const cases = ['same-id', 'SAME-id', 'Same-Id', 'sAME-iD', 'same-ID']
  t.same(counted(await atOnce(alices, 10, (person, n) => person.create(cases[n % 5]!))), { 201: 1, 400: 9 })
  const makers = [reversing(first.app, headers), reversing(second.app, headers)] as const
  t.same(counted(await atOnce(makers, 10, (maker, n) => maker.make({ token: cases[n % 5]! }))), { 201: 1, 400: 9 })
})

t.test('gives the link of an expired share to one of ten concurrent requests', async (t) => {
  await alice.share('again', { 'a.txt': 'a' })
  await ctx.db
    .updateTable('share')
    .set({ expiresAt: new Date(0) })
    .where('id', '=', 'again')
    .execute()
  t.same(counted(await atOnce(alices, 10, (person) => person.create('again'))), { 201: 1, 400: 9 })
  t.notOk((await row('again'))?.completedAt)
})

t.test('admits as many of 20 concurrent visitors as there are views', async (t) => {
  await alice.share('popular', { 'a.txt': 'a' }, { security: { maxViews: 7 } })
  const answers = await atOnce(visitors, 20, (visitor) => visitor.call('POST', '/popular/token', {}))
  t.equal(counted(answers)[200], 7, 'the others are rejected')
  t.equal((await row('popular'))?.views, 7)
})

t.test('admits as many visitors with a password or a direct download', async (t) => {
  await alice.share('guarded', { 'a.txt': 'a' }, { security: { maxViews: 3, password: 'secret' } })
  const unlocks = await atOnce(visitors, 20, (visitor) => visitor.call('POST', '/guarded/token', { password: 'secret' }))
  t.equal(counted(unlocks)[200], 3)
  const [fileId] = await alice.share('straight', { 'a.txt': 'a' }, { security: { maxViews: 3 } })
  const urls = [`/straight/files/${fileId}`, '/straight/files/zip', '/straight/token']
  const answers = await atOnce(visitors, 21, (visitor, n) =>
    visitor.call(n % 3 === 2 ? 'POST' : 'GET', urls[n % 3]!, n % 3 === 2 ? {} : undefined),
  )
  t.equal(counted(answers)[200], 3)
  t.equal((await row('straight'))?.views, 3)
})

t.test('admits as many of 20 concurrent senders as the link has uses left', async (t) => {
  const links = reversing(first.app, headers)
  const remaining = async () => (await links.mine('rushed')).remainingUses
  await links.link('rushed', { maxUseCount: 3 })
  const sending = (visitor: (typeof visitors)[number], n: number) =>
    visitor.call('POST', '', { id: `rush-${n}`, reverseShareToken: 'rushed' })
  const answers = await atOnce(visitors, 20, sending)
  t.same(counted(answers), { 201: 3, 404: 17 })
  for (const answer of answers) if (answer.statusCode === 404) t.same(refusal(answer), [404, 'reverse_share_not_found'])
  t.equal(await remaining(), 0)
  const made = await ctx.db.selectFrom('share').select(['id', 'uid']).where('id', 'like', 'rush-%').execute()
  t.equal(made.length, 3, 'rejected requests leave nothing')
  await Promise.all(made.map(({ uid }) => ctx.db.deleteFrom('share').where('uid', '=', uid).execute()))
  t.equal(await remaining(), 3, 'each failed upload is refunded once')
})

t.test('leaves a link deleted that is changed while its deletion runs', async (t) => {
  const links = reversing(first.app, headers)
  await links.link('changed')
  const { id, ownerId: userId } = await ctx.db
    .selectFrom('reverseShare')
    .select(['id', 'ownerId'])
    .where('token', '=', 'changed')
    .executeTakeFirstOrThrow()
  const { change } = await ctx.db.transaction().execute(async (tx) => {
    await markReverseShareDeleted(tx, id, { userId, now: new Date() })
    const change = links.call('PATCH', `/${id}`, { shareExpiration: '7-days' })
    await untilWaiting()
    return { change }
  })
  t.same(refusal(await change), [404, 'reverse_share_not_found'])
  t.same(refusal(await visitors[0].call('POST', '', { reverseShareToken: 'changed' })), [404, 'reverse_share_not_found'])
})

t.test('leaves nothing when a link is deleted while others send through it', async (t) => {
  const links = reversing(first.app, headers)
  await links.link('cut-off', { maxUseCount: 20 })
  const { id } = await links.mine('cut-off')
  const sending = (visitor: (typeof visitors)[number], n: number) =>
    visitor.call('POST', '', { id: `cut-${n}`, reverseShareToken: 'cut-off' })
  const [answers, deleted] = await Promise.all([atOnce(visitors, 10, sending), links.call('DELETE', `/${id}`)])
  t.equal(deleted.statusCode, 200)
  for (const { statusCode, body } of answers) t.ok(statusCode === 201 || statusCode === 404, body)
  t.same(await ctx.db.selectFrom('share').select('id').where('id', 'like', 'cut-%').execute(), [])
})

t.test('gives an upload link to one of ten concurrent requests', async (t) => {
  const makers = [reversing(first.app, headers), reversing(second.app, headers)] as const
  t.same(counted(await atOnce(makers, 10, (maker) => maker.make({ token: 'wanted-too' }))), { 201: 1, 400: 9 })
})

t.test('keeps concurrently announced files within the limit', async (t) => {
  await set(ctx, 'share.maxSize', 1000)
  ok(await alice.create('full'))
  t.same(counted(await atOnce(alices, 20, (person, n) => person.announce('full', `${n}`, 150))), { 201: 6, 413: 14 })
  t.equal((await row('full'))?.reserved, 900)
  const files = await ctx.db.selectFrom('file').select('id').where('shareId', '=', 'full').execute()
  t.equal(files.length, 6, 'rejected files leave nothing')
  const removed = await atOnce(alices, 12, (person, n) => person.call('DELETE', `/full/files/${files[n >> 1]!.id}`))
  t.same(counted(removed), { 200: 6, 404: 6 })
  t.equal((await row('full'))?.reserved, 0, 'released once')
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('stores exactly one of many concurrent uploads of a part with different bytes', async (t) => {
  ok(await alice.create('same'))
  const { id } = ok(await alice.announce('same', 'a.bin', 3 * MiB)).json()
  const contents = Array.from({ length: 10 }, () => randomBytes(3 * MiB))
  const answers = await atOnce(alices, 10, (person, n) => person.part('same', id, 1, contents[n]!))
  t.ok(answers.some(({ statusCode }) => statusCode === 200))
  for (const answer of answers) if (answer.statusCode !== 200) t.same(refusal(answer), [409, 'upload_in_progress'])
  const completed = await alice.call('POST', `/same/files/${id}/complete`)
  if (completed.statusCode === 400) {
    t.same(completed.json().missing, [1], 'the recorded copy was displaced and is requested again')
    ok(await alice.part('same', id, 1, contents[0]!))
    ok(await alice.call('POST', `/same/files/${id}/complete`))
  }
  const { objectKey, crc32: sum } = await ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const bytes = Buffer.concat(await (await ctx.storage.read(objectKey)).toArray())
  t.ok(contents.some((content) => content.equals(bytes)))
  t.equal(sum, crc32(bytes))
})

t.test('keeps a file intact when it is completed many times while a part is sent again', async (t) => {
  ok(await alice.create('joined'))
  const bytes = randomBytes(9 * MiB)
  const { id } = ok(await alice.announce('joined', 'a.bin', bytes.length)).json()
  const send = (n: number) => (person: (typeof alices)[number]) =>
    person.part('joined', id, n, bytes.subarray((n - 1) * 8 * MiB, n * 8 * MiB))
  ok(await send(1)(alice))
  ok(await send(2)(alice))
  const sendAgain = send(2)
  const answers = await atOnce(alices, 8, (person, n) => (n < 2 ? sendAgain(person) : person.call('POST', `/joined/files/${id}/complete`)))
  for (const answer of answers.slice(2)) t.equal(answer.statusCode, 200, answer.body)
  for (const answer of answers.slice(0, 2)) t.ok(answer.statusCode === 200 || answer.json().error === 'file_already_complete', answer.body)
  const { objectKey, crc32: sum } = await ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  t.ok(Buffer.concat(await (await ctx.storage.read(objectKey)).toArray()).equals(bytes))
  t.equal(sum, crc32(bytes))
  const [one, ...others] = await atOnce(alices, 6, (person) => person.call('POST', '/joined/complete'))
  t.same(counted([one!, ...others]), { 202: 1, 400: 5 })
  t.equal((await row('joined'))?.revision, 1)
})

t.test('leaves nothing when a share is deleted during an upload', async (t) => {
  for (const what of ['share', 'file'] as const) {
    ok(await alice.create('cut'))
    const { id } = ok(await alice.announce('cut', 'a.bin', 2 * MiB)).json()
    const { objectKey, uploadId } = await ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const sent = begin(port, `/api/shares/cut/files/${id}/parts/1`, { method: 'PUT', headers: { ...headers, 'content-length': 2 * MiB } })
    sent.write(randomBytes(MiB))
    await folderOf(uploadId!)
    ok(await alice.call('DELETE', what === 'share' ? '/cut' : `/cut/files/${id}`))
    await ctx.storage.abort({ key: objectKey, id: uploadId! }) // as the clean-up does
    sent.end(randomBytes(MiB))
    const { status, body } = await replyTo(sent)
    t.equal(status, 404)
    t.equal(JSON.parse(String(body)).error, 'file_not_found')
    t.equal(await ctx.storage.head(objectKey), null)
    t.same(await ctx.db.selectFrom('filePart').select('number').where('fileId', '=', id).execute(), [])
    if (what === 'file') t.equal((await row('cut'))?.reserved, 0)
  }
})

t.test('never fails unexpectedly when announcing, completing and deleting run at once', async (t) => {
  for (let round = 0; round < 5; round++) {
    ok(await alice.create('busy'))
    await alice.file('busy', 'a.txt', 'a')
    const answers = await Promise.all([
      ...(await Promise.all([alices[0].announce('busy', 'b', 0), alices[1].announce('busy', 'c', 5)])),
      alices[1].call('POST', '/busy/complete'),
      alices[0].announce('busy', 'd', 0),
      alices[1].call('DELETE', '/busy'),
      alices[0].call('POST', '/busy/complete'),
    ])
    for (const { statusCode, body } of answers) t.ok(statusCode < 500, body)
    await ctx.db.deleteFrom('share').where('id', '=', 'busy').execute()
  }
  const orphans = await ctx.db.selectFrom('file').select('id').where('shareId', '=', 'busy').execute()
  t.same(orphans, [])
})

t.test('accepts parts of one file at two replicas, and completes it at either', async (t) => {
  ok(await alice.create('both'))
  const bytes = randomBytes(9 * MiB)
  const { id } = ok(await alices[0].announce('both', 'a.bin', bytes.length)).json()
  const other = await listen(second.app)
  const put = (at: number, n: number) => {
    const part = bytes.subarray((n - 1) * 8 * MiB, n * 8 * MiB)
    const path = `/api/shares/both/files/${id}/parts/${n}`
    return fetchWhole(at, path, { method: 'PUT', headers: { ...headers, 'content-length': part.length } }, part)
  }
  t.same(
    (await Promise.all([put(port, 1), put(other, 2)])).map(({ status }) => status),
    [200, 200],
  )
  ok(await alices[1].call('POST', `/both/files/${id}/complete`))
  ok(await alices[0].call('POST', '/both/complete'))
  const answer = ok(await alices[1].call('GET', `/both/files/${id}`))
  t.ok(answer.rawPayload.equals(bytes))
})

t.test('reserves bytes for a chunk and a file of one share at once under a total limit', async (t) => {
  await reversing(first.app, headers).link('capped', { maxTotalSize: '1000' })
  const { sender } = await sending(first.app).send('capped', 'into-capped')
  let answers: Promise<Answer[]> | undefined
  await ctx.db.transaction().execute(async (tx) => {
    await tx.selectFrom('share').select('id').where('id', '=', 'into-capped').forUpdate().execute()
    const chunk = sender.chunk('into-capped', 'a.txt', Buffer.from('a'))
    await untilWaiting()
    answers = Promise.all([chunk, sender.announce('into-capped', 'b.txt', 1)])
    await untilWaiting(2)
  })
  t.same(counted((await answers) ?? []), { 201: 2 })
})

/** Waits until statements wait for locks of rows. */
async function untilWaiting(count = 1): Promise<void> {
  const waiting = sql`select 1 from pg_locks where not granted and locktype in ('transactionid', 'tuple')`
  while ((await waiting.execute(ctx.db)).rows.length < count) await sleep(5)
}

/** Waits until the store has reserved space for the part that is being sent. */
async function folderOf(uploadId: string): Promise<void> {
  const folder = join(ctx.env.dataDir, 'objects', 'tmp', uploadId)
  while (!(await readdir(folder)).includes('1')) await new Promise((resolve) => setTimeout(resolve, 5))
}
