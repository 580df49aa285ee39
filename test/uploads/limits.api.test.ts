import { statfs } from 'node:fs/promises'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { file, form, formType, text } from '../support/form.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const { app, ctx, database } = await testApp(t, { queue: waitingJobs() })
const { app: other } = await testApp(t, { database, storage: ctx.storage })
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const elsewhere = sharing(other, headers)
const filesOf = async (shareId: string) => {
  const rows = await ctx.db.selectFrom('file').select('id').where('shareId', '=', shareId).execute()
  return rows.length
}
const chunk = (id: string, name: string) => alice.chunk(id, name, Buffer.alloc(0))

t.test('applies share.maxFiles to files announced at once on two replicas, including empty ones', async (t) => {
  await set(ctx, 'share.maxFiles', 5)
  ok(await alice.create('many'))
  const tries = Array.from({ length: 12 }, (_, n) => (n % 2 ? alice : elsewhere).announce('many', `${n}`, n % 3))
  const answers = await Promise.all(tries)
  t.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 5)
  const refused = answers.find(({ statusCode }) => statusCode !== 201)!
  t.match([...refusal(refused), refused.json().limit], [413, 'too_many_files', 5])
  t.equal(await filesOf('many'), 5)
  t.same(refusal(await chunk('many', 'chunked')), [413, 'too_many_files'])
  const [first] = answers.filter(({ statusCode }) => statusCode === 201)
  ok(await alice.call('DELETE', `/many/files/${first!.json().id}`))
  ok(await chunk('many', 'chunked'))
  t.same(refusal(await alice.announce('many', 'more', 1)), [413, 'too_many_files'])
})

t.test('limits the names of all files of a share together, also by forms and by renaming', async (t) => {
  await set(ctx, 'share.maxFiles', 250) // 100,000 bytes of names
  const longName = (n: number) => `${Array.from({ length: 16 }, () => 'x'.repeat(240)).join('/')}/${n}` // 3,857 bytes and more
  const tooLong = { statusCode: 400, error: 'file_name_invalid', rule: 'names_too_long_together', max: 100_000 }
  ok(await alice.create('names'))
  const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? alice : elsewhere).announce('names', longName(n), 0)))
  t.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 25)
  t.match(replies.find(({ statusCode }) => statusCode !== 201)?.json(), tooLong)
  const short = ok(await alice.announce('names', 'short', 0)).json()
  t.match((await alice.call('PATCH', `/names/files/${short.id}`, { name: longName(99) })).json(), tooLong)
  const first = replies.find(({ statusCode }) => statusCode === 201)?.json()
  ok(await alice.call('DELETE', `/names/files/${first.id}`))
  ok(await alice.call('PATCH', `/names/files/${short.id}`, { name: longName(99) }))
  const sent = form(...Array.from({ length: 30 }, (_, n) => file(longName(n), '')))
  const reply = await app.inject({ method: 'POST', url: '/api/upload', headers: { ...headers, ...formType }, payload: sent })
  t.match(reply.json(), tooLong)
})

t.test('applies share.maxFiles to forms, edits, and restored files', async (t) => {
  await set(ctx, 'share.maxFiles', 2)
  const send = (...names: string[]) =>
    app.inject({
      method: 'POST',
      url: '/api/upload',
      headers: { ...headers, ...formType },
      payload: form(text('name', 'x'), ...names.map((name) => file(name, ''))),
    })
  t.same(refusal(await send('a', 'b', 'c')), [413, 'too_many_files'])
  ok(await send('a', 'b'))
  const [kept] = await alice.share('edited', { a: 'a', b: 'b' })
  ok(await alice.call('DELETE', '/edited/complete'))
  t.same(refusal(await alice.announce('edited', 'c', 0)), [413, 'too_many_files'])
  ok(await alice.call('DELETE', `/edited/files/${kept}`))
  ok(await alice.announce('edited', 'c', 0))
  t.same(refusal(await alice.call('POST', `/edited/files/${kept}/restore`)), [413, 'too_many_files'])
  ok(await alice.call('POST', '/edited/restore'))
  ok(await alice.call('DELETE', '/edited/complete'))
  t.same(refusal(await alice.announce('edited', 'c', 0)), [413, 'too_many_files'], 'counted again')
})

t.test('applies share.maxFiles to a reverse share', async (t) => {
  await reversing(app, headers).link('few')
  const { answer, sender } = await sending(app).send('few', 'sent')
  ok(answer)
  for (const name of ['a', 'b']) ok(await sender.announce('sent', name, 0))
  t.same(refusal(await sender.announce('sent', 'c', 0)), [413, 'too_many_files'])
  await set(ctx, 'share.maxFiles', 10_000)
})

t.test('applies share.maxUserSize to all shares of a user together, including received ones', async (t) => {
  const bob = await signUp(app, 'bob')
  await set(ctx, 'share.maxUserSize', 1000)
  for (const id of ['bob1', 'bob2']) ok(await sharing(app, bob).create(id))
  const answers = await Promise.all(
    ['bob1', 'bob2', 'bob1', 'bob2'].map((id, n) => sharing(n % 2 ? app : other, bob).announce(id, `${n}`, 300)),
  )
  t.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 3)
  const refused = answers.find(({ statusCode }) => statusCode !== 201)!
  t.match([...refusal(refused), refused.json().max], [413, 'storage_quota_exceeded', 1000])
  await reversing(app, bob).link('tobob')
  const { sender } = await sending(app).send('tobob', 'for-bob')
  t.same(refusal(await sender.announce('for-bob', 'a', 101)), [413, 'storage_quota_exceeded'])
  ok(await sender.announce('for-bob', 'a', 100))
  const form101 = { method: 'POST', url: '/api/upload', headers: { ...bob, ...formType }, payload: form(file('a', 'x')) } as const
  t.same(refusal(await app.inject(form101)), [413, 'storage_quota_exceeded'])
  await set(ctx, 'share.maxUserSize', 0)
  ok(await app.inject(form101))
})

t.test('keeps the room of files that discarding edits restores, and lets their own share use it', async (t) => {
  const dora = sharing(app, await signUp(app, 'dora'))
  await set(ctx, 'share.maxUserSize', 1000)
  const [file] = await dora.share('dora1', { a: 'x'.repeat(600) })
  ok(await dora.create('dora2'))
  ok(await dora.call('DELETE', '/dora1/complete'))
  ok(await dora.call('DELETE', `/dora1/files/${file}`))
  t.same(refusal(await dora.announce('dora2', 'b', 600)), [413, 'storage_quota_exceeded'])
  ok(await dora.announce('dora1', 'a', 900))
  ok(await dora.call('POST', '/dora1/restore'))
  ok(await dora.announce('dora2', 'b', 400))
  await set(ctx, 'share.maxUserSize', 0)

  await reversing(app, headers).link('capped', { maxUseCount: null, maxTotalSize: '1000' })
  const { sender, ids } = await sending(app).sendFiles('capped', 'capped1', { a: 'x'.repeat(600) })
  const { sender: second } = await sending(app).send('capped', 'capped2')
  ok(await sender.call('DELETE', '/capped1/complete'))
  ok(await sender.call('DELETE', `/capped1/files/${ids[0]}`))
  t.same(refusal(await second.announce('capped2', 'b', 600)), [413, 'reverse_share_full'])
  ok(await sender.announce('capped1', 'a', 900))
})

t.test('rejects a file that no longer fits on the disk when announced, also of two at once', async (t) => {
  const { bavail, bsize } = await statfs(ctx.env.dataDir)
  const size = Math.floor(bavail * bsize * 0.6)
  await set(ctx, 'share.maxSize', Number.MAX_SAFE_INTEGER)
  ok(await alice.create('disk'))
  ok(await alice.create('disk2'))
  const [one, two] = await Promise.all([alice.announce('disk', 'a', size), elsewhere.announce('disk2', 'b', size)])
  t.same([one.statusCode, two.statusCode].sort(), [201, 507])
  const [kept, refused] = one.statusCode === 201 ? [one, two] : [two, one]
  t.same(refusal(refused), [507, 'insufficient_storage'])
  const share = one === kept ? 'disk' : 'disk2'
  t.equal((await filesOf('disk')) + (await filesOf('disk2')), 1, 'nothing is left of the other')
  t.same(refusal(await alice.announce(share, 'c', size)), [507, 'insufficient_storage'])
  const { reserved } = await ctx.db.selectFrom('share').select('reserved').where('id', '=', share).executeTakeFirstOrThrow()
  t.equal(reserved, size)
  ok(await alice.call('DELETE', `/${share}/files/${kept.json().id}`))
  const again = ok(await alice.announce(share, 'c', size)).json()
  ok(await alice.call('DELETE', `/${share}/files/${again.id}`))
})

t.test('limits unfinished files and open shares by account, across replicas', async (t) => {
  const carol = await signUp(app, 'carol')
  const calls = [sharing(app, carol), sharing(other, carol)]
  ok(await calls[0]!.create('carol0'))
  const files = Array.from({ length: 998 }, (_, n) => ({
    shareId: 'carol0',
    name: `${n}`,
    size: 1,
    objectKey: `shares/none/${n}`,
    partSize: 1,
    partCount: 1,
  }))
  await ctx.db.insertInto('file').values(files).execute()
  ok(await calls[0]!.create('carol1'))
  const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => calls[n % 2]!.announce('carol1', `${n}`, 1)))
  t.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 2)
  const refused = answers.find(({ statusCode }) => statusCode !== 201)!
  t.match([...refusal(refused), refused.json().limit, refused.headers['retry-after']], [429, 'too_many_open_uploads', 1000, '60'])
  await ctx.db.deleteFrom('file').where('shareId', '=', 'carol0').execute()
  ok(await calls[0]!.announce('carol1', 'more', 1))
  for (let n = 2; n < 97; n++) ok(await calls[0]!.create(`carol${n}`))
  const last = await Promise.all(Array.from({ length: 6 }, (_, n) => calls[n % 2]!.create(`last${n}`)))
  t.equal(last.filter(({ statusCode }) => statusCode === 201).length, 3)
  t.same(refusal(last.find(({ statusCode }) => statusCode !== 201)!), [429, 'too_many_open_uploads'])
  ok(await calls[0]!.call('DELETE', '/carol5'))
  ok(await calls[0]!.create('carol5'))
})

t.test('limits open shares without an account by address, and deletes the address on completion', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const create = (id: string, remoteAddress: string) =>
    app.inject({ method: 'POST', url: '/api/shares', remoteAddress, payload: { id, expiration: '1-day' } })
  for (let n = 0; n < 100; n++) ok(await create(`anon${n}`, '2001:db8:1:2::1'))
  t.same(refusal(await create('over', '2001:db8:1:2::99')), [429, 'too_many_open_uploads'], 'the same network')
  ok(await create('free', '2001:db8:1:3::1'))
  const from = async (id: string) =>
    (await ctx.db.selectFrom('share').select('openedFrom').where('id', '=', id).executeTakeFirstOrThrow()).openedFrom
  t.equal(await from('free'), '2001:db8:1:3::/64')
  const sent = ok(
    await app.inject({ method: 'POST', url: '/api/upload', headers: formType, remoteAddress: '192.0.2.9', payload: form(file('a', 'x')) }),
  )
  t.equal(await from(sent.json().id), null)
  await cleanUp(ctx, {}, new AbortController().signal)
})

t.test('rejects a part that contradicts its Content-Range, and keeps one that agrees', async (t) => {
  ok(await alice.create('ranged'))
  const { id, partSize } = ok(await alice.announce('ranged', 'a', 8_388_608 + 5)).json()
  const last = Buffer.from('12345')
  for (const range of [
    `bytes 0-4/${partSize + 5}`,
    `bytes ${partSize}-${partSize + 5}/*`,
    `bytes ${partSize}-${partSize + 4}/5`,
    'bytes */5',
    'lines 1-2/3',
  ]) {
    const answer = await alice.part('ranged', id, 2, last, { 'content-range': range })
    t.same(refusal(answer), [400, 'validation_failed'], range)
    t.equal(answer.json().issues[0].path, 'content-range')
  }
  t.same(ok(await alice.call('GET', `/ranged/files/${id}/parts`)).json().parts, [])
  for (const total of [partSize + 5, '*'])
    ok(await alice.part('ranged', id, 2, last, { 'content-range': `bytes ${partSize}-${partSize + 4}/${total}` }))
  const send = (range: string) =>
    app.inject({
      method: 'POST',
      url: '/api/shares/ranged/files?name=b&chunkIndex=0&totalChunks=1',
      headers: { ...headers, 'content-type': 'application/octet-stream', 'content-range': range },
      payload: last,
    })
  t.same(refusal(await send('bytes 5-9/10')), [400, 'validation_failed'])
  ok(await send('bytes 0-4/5'))
})
