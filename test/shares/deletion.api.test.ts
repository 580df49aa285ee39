import t from 'tap'
import { insertOldLinks } from '../../src/downloads/old-links/queries.ts'
import { remove } from '../../src/shares/deletion/deletion.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { storedFiles } from '../support/app/worker.ts'
import { isClosed } from '../support/closed-share.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

let clock = new Date()
const { app, ctx } = await testApp(t, { now: () => clock })
const rootHeaders = await signUp(app, 'root')
const aliceHeaders = await signUp(app, 'alice')
const root = sharing(app, rootHeaders)
const alice = sharing(app, aliceHeaders)
const bob = sharing(app, await signUp(app, 'bob'))
const links = reversing(app, aliceHeaders)
const visitor = sharing(app)
const { sendFiles } = sending(app)

const wait = (seconds: number) => {
  clock = new Date(clock.getTime() + seconds * 1000)
}
const clean = () => cleanUp(ctx, {}, new AbortController().signal)
const undelete = async (person: typeof alice, ...ids: string[]): Promise<string[]> =>
  ok(await person.call('POST', '/undelete', { ids })).json().ids
const shareIds = async () => (await ctx.db.selectFrom('share').select('id').orderBy('id').execute()).map(({ id }) => id)

t.test('makes a deleted share unreachable on every route at once', async (t) => {
  const [file] = await alice.share('gone', { 'a.txt': 'a' }, { recipients: [] })
  await insertOldLinks(ctx.db, ['gokapi:abc'], { shareId: 'gone' })
  const unlocked = sharing(app, await visitor.unlock('gone'))
  ok(await alice.call('DELETE', '/gone'))
  await isClosed(t, 'gone', file!, { users: [alice, root], unlocked })
  const pageOf = async (id: string) => (await app.inject(`/share/${id}`)).body.replaceAll(id, 'id').replace(/"?nonce"?[=:]"[^"]*"/g, '')
  t.equal(await pageOf('gone'), await pageOf('unknown'), 'its page is that of an unknown share')
  t.equal((await app.inject('/dh/abc/a.txt')).headers.location, '/share/gone', 'an old link reveals no file')
  t.same(ok(await alice.call('GET', '')).json(), [])
  t.same(ok(await root.call('GET', '/all')).json(), [])
  t.same(await undelete(alice, 'gone'), ['gone'])
  t.equal(ok(await visitor.call('GET', `/gone/files/${file}`)).body, 'a')
  t.equal(ok(await alice.call('GET', '')).json().length, 1)
  await ctx.db.deleteFrom('share').execute()
})

t.test('keeps the link of a deleted share for 30 seconds, then deletes the row and the bytes', async (t) => {
  await alice.share('kept', { 'a.txt': 'a' }, { expiration: '7-days' })
  const { expiresAt } = await ctx.db.selectFrom('share').select('expiresAt').executeTakeFirstOrThrow()
  ok(await alice.call('DELETE', '/kept'))
  wait(29)
  await clean()
  for (const person of [alice, bob]) t.same(refusal(await person.create('KEPT')), [400, 'share_id_taken'])
  t.same((await visitor.call('GET', '/isShareIdAvailable/kept')).json(), { isAvailable: false })
  t.same(await undelete(alice, 'kept'), ['kept'])
  t.same((await ctx.db.selectFrom('share').select('expiresAt').executeTakeFirstOrThrow()).expiresAt, expiresAt)
  ok(await alice.call('DELETE', '/kept'))
  wait(31)
  t.same(await undelete(alice, 'kept'), [], 'it is too late')
  t.equal((await storedFiles(ctx)).length, 1)
  await clean()
  t.same(await storedFiles(ctx), [])
  t.same(await shareIds(), [])
  ok(await bob.create('kept'))
  ok(await bob.call('DELETE', '/kept'))
  t.same(await shareIds(), [], 'a share that was never completed is deleted at once')
})

t.test('deletes a share that was completed meanwhile like every completed one', async (t) => {
  ok(await alice.create('late'))
  await alice.file('late', 'a.txt', 'a')
  const share = await ctx.db.selectFrom('share').selectAll().where('id', '=', 'late').executeTakeFirstOrThrow()
  ok(await alice.call('POST', '/late/complete'))
  await t.rejects(remove(ctx, share, { right: 'anonymous creator', userId: undefined }), { code: 'anonymous_share_not_deletable' })
  await remove(ctx, share, { right: 'owner', userId: share.ownerId as string })
  t.same(await undelete(alice, 'late'), ['late'])
  await ctx.db.deleteFrom('share').execute()
})

t.test('lets a new share take the link after 30 seconds, before the clean-up', async (t) => {
  await alice.share('again', { 'a.txt': 'a' })
  ok(await alice.call('DELETE', '/again'))
  wait(30)
  t.same((await visitor.call('GET', '/isShareIdAvailable/again')).json(), { isAvailable: true })
  ok(await bob.create('again'))
  t.same(await undelete(alice, 'again'), [])
  ok(await bob.call('DELETE', '/again'))
})

t.test('lets only the account that deleted a share restore it', async (t) => {
  await alice.share('mine', { 'a.txt': 'a' })
  ok(await root.call('DELETE', '/mine'))
  for (const person of [alice, bob]) t.same(await undelete(person, 'mine'), [])
  t.same(refusal(await visitor.call('POST', '/undelete', { ids: ['mine'] })), [401, 'unauthorized'])
  t.same(await undelete(root, 'mine', 'unknown'), ['mine'])
  t.same(await undelete(root, 'mine'), [], 'once')
  ok(await visitor.call('POST', '/mine/token', {}))
  for (const body of [{}, { ids: [] }, { ids: ['mine'], more: 1 }, { ids: Array(201).fill('mine') }]) {
    for (const path of ['/delete', '/undelete']) t.equal((await alice.call('POST', path, body)).statusCode, 400)
  }
  ok(await alice.call('DELETE', '/mine'))
})

t.test('does not restore a share that has expired meanwhile', async (t) => {
  await set(ctx, 'share.graceDays', 0)
  await alice.share('brief', { 'a.txt': 'a' }, { expiration: '1-minute' })
  wait(50)
  ok(await alice.call('DELETE', '/brief'))
  wait(11)
  t.same(await undelete(alice, 'brief'), [])
  await set(ctx, 'share.graceDays', 7)
})

t.test('deletes and restores many own shares at once, and no others', async (t) => {
  for (const id of ['many-1', 'many-2']) await alice.share(id, { 'a.txt': 'a' })
  await bob.share('many-3', { 'a.txt': 'a' })
  ok(await alice.create('many-4'))
  await links.link('inbox')
  await sendFiles('inbox', 'many-5', { 'a.txt': 'a' })
  const ids = [1, 2, 3, 4, 5, 6].map((n) => `many-${n}`)
  t.same(
    ok(await alice.call('POST', '/delete', { ids }))
      .json()
      .ids.sort(),
    ['many-1', 'many-2', 'many-5'],
  )
  t.same(ok(await alice.call('POST', '/delete', { ids })).json().ids, [])
  t.same((await undelete(alice, ...ids)).sort(), ['many-1', 'many-2', 'many-5'])
  t.equal((await links.mine('inbox')).shares.length, 1)
})

t.test('counts a deleted share towards the quota until it can not be restored', async (t) => {
  const carol = sharing(app, await signUp(app, 'carol'))
  await carol.share('full', { 'a.bin': Buffer.alloc(900) })
  await set(ctx, 'share.maxUserSize', 1000)
  ok(await carol.call('DELETE', '/full'))
  ok(await carol.create('next'))
  t.same(refusal(await carol.announce('next', 'b.bin', 500)), [413, 'storage_quota_exceeded'])
  wait(30)
  await clean()
  ok(await carol.announce('next', 'b.bin', 500))
  await set(ctx, 'share.maxUserSize', 0)
})

t.test('restores an upload link with the shares that were deleted with it', async (t) => {
  await links.link('requests', { maxUseCount: 9, shareExpiration: '7-days' })
  for (const n of [1, 2]) await sendFiles('requests', `sent-${n}`, { 'a.txt': 'a' })
  const { id } = await links.mine('requests')
  ok(await alice.call('DELETE', '/sent-1'))
  wait(1)
  ok(await links.call('DELETE', `/${id}`))
  t.same(refusal(await visitor.call('POST', '', { reverseShareToken: 'requests' })), [404, 'reverse_share_not_found'])
  t.same(refusal(await alice.call('GET', '/sent-2')), [404, 'share_not_found'])
  t.same(refusal(await links.call('GET', `/${id}/shares`)), [404, 'reverse_share_not_found'])
  t.same(refusal(await reversing(app, rootHeaders).call('POST', `/${id}/undelete`)), [404, 'reverse_share_not_found'])
  t.equal((await links.call('POST', `/${id}/undelete`)).statusCode, 204)
  t.same(
    (await links.mine('requests')).shares.map(({ id }) => id),
    ['sent-2'],
  )
  t.same(await undelete(alice, 'sent-1'), ['sent-1'])
  ok(await links.call('DELETE', `/${id}`))
  wait(31)
  t.same(refusal(await links.call('POST', `/${id}/undelete`)), [404, 'reverse_share_not_found'])
  await clean()
  t.same(await ctx.db.selectFrom('reverseShare').select('id').where('token', '=', 'requests').execute(), [])
  t.notOk((await shareIds()).some((id) => id.startsWith('sent-')))
})
