import { performance } from 'node:perf_hooks'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const clock = new Date()
const { app, ctx } = await testApp(t, { now: () => clock })
await signUp(app, 'root')
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const bob = sharing(app, await signUp(app, 'bob'))

const list = async (query: string, person = alice) => {
  const answer = ok(await person.call('GET', `?files=0&${query}`))
  const ids: string[] = answer.json().map(({ id }: { id: string }) => id)
  return { ids, total: Number(answer.headers['x-total-count']) }
}
const expiresIn = async (id: string) => {
  const { expiresAt } = await ctx.db.selectFrom('share').select('expiresAt').where('id', '=', id).executeTakeFirstOrThrow()
  return expiresAt && Math.round((expiresAt.getTime() - clock.getTime()) / 86_400_000)
}

t.test('filters and sorts own shares in pages', async (t) => {
  await alice.share('plain', { a: 'aaa' }, { name: 'Zebra', expiration: 'never' })
  await alice.share('locked', { a: 'a' }, { name: 'apple', expiration: '30-days', security: { password: 'secret' } })
  await alice.share('ended', { a: 'aa' }, { name: 'Mango', expiration: '1-day', security: { maxViews: 1 } })
  await alice.share('removed', { a: 'aaaa' }, { name: 'berry', expiration: '7-days' })
  await ctx.db.updateTable('share').set({ removedReason: 'no' }).where('id', '=', 'removed').execute()
  await sharing(app).unlock('ended')
  const links = reversing(app, headers)
  await links.link('inbox', { shareExpiration: '1-day' })
  await sending(app).sendFiles('inbox', 'came', { a: 'a' })
  const filtered: Record<string, string[]> = {
    active: ['locked', 'plain'],
    ended: ['ended', 'removed'],
    expiring: ['ended', 'removed'],
    password: ['locked'],
    received: ['came'],
  }
  for (const [filter, ids] of Object.entries(filtered)) {
    const found = await list(`filter=${filter}`)
    t.same(found.ids.sort(), ids, filter)
    t.equal(found.total, ids.length)
  }
  const sorted: Record<string, string[]> = {
    'sort=name&order=asc': ['locked', 'removed', 'ended', 'plain'],
    'sort=size&order=desc': ['removed', 'plain', 'ended', 'locked'],
    'sort=expiration&order=asc': ['ended', 'removed', 'locked', 'plain'],
    'sort=views&order=desc&limit=1': ['ended'],
    'sort=name&order=asc&limit=2&page=2&filter=active': [],
    'sort=name&order=desc&search=an': ['ended'],
  }
  for (const [query, ids] of Object.entries(sorted)) t.same((await list(query)).ids, ids, query)
  for (const query of ['sort=creator', 'filter=other', 'order=up']) t.equal((await alice.call('GET', `?${query}`)).statusCode, 400, query)
  const [received] = ok(await alice.call('GET', '?filter=received')).json()
  t.match(received, { id: 'came', received: true })
  t.match(ok(await alice.call('GET', '?search=Zebra')).json(), [{ received: false }])
  t.same((await list('', bob)).ids, [])
})

t.test('counts the visits through all links of a share, and sorts by them', async (t) => {
  const link = ok(await alice.call('POST', '/plain/links', {})).json().id
  for (let visit = 0; visit < 2; visit++) await sharing(app).unlock(link)
  const [first] = ok(await alice.call('GET', '?sort=views&order=desc')).json()
  t.match(first, { id: 'plain', views: 0, totalViews: 2 })
})

t.test('extends own shares, and shortens none', async (t) => {
  await bob.share('bobs', { a: 'a' }, { expiration: '1-day' })
  const extend = (expiration: string, ids = ['plain', 'locked', 'ended', 'came', 'bobs', 'unknown']) =>
    alice.call('POST', '/extend', { ids, expiration })
  t.same(ok(await extend('14-days')).json().ids, ['ended'])
  t.same(await Promise.all(['plain', 'locked', 'ended', 'came', 'bobs'].map(expiresIn)), [null, 30, 14, 1, 1])
  t.same(refusal(await extend('soon')), [400, 'expiration_invalid'])
  await set(ctx, 'share.maxExpiration', 24 * 40)
  t.same(refusal(await extend('never')), [400, 'expiration_exceeds_maximum'])
  t.same(
    ok(await extend('40-days'))
      .json()
      .ids.sort(),
    ['ended', 'locked'],
  )
  await set(ctx, 'share.maxExpiration', 0)
  t.same(ok(await extend('never', ['locked'])).json().ids, ['locked'])
  t.equal(await expiresIn('locked'), null)
  t.same(refusal(await sharing(app).call('POST', '/extend', { ids: ['locked'], expiration: 'never' })), [401, 'unauthorized'])
})

t.test('lists a page of 10,000 shares within 200 ms, however it is sorted', async (t) => {
  const carol = sharing(app, await signUp(app, 'carol'))
  const { id } = await ctx.db.selectFrom('user').select('id').where('username', '=', 'carol').executeTakeFirstOrThrow()
  const rows = Array.from({ length: 10_000 }, (_, n) => ({
    id: `many-${n}`,
    ownerId: id,
    name: `Share ${(n * 7919) % 10_000}`,
    size: n,
    uploadOpen: false,
    completedAt: clock,
    expiresAt: new Date(clock.getTime() + n * 60_000 + 60_000),
  }))
  for (let from = 0; from < rows.length; from += 1000)
    await ctx.db
      .insertInto('share')
      .values(rows.slice(from, from + 1000))
      .execute()
  const queries = ['', 'sort=name&order=asc', 'sort=expiration&order=asc', 'sort=size&order=desc&page=300', 'search=777', 'filter=active']
  for (const query of queries) {
    await list(`limit=25&${query}`, carol)
    const start = performance.now()
    const { ids } = await list(`limit=25&${query}`, carol)
    const milliseconds = performance.now() - start
    t.ok(ids.length > 0)
    t.ok(milliseconds < 200, `${query}: ${milliseconds.toFixed(0)} ms`)
  }
  const ids = rows.slice(0, 200).map(({ id }) => id)
  const start = performance.now()
  t.equal(ok(await carol.call('POST', '/delete', { ids })).json().ids.length, 200)
  t.equal(ok(await carol.call('POST', '/undelete', { ids })).json().ids.length, 200)
  t.ok(performance.now() - start < 1000)
})
