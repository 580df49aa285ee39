import t from 'tap'
import { insertOldLinks } from '../../src/downloads/old-links/queries.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { age } from '../support/aging.ts'
import { testApp } from '../support/app/app.ts'
import { storedFiles } from '../support/app/worker.ts'
import { isClosed } from '../support/closed-share.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const secret = { security: { password: 'secret' } }
const undo = 31 // s

const { app, ctx } = await testApp(t)
const root = sharing(app, await signUp(app, 'root'))
const aliceHeaders = await signUp(app, 'alice')
const alice = sharing(app, aliceHeaders)
const bob = sharing(app, await signUp(app, 'bob'))
const links = reversing(app, aliceHeaders)
const visitor = sharing(app)
const { sendFiles } = sending(app)

const wait = (seconds: number) => age(ctx, seconds)
/** Whether a time is in that many seconds, give or take a minute. */
const isIn = (seconds: number, iso: string) => Math.abs(Date.parse(iso) - Date.now() - seconds * 1000) < minute * 1000
const clean = () => cleanUp(ctx, {}, new AbortController().signal)
const shareIds = async () => (await ctx.db.selectFrom('share').select('id').orderBy('id').execute()).map(({ id }) => id)
const expired = async (person = alice): Promise<string[]> =>
  ok(await person.call('GET', '?filter=expired'))
    .json()
    .map(({ id }: { id: string }) => id)
const idsOf = async (person: typeof alice, path: string, ids: string[], more: object = {}): Promise<string[]> =>
  ok(await person.call('POST', path, { ids, ...more })).json().ids
const reopen = (person: typeof alice, id: string) => idsOf(person, '/extend', [id], { expiration: '1-day' })

t.afterEach(async () => {
  await ctx.db.deleteFrom('share').execute()
})

t.test('closes an expired share on every route at once, and keeps its bytes and its link', async (t) => {
  const [file] = await alice.share('kept', { 'a.txt': 'a' }, { expiration: '1-hour' })
  await insertOldLinks(ctx.db, ['gokapi:abc'], { shareId: 'kept' })
  const unlocked = sharing(app, await visitor.unlock('kept'))
  await wait(hour)
  await clean()
  await isClosed(t, 'kept', file!, { users: [alice, root], unlocked })
  t.equal((await app.inject('/dh/abc/a.txt')).headers.location, '/share/kept', 'an old link reveals no file')
  t.equal((await storedFiles(ctx)).length, 1)
  t.same(ok(await alice.call('GET', '')).json(), [])
  t.same(ok(await root.call('GET', '/all')).json(), [])
  t.same((await visitor.call('GET', '/isShareIdAvailable/KEPT')).json(), { isAvailable: false })
  for (const person of [alice, bob]) t.same(refusal(await person.create('KEPT')), [400, 'share_id_taken'])
})

t.test('shows only to the owner when an expired share is deleted', async (t) => {
  await alice.share('late', { 'a.txt': 'a' }, { expiration: '1-hour', ...secret })
  await alice.share('hidden', { 'a.txt': 'a' }, { expiration: '1-hour' })
  ok(await alice.call('PATCH', '/hidden', { publicAccess: false }))
  await wait(hour + 1)
  for (const url of ['/late', '/late/from-owner']) {
    const refused = (await alice.call('GET', url)).json()
    t.match(refused, { error: 'share_not_found', expired: true })
    t.ok(isIn(7 * day, refused.keptUntil))
  }
  for (const person of [visitor, bob, root]) {
    const answer = (await person.call('GET', '/late')).json()
    t.match(answer, { error: 'share_not_found', expired: true })
    t.notOk('keptUntil' in answer)
    t.notOk('expired' in (await person.call('GET', '/hidden')).json(), 'a private share looks like an unknown one')
  }
  const { keptUntil } = (await alice.call('GET', '/hidden')).json()
  t.ok(isIn(7 * day, keptUntil))
  const [listed] = ok(await alice.call('GET', '?filter=expired&search=late')).json()
  t.match(listed, { id: 'late', size: 1, fileCount: 1 })
  t.ok(isIn(7 * day, listed.keptUntil))
  t.same((await expired()).sort(), ['hidden', 'late'])
  for (const person of [bob, root]) t.same(await expired(person), [])
})

t.test('reopens an expired share within the limits', async (t) => {
  const [file] = await alice.share('again', { 'a.txt': 'a' }, { expiration: '1-hour' })
  await wait(6 * day)
  for (const person of [bob, root]) t.same(await reopen(person, 'again'), [])
  await set(ctx, 'share.maxExpiration', 24)
  t.same(refusal(await alice.call('POST', '/extend', { ids: ['again'], expiration: '2-days' })), [400, 'expiration_exceeds_maximum'])
  await set(ctx, 'share.maxExpiration', 0)
  t.same(await reopen(alice, 'again'), ['again'])
  t.equal(ok(await visitor.call('GET', `/again/files/${file}`)).body, 'a')
  const [listed] = ok(await alice.call('GET', '')).json()
  t.match(listed, { id: 'again', keptUntil: null })
  t.ok(isIn(day, listed.expiration))
  t.same(await expired(), [])
  await wait(day)
  t.same(refusal(await visitor.call('GET', `/again/files/${file}`)), [404, 'share_not_found'])
  t.same(await expired(), ['again'])
})

t.test('deletes an expired share after its grace, which the setting decides at once', async (t) => {
  await alice.share('gone', { 'a.txt': 'a' }, { expiration: '1-hour' })
  await wait(hour + 7 * day)
  t.same(await expired(), [])
  t.same(await reopen(alice, 'gone'), [], 'also before the clean-up')
  t.same((await visitor.call('GET', '/isShareIdAvailable/gone')).json(), { isAvailable: true })
  t.notOk('expired' in (await alice.call('GET', '/gone')).json())
  await set(ctx, 'share.graceDays', 8)
  t.same(await expired(), ['gone'])
  await set(ctx, 'share.graceDays', 7)
  await clean()
  t.same([await shareIds(), await storedFiles(ctx)], [[], []])

  await alice.share('other', { 'a.txt': 'a' }, { expiration: '1-hour' })
  await wait(hour)
  await set(ctx, 'share.graceDays', 0)
  t.same([await expired(), await reopen(alice, 'other')], [[], []])
  ok(await bob.create('other'))
  await set(ctx, 'share.graceDays', 7)
})

t.test('deletes expired shares that no one can reopen', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const created = await visitor.create('anonymous', { expiration: '1-hour' })
  const guest = sharing(app, { cookie: created.cookies.map(({ name, value }) => `${name}=${value}`).join('; ') })
  await guest.file('anonymous', 'a.txt', 'a')
  ok(await guest.call('POST', '/anonymous/complete'))
  ok(await alice.create('uncompleted', { expiration: '1-hour' }))
  await wait(hour)
  await clean()
  t.same(await shareIds(), [])
  await set(ctx, 'share.allowUnauthenticatedShares', false)
})

t.test('deletes an expired share now, and can undo it', async (t) => {
  await alice.share('over', { 'a.txt': 'a' }, { expiration: '1-hour' })
  await wait(2 * hour)
  t.same(await idsOf(bob, '/delete', ['over']), [])
  t.same(await idsOf(alice, '/delete', ['over']), ['over'])
  t.same(await expired(), [])
  t.same(await reopen(alice, 'over'), [])
  t.notOk('expired' in (await alice.call('GET', '/over')).json())
  t.same(await idsOf(alice, '/undelete', ['over']), ['over'])
  const [listed] = ok(await alice.call('GET', '?filter=expired')).json()
  t.ok(isIn(7 * day - hour, listed.keptUntil))
  t.same(await idsOf(alice, '/delete', ['over']), ['over'])
  await wait(undo)
  await clean()
  t.same([await shareIds(), await storedFiles(ctx)], [[], []])
})

t.test('restores a share that expires while its deletion can be undone', async (t) => {
  await alice.share('brief', { 'a.txt': 'a' }, { expiration: '1-minute' })
  await wait(50)
  ok(await alice.call('DELETE', '/brief'))
  await wait(11)
  t.same(await idsOf(alice, '/undelete', ['brief']), ['brief'])
  t.same(await expired(), ['brief'])
})

t.test('lets the receiver reopen a share, and not its sender', async (t) => {
  await links.link('inbox', { shareExpiration: '1-hour', maxUseCount: 9 })
  await sendFiles('inbox', 'sent', { 'a.txt': 'a' })
  const byBob = await bob.call('POST', '', { id: 'by-bob', reverseShareToken: 'inbox' })
  ok(byBob)
  await bob.file('by-bob', 'a.txt', 'a')
  ok(await bob.call('POST', '/by-bob/complete'))
  await wait(hour)
  await clean()
  t.same((await expired()).sort(), ['by-bob', 'sent'])
  t.same(await expired(bob), [])
  t.same(await reopen(bob, 'by-bob'), [])
  const { keptUntil } = (await bob.call('GET', '/by-bob')).json()
  t.equal(keptUntil, undefined)
  for (const id of ['sent', 'by-bob']) t.same(await reopen(alice, id), [id])
  t.same(await reopen(alice, 'sent'), [], 'its reverse share sets the expiration of an open one')
  t.equal(ok(await alice.call('GET', '?filter=received')).json().length, 2)
  ok(await alice.call('POST', '/sent/adopt', {}))
})

t.test('counts an expired share towards the quota until it is deleted', async (t) => {
  await alice.share('full', { 'a.bin': Buffer.alloc(900) }, { expiration: '1-hour' })
  await set(ctx, 'share.maxUserSize', 1000)
  await wait(hour)
  ok(await alice.create('next'))
  t.same(refusal(await alice.announce('next', 'b.bin', 500)), [413, 'storage_quota_exceeded'])
  t.same(await idsOf(alice, '/delete', ['full']), ['full'])
  await wait(undo)
  await clean()
  ok(await alice.announce('next', 'b.bin', 500))
  await set(ctx, 'share.maxUserSize', 0)
})
