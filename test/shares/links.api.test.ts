import { sql } from 'kysely'
import t from 'tap'
import type { Activity } from '../../src/shares/activity/contract.ts'
import { deleteExpiredShares } from '../../worker/clean-up-queries.ts'
import { testApp } from '../support/app/app.ts'
import { eventually } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, ok, refusal, sharing } from '../support/sharing.ts'

let clock = new Date('2026-03-01T10:00:00.000Z')
const { app, ctx } = await testApp(t, { now: () => clock })
const alice = sharing(app, await signUp(app, 'alice'))
const bob = sharing(app, await signUp(app, 'bob'))
const visitor = sharing(app)
const never = '1970-01-01T00:00:00.000Z'
async function add(id: string, rules: object = {}) {
  clock = new Date(clock.getTime() + 1000)
  return ok(await alice.call('POST', `/${id}/links`, rules)).json()
}
const change = async (id: string, link: string, rules: object) => ok(await alice.call('PATCH', `/${id}/links/${link}`, rules)).json()

t.test('lists the first link, and those that are added, with their rules', async (t) => {
  await alice.share('listed', { 'a.txt': 'a' }, { expiration: 'never', security: { maxViews: 5 } })
  const first = {
    id: 'listed',
    link: 'http://localhost:3000/share/listed',
    first: true,
    label: null,
    hasPassword: false,
    expiration: never,
    maxViews: 5,
    views: 0,
    maxDownloads: null,
    downloads: 0,
    enabled: true,
    state: 'open',
    createdAt: clock.toISOString(),
  }
  t.match(ok(await alice.call('GET', '/listed/links')).json(), [{ ...first, link: /\/share\/listed$/ }])
  const rules = { id: 'for-bob', label: 'Bob', password: 'secret', expiration: '1-hour', maxViews: 1, maxDownloads: 2, enabled: false }
  const added = await alice.call('POST', '/listed/links', rules)
  t.equal(added.statusCode, 201)
  t.match(added.json(), {
    id: 'for-bob',
    first: false,
    label: 'Bob',
    hasPassword: true,
    expiration: '2026-03-01T11:00:00.000Z',
    state: 'off',
  })
  t.match(await add('listed'), { id: /^\w{12}$/, first: false, label: null, expiration: never, maxViews: null, state: 'open' })
  const all = ok(await alice.call('GET', '/listed/links')).json()
  t.equal(all.length, 3)
  t.same(all[1], added.json())
})

t.test('opens a share through each link, by its own rules', async (t) => {
  const [fileId] = await alice.share('ruled', { 'a.txt': 'hello' }, { security: { password: 'first password' } })
  await add('ruled', { id: 'ruled-open' })
  await add('ruled', { id: 'ruled-locked', password: 'its own password', maxViews: 1 })
  t.same(refusal(await visitor.call('GET', '/ruled')), [403, 'share_password_required'])
  t.equal(ok(await visitor.call('GET', `/ruled-open/files/${fileId}`)).body, 'hello')
  t.same(refusal(await visitor.call('GET', `/ruled-locked/files/${fileId}`)), [403, 'share_password_required'])
  t.same(refusal(await visitor.call('POST', '/ruled-locked/token', { password: 'first password' })), [403, 'wrong_password'])
  const unlocked = await visitor.unlock('ruled-locked', 'its own password')
  const page = ok(await visitor.call('GET', '/ruled-locked', undefined, unlocked)).json()
  t.match(page, { id: 'ruled-locked', hasPassword: true, files: [{ id: fileId }] })
  t.notMatch(JSON.stringify(page), /"ruled"/, 'the id of the share is not revealed')
  t.same(refusal(await visitor.call('POST', '/ruled-locked/token', { password: 'its own password' })), [403, 'share_max_views_exceeded'])
  const counts = ok(await alice.call('GET', '/ruled/links')).json()
  t.match(counts, [
    { id: 'ruled', views: 0 },
    { id: 'ruled-open', views: 1 },
    { id: 'ruled-locked', views: 1, state: 'used' },
  ])
})

t.test('unlocks only the link that was opened', async (t) => {
  const [fileId] = await alice.share('keys', { 'a.txt': 'a' }, { security: { password: 'password' } })
  await add('keys', { id: 'keys-2', password: 'password' })
  const cookie = (await visitor.unlock('keys-2', 'password')).cookie!
  const renamed = { cookie: cookie.replace('share_keys-2_token', 'share_keys_token') }
  for (const url of ['/keys', `/keys/files/${fileId}`, '/keys/files/zip', '/keys/metaData', `/keys/files/${fileId}/thumbnail`])
    t.same(refusal(await visitor.call('GET', url, undefined, renamed)), [403, 'share_password_required'], url)
  t.equal((await visitor.call('GET', '/keys-2', undefined, { cookie })).statusCode, 200)
  await change('keys', 'keys-2', { password: 'another one' })
  t.same(refusal(await visitor.call('GET', '/keys-2', undefined, { cookie })), [403, 'share_password_required'])
})

t.test('returns every kind of bytes through a link', async (t) => {
  const [fileId] = await alice.share('kinds', { 'd/a.txt': 'a', 'b.txt': 'b' })
  await add('kinds', { id: 'kinds-2' })
  const headers = await visitor.unlock('kinds-2')
  const { url } = ok(await visitor.call('POST', '/kinds-2/selections', { files: [fileId] }, headers)).json()
  t.match(url, '/api/shares/kinds-2/files/zip?selection=')
  t.equal((await visitor.call('GET', url.replace('/api/shares', ''), undefined, headers)).statusCode, 200)
  t.match(ok(await visitor.call('GET', '/kinds-2/metaData', undefined, headers)).json(), { id: 'kinds-2' })
  t.notMatch(ok(await visitor.call('GET', '/kinds-2/files/zip?folder=d', undefined, headers)).headers['content-disposition'], 'kinds.zip')
  t.equal((await visitor.call('HEAD', '/kinds-2/files/zip', undefined, headers)).statusCode, 200)
})

t.test('turns off each link, but not for its owner', async (t) => {
  const [fileId] = await alice.share('off', { 'a.txt': 'a' })
  await add('off', { id: 'off-2' })
  t.match(await change('off', 'off', { enabled: false, label: 'Everyone' }), {
    first: true,
    enabled: false,
    state: 'off',
    label: 'Everyone',
  })
  for (const url of ['/off', `/off/files/${fileId}`, '/off/files/zip'])
    t.same(refusal(await visitor.call('GET', url)), [404, 'link_turned_off'], url)
  t.same(refusal(await visitor.call('POST', '/off/token', {})), [404, 'link_turned_off'])
  t.equal((await alice.call('GET', `/off/files/${fileId}`)).statusCode, 200)
  t.equal((await visitor.call('GET', `/off-2/files/${fileId}`)).statusCode, 200)
  await change('off', 'off-2', { enabled: false })
  t.same(refusal(await visitor.call('GET', `/off-2/files/${fileId}`)), [404, 'link_turned_off'])
  await change('off', 'off-2', { enabled: true })
  t.equal((await visitor.call('GET', `/off-2/files/${fileId}`)).statusCode, 200)
})

t.test('has one expiration for the share and its first link, which only the share can change', async (t) => {
  await alice.share('first-end', { 'a.txt': 'a' }, { expiration: '1-day' })
  const refused = await alice.call('PATCH', '/first-end/links/first-end', { expiration: 'never' })
  t.match(refused.json(), { error: 'validation_failed', issues: [{ path: 'expiration' }] })
  t.not((await ctx.db.selectFrom('share').select('expiresAt').where('id', '=', 'first-end').executeTakeFirstOrThrow()).expiresAt, null)
})

t.test('closes a link when it expires, and all when the share does', async (t) => {
  const start = clock
  await alice.share('ending', { 'a.txt': 'a' }, { expiration: '1-day' })
  await add('ending', { id: 'ending-soon', expiration: '1-hour' })
  await add('ending', { id: 'ending-late', expiration: '1-year' })
  const headers = await visitor.unlock('ending-late')
  const { expiration } = ok(await visitor.call('GET', '/ending-late', undefined, headers)).json()
  t.equal(expiration, new Date(start.getTime() + 86_400_000).toISOString(), 'visitors see when it ends')
  clock = new Date(start.getTime() + 2 * 3_600_000)
  t.same(refusal(await visitor.call('POST', '/ending-soon/token', {})), [404, 'share_not_found'])
  t.equal((await visitor.call('POST', '/ending-late/token', {})).statusCode, 200)
  clock = new Date(start.getTime() + 25 * 3_600_000)
  t.same(refusal(await visitor.call('POST', '/ending-late/token', {})), [404, 'share_not_found'])
  clock = start
})

t.test('replaces a link: the old one stops, and its limits remain', async (t) => {
  await alice.share('replaced', { 'a.txt': 'a' }, { security: { password: 'password', maxViews: 3 } })
  const headers = await visitor.unlock('replaced', 'password')
  const second = ok(await alice.call('POST', '/replaced/links/replaced/replace', {})).json()
  t.match(second, { first: false, hasPassword: true, maxViews: 3, views: 1, state: 'open' })
  t.same(refusal(await visitor.call('GET', '/replaced', undefined, headers)), [404, 'link_turned_off'])
  t.equal((await visitor.call('POST', `/${second.id}/token`, { password: 'password' })).statusCode, 200)
  const old = cookiesOf(ok(await visitor.call('POST', `/${second.id}/token`, { password: 'password' })))
  t.match(ok(await alice.call('POST', `/replaced/links/${second.id}/replace`, { id: 'third-id' })).json(), { id: 'third-id', views: 3 })
  t.same(refusal(await visitor.call('GET', `/${second.id}`, undefined, old)), [404, 'share_not_found'])
  const forged = { cookie: old.cookie!.replace(`share_${second.id}_token`, 'share_third-id_token') }
  t.same(refusal(await visitor.call('GET', '/third-id', undefined, forged)), [403, 'share_password_required'])
})

t.test('deletes further links, and all with the share', async (t) => {
  await alice.share('deleted', { 'a.txt': 'a' })
  await add('deleted', { id: 'deleted-2' })
  await add('deleted', { id: 'deleted-3' })
  t.same(refusal(await alice.call('DELETE', '/deleted/links/deleted')), [400, 'first_link_kept'])
  ok(await alice.call('DELETE', '/deleted/links/deleted-2'))
  t.same(refusal(await alice.call('DELETE', '/deleted/links/deleted-2')), [404, 'link_not_found'])
  t.same(refusal(await visitor.call('POST', '/deleted-2/token', {})), [404, 'share_not_found'])
  ok(await alice.call('DELETE', '/deleted'))
  t.same(refusal(await visitor.call('POST', '/deleted-3/token', {})), [404, 'share_not_found'])
})

t.test('does not open a link again with an old token, after its id was reused', async (t) => {
  await alice.share('reused', { 'a.txt': 'a' })
  await add('reused', { id: 'reused-2', password: 'old password' })
  const headers = await visitor.unlock('reused-2', 'old password')
  ok(await alice.call('DELETE', '/reused/links/reused-2'))
  await add('reused', { id: 'reused-2', password: 'new password' })
  t.same(refusal(await visitor.call('GET', '/reused-2', undefined, headers)), [403, 'share_password_required'])
})

t.test('gives no id twice, neither to shares nor to links', async (t) => {
  await alice.share('taken', { 'a.txt': 'a' })
  await add('taken', { id: 'taken-2' })
  for (const id of ['taken', 'TAKEN', 'taken-2', 'Taken-2']) {
    t.same(refusal(await alice.call('POST', '/taken/links', { id })), [400, 'share_id_taken'], id)
    t.same(refusal(await alice.create(id)), [400, 'share_id_taken'], id)
    t.same(refusal(await alice.call('POST', '/taken/links/taken-2/replace', { id })), [400, 'share_id_taken'], id)
    t.same(ok(await visitor.call('GET', `/isShareIdAvailable/${id}`)).json(), { isAvailable: false }, id)
  }
  t.same(refusal(await alice.call('POST', '/taken/links', { id: 'all' })), [400, 'share_id_invalid'])
  t.equal((await alice.call('POST', '/taken/links', { id: 'a/b' })).statusCode, 400)
  const rivals = await Promise.all(
    Array.from({ length: 6 }, (_, n) => (n % 2 ? alice.create('rival') : alice.call('POST', '/taken/links', { id: 'rival' }))),
  )
  t.equal(rivals.filter(({ statusCode }) => statusCode === 201).length, 1)
})

t.test('keeps the id of a replaced or deleted link for its share', async (t) => {
  await alice.share('keeping', { 'a.txt': 'a' })
  await bob.share('of-bob', { 'a.txt': 'a' })
  for (const id of ['Press-2026', 'for-ann', 'moved']) await add('keeping', { id })
  ok(await alice.call('POST', '/keeping/links/Press-2026/replace', { id: 'press-2027' }))
  ok(await alice.call('POST', '/keeping/links/moved/replace', {}))
  ok(await alice.call('DELETE', '/keeping/links/for-ann'))
  for (const id of ['press-2026', 'Press-2026', 'for-ann', 'moved']) {
    t.same(refusal(await bob.create(id)), [400, 'share_id_taken'], id)
    t.same(refusal(await bob.call('POST', '/of-bob/links', { id })), [400, 'share_id_taken'], id)
    t.same(ok(await visitor.call('GET', `/isShareIdAvailable/${id}`)).json(), { isAvailable: false }, id)
    t.same(refusal(await visitor.call('GET', `/${id}`)), [404, 'share_not_found'], id)
  }
  await add('keeping', { id: 'for-ann' })
  ok(await alice.call('POST', '/keeping/links/press-2027/replace', { id: 'press-2026' }))
  t.same(refusal(await bob.create('press-2027')), [400, 'share_id_taken'])
  ok(await alice.call('DELETE', '/keeping'))
  await deleteExpiredShares(ctx.db, { now: new Date(clock.getTime() + 60_000), graceDays: 0 }, 100)
  for (const id of ['keeping', 'press-2026', 'press-2027', 'for-ann', 'moved']) t.equal((await bob.create(id)).statusCode, 201, id)
})

t.test('shows an owner only the current links of the own share', async (t) => {
  await alice.share('former', { 'a.txt': 'a' })
  await bob.share('latter', { 'a.txt': 'a' })
  await add('former', { id: 'passed-on' })
  await visitor.unlock('passed-on')
  const activity = async () => ok(await alice.call('GET', '/former/activity')).json<Activity[]>()
  await eventually(async () => (await activity()).length > 0, 'the visit is recorded')
  ok(await alice.call('DELETE', '/former/links/passed-on'))
  await sql`delete from retired_link where id = 'passed-on'`.execute(ctx.db) // as if 1,000 others had followed
  ok(await bob.call('POST', '/latter/links', { id: 'passed-on' }))
  ok(await bob.call('POST', '/latter/links/passed-on/replace', { id: 'secret-of-bob' }))
  t.notMatch(JSON.stringify(await activity()), 'secret-of-bob')
})

t.test('keeps a limited number of ids for a share', async (t) => {
  await alice.share('renaming', { 'a.txt': 'a' })
  const { uid } = await ctx.db.selectFrom('share').select('uid').where('id', '=', 'renaming').executeTakeFirstOrThrow()
  await sql`insert into retired_link (id, share_id, link_uid, retired_at)
    select 'older-' || n, 'renaming', ${uid}, now() - n * interval '1 second' from generate_series(1, 1000) n`.execute(ctx.db)
  await add('renaming', { id: 'renaming-2' })
  ok(await alice.call('POST', '/renaming/links/renaming-2/replace', {}))
  t.equal((await bob.create('older-1000')).statusCode, 201, 'the oldest is free')
  t.same(refusal(await bob.create('older-999')), [400, 'share_id_taken'])
  t.same(refusal(await bob.create('renaming-2')), [400, 'share_id_taken'])
})

t.test('lets only owners and administrators manage links', async (t) => {
  await alice.share('managed', { 'a.txt': 'a' })
  await alice.share('other', { 'a.txt': 'a' })
  await add('managed', { id: 'managed-2' })
  const calls = [
    ['GET', '/managed/links'],
    ['POST', '/managed/links', {}],
    ['PATCH', '/managed/links/managed-2', { enabled: false }],
    ['POST', '/managed/links/managed-2/replace', {}],
    ['DELETE', '/managed/links/managed-2'],
  ] as const
  for (const [method, url, body] of calls) {
    t.equal((await bob.call(method, url, body)).statusCode, 403, `${method} by another user`)
    t.equal((await visitor.call(method, url, body)).statusCode, 401, `${method} by a visitor`)
  }
  t.same(refusal(await alice.call('PATCH', '/other/links/managed-2', {})), [404, 'link_not_found'], 'a link of another share')
  t.same(refusal(await alice.call('GET', '/managed-2/links')), [404, 'share_not_found'], 'the id of a link is not that of the share')
  t.same(refusal(await alice.call('POST', '/managed/links', { passwort: 'x' })), [400, 'validation_failed'])
  t.same(refusal(await alice.call('POST', '/managed/links', { maxDownloads: 0 })), [400, 'validation_failed'])
})

t.test('limits the links of a share', async (t) => {
  await alice.share('many', { 'a.txt': 'a' })
  const link = (n: number) => ({ id: `many-${n}`, shareId: 'many' })
  await ctx.db
    .insertInto('shareLink')
    .values(Array.from({ length: 98 }, (_, n) => link(n)))
    .execute()
  const added = await Promise.all([1, 2, 3].map(() => alice.call('POST', '/many/links', {})))
  t.same(added.map(({ statusCode }) => statusCode).sort(), [201, 400, 400])
  t.match(added.map((one) => one.json().error).find(Boolean), 'too_many_links')
})
