import { sql } from 'kysely'
import t from 'tap'
import { countedMax } from '../../src/shares/limits.ts'
import { testApp } from '../support/app/app.ts'
import { type Headers, signUp } from '../support/people/people.ts'

const { app, ctx } = await testApp(t)
const [admin, zoe] = [await signUp(app, 'ada'), await signUp(app, 'Zoe')]

async function share(owner: Headers, name: string, expiration: string, size: number): Promise<void> {
  const { id } = (await app.inject({ method: 'POST', url: '/api/shares', headers: owner, payload: { name, expiration } })).json()
  await ctx.db
    .updateTable('share')
    .set({ size, views: size * 2 })
    .where('id', '=', id)
    .execute()
}
await share(admin, 'puffins', '3-days', 20)
await share(zoe, 'Gulls', 'never', 10)
await share(admin, 'Terns', '1-days', 30)

async function list(query: string, headers = admin) {
  const answer = await app.inject({ url: `/api/shares/all?${query}`, headers })
  return {
    status: answer.statusCode,
    total: answer.headers['x-total-count'],
    names: answer.statusCode === 200 ? answer.json().map((one: { name: string }) => one.name) : [],
  }
}

t.test('lists every share for administrators, newest first', async (t) => {
  t.same(await list(''), { status: 200, total: 3, names: ['Terns', 'Gulls', 'puffins'] })
  t.equal((await list('', zoe)).status, 403)
})

t.test('sorts by every column in both directions', async (t) => {
  const orders: Record<string, string[]> = {
    name: ['Gulls', 'puffins', 'Terns'],
    size: ['Gulls', 'puffins', 'Terns'],
    views: ['Gulls', 'puffins', 'Terns'],
    expiration: ['Terns', 'puffins', 'Gulls'],
    createdAt: ['puffins', 'Gulls', 'Terns'],
  }
  for (const [sort, names] of Object.entries(orders)) {
    t.same((await list(`sort=${sort}&order=asc`)).names, names, sort)
    t.same((await list(`sort=${sort}&order=desc`)).names, names.toReversed(), `${sort}, descending`)
  }
  t.equal((await list('sort=creator&order=asc')).names[2], 'Gulls')
  t.equal((await list('sort=creator&order=desc')).names[0], 'Gulls')
  t.equal((await list('sort=password')).status, 400)
})

t.test('pages the list, and searches owners too', async (t) => {
  t.same(await list('sort=name&order=asc&page=2&limit=2'), { status: 200, total: 3, names: ['Terns'] })
  t.same(await list('search=zo'), { status: 200, total: 1, names: ['Gulls'] })
  t.same(await list('search=%25'), { status: 200, total: 0, names: [] })
})

t.test('lists shares without an account last when sorted by creator, on every page', async (t) => {
  await ctx.db
    .insertInto('share')
    .values([
      { id: 'auk', name: 'Auks' },
      { id: 'skua', name: 'Skuas' },
    ])
    .execute()
  for (const [order, names] of [
    ['asc', ['Terns', 'puffins', 'Gulls']],
    ['desc', ['Gulls', 'Terns', 'puffins']],
  ] as const) {
    const pages = await Promise.all([1, 2, 3].map(async (page) => (await list(`sort=creator&order=${order}&limit=2&page=${page}`)).names))
    t.same(pages.flat().slice(0, 3), names, order)
    t.same(pages.flat().slice(3).sort(), ['Auks', 'Skuas'], order)
    t.equal((await list(`sort=creator&order=${order}&search=zo`)).names[0], 'Gulls')
  }
})

t.test('counts the matches of a search up to the maximum and one more', async (t) => {
  await sql`insert into share (id, name, expires_at)
    select 'plover-' || n, 'Plovers', case when n > 0 then now() + interval '1 hour' else now() end
    from generate_series(0, ${countedMax}) n`.execute(ctx.db)
  t.equal((await list('search=plovers&limit=1')).total, String(countedMax))
  await ctx.db.insertInto('share').values({ id: 'more', name: 'Plovers' }).execute()
  await ctx.db.insertInto('share').values({ id: 'even-more', name: 'Plovers' }).execute()
  t.equal((await list('search=plovers&limit=1')).total, String(countedMax + 1))
  t.equal((await list('limit=1')).total, String(countedMax + 7))
})
