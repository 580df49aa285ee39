import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { lastDays } from '../../src/activity/days.ts'
import { recordEvents, recordRanges } from '../../src/activity/queries.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { reversing } from '../support/reverse.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
const admin = sharing(app, await signUp(app, 'admin'))
const aliceHeaders = await signUp(app, 'alice')
const alice = sharing(app, aliceHeaders)
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0'
const from = (address: string) => sharing(app, { 'x-forwarded-for': address, 'user-agent': firefox })
const activity = async (id: string) => ok(await alice.call('GET', `/${id}/activity`)).json()

/** Waits for the next batch, which is written within a second. */
const recorded = () => sleep(1_500)

t.test('shows the owner what was opened, downloaded and refused', async (t) => {
  const [file] = await alice.share('shown', { 'a.txt': 'abc' }, { security: { password: 'password' } })
  const visitor = from('203.0.113.77')
  const headers = await visitor.unlock('shown', 'password')
  await visitor.call('POST', '/shown/token', { password: 'wrong one' })
  await visitor.call('GET', `/shown/files/${file}`, undefined, headers)
  await recorded()
  const entries = await activity('shown')
  const common = { link: 'shown', device: 'Firefox on Windows', address: '203.0.113.0/24' }
  t.match(
    entries.find(({ kind }: { kind: string }) => kind === 'downloaded'),
    {
      ...common,
      file: 'a.txt',
      bytes: 3,
      size: 3,
      complete: true,
    },
  )
  t.match(
    entries.find(({ kind }: { kind: string }) => kind === 'opened'),
    { ...common, complete: false },
  )
  t.match(
    entries.find(({ kind }: { kind: string }) => kind === 'refused'),
    { ...common, reason: 'wrong_password' },
  )
  t.equal(entries.length, 3)
  const page = await alice.call('GET', '/shown/activity?limit=1&page=2')
  t.same([page.json().length, page.headers['x-total-count']], [1, 3])
})

t.test('keeps as much of the address as the setting allows', async (t) => {
  await alice.share('addresses', { 'a.txt': 'a' })
  const shown = {
    none: [undefined, undefined, undefined],
    shortened: ['203.0.113.0/24', '2001:db8:1::/48', '::/48'],
    full: ['203.0.113.5', '2001:db8:1:2::3', '::1'],
  }
  for (const [mode, expected] of Object.entries(shown)) {
    await set(ctx, 'share.activityAddresses', mode)
    await ctx.db.deleteFrom('activity').execute()
    await from('203.0.113.5').unlock('addresses')
    await from('2001:db8:1:2::3').unlock('addresses')
    await from('::1').unlock('addresses')
    await recorded()
    const addresses = (await activity('addresses')).map(({ address }: { address?: string }) => address)
    t.same(new Set(addresses), new Set(expected), mode)
  }
  await set(ctx, 'share.activityAddresses', 'shortened')
})

t.test('records nothing when it is turned off, and still counts downloads', async (t) => {
  const [file] = await alice.share('silent', { 'a.txt': 'a' })
  await set(ctx, 'share.activity', false)
  await from('203.0.113.5').call('GET', `/silent/files/${file}`)
  await recorded()
  t.same(await activity('silent'), [])
  t.equal(ok(await alice.call('GET', '/silent/links')).json()[0].downloads, 1)
  await set(ctx, 'share.activity', true)
})

t.test('is shown only to the owner, and as counts to administrators', async (t) => {
  await alice.share('private', { 'a.txt': 'a' })
  await from('203.0.113.5').unlock('private')
  await recorded()
  const visitor = sharing(app)
  for (const url of ['/private/activity', '/private/activity.csv']) {
    t.same(refusal(await admin.call('GET', url)), [403, 'forbidden'], url)
    t.same(refusal(await visitor.call('GET', url)), [401, 'unauthorized'], url)
  }
  t.same(ok(await admin.call('GET', '/private/activity/counts')).json(), {
    opened: 1,
    downloaded: 0,
    partly: 0,
    refused: 0,
    'handed-out': 0,
  })
})

t.test('counts each of the last days in a time zone', async (t) => {
  await alice.share('daily', { 'a.txt': 'a' })
  const { uid } = await ctx.db.selectFrom('share').select('uid').where('id', '=', 'daily').executeTakeFirstOrThrow()
  const kolkata = lastDays(3, 'Asia/Kolkata', new Date()).map(({ start }) => start.getTime())
  const add = (kind: string, at: number, count = 1) =>
    sql`insert into activity (share_uid, link, at, kind, visitor, network)
      select ${uid}, 'daily', ${new Date(at)}, ${kind}, 'v', 'n' from generate_series(1, ${count})`.execute(ctx.db)
  await add('opened', kolkata[0]! - 1)
  await add('opened', kolkata[0]!, 300)
  await add('downloaded', kolkata[1]! - 1)
  await add('handed-out', kolkata[2]!)
  const days = ok(await alice.call('GET', '/daily/activity/days?days=3&timeZone=Asia/Kolkata')).json()
  t.same(
    days.map(({ opened, downloaded, 'handed-out': handedOut }: Record<string, number>) => [opened, downloaded, handedOut]),
    [
      [300, 1, 0],
      [0, 0, 0],
      [0, 0, 1],
    ],
  )
  t.match(days[2].day, /^\d{4}-\d\d-\d\d$/)
  t.equal(ok(await alice.call('GET', '/daily/activity/days')).json().length, 14)
  for (const query of ['timeZone=Nowhere', 'timeZone=', 'days=0', 'days=91'])
    t.equal((await alice.call('GET', `/daily/activity/days?${query}`)).statusCode, 400, query)
  t.same(refusal(await admin.call('GET', '/daily/activity/days')), [403, 'forbidden'])
  t.same(refusal(await sharing(app).call('GET', '/daily/activity/days')), [401, 'unauthorized'])
})

t.test('begins days at midnight also where the clocks change', async (t) => {
  const now = new Date('2026-03-30T12:00:00Z')
  t.same(
    lastDays(3, 'Europe/Berlin', now).map(({ day, start }) => [day, start.toISOString()]),
    [
      ['2026-03-28', '2026-03-27T23:00:00.000Z'],
      ['2026-03-29', '2026-03-28T23:00:00.000Z'],
      ['2026-03-30', '2026-03-29T22:00:00.000Z'],
    ],
  )
  t.match(lastDays(1, 'Pacific/Auckland', now), [{ day: '2026-03-31', start: new Date('2026-03-30T11:00:00Z') }])
})

t.test('is shown of a received share only to its receiver', async (t) => {
  await reversing(app, aliceHeaders).link('inbox')
  const sender = sharing(app, await signUp(app, 'sender'))
  await sender.share('received', { 'a.txt': 'a' }, { reverseShareToken: 'inbox' })
  for (const url of ['/received/activity', '/received/activity.csv', '/received/activity/counts', '/received/links'])
    t.same(refusal(await sender.call('GET', url)), [403, 'forbidden'], url)
  ok(await alice.call('GET', '/received/activity'))
  ok(await admin.call('GET', '/received/links'))
})

t.test('records a file that no page can show also where a page asks for it', async (t) => {
  const [shown, program] = await alice.share('inline', { 'a.txt': 'a', 'a.exe': 'a' })
  for (const file of [shown, program]) await from('203.0.113.5').call('GET', `/inline/files/${file}?download=false`)
  await recorded()
  t.match(await activity('inline'), [{ kind: 'downloaded', file: 'a.exe' }])
  t.equal((await activity('inline')).length, 1)
})

t.test('makes text that a spreadsheet would run harmless', async (t) => {
  const names = ['=1+1.txt', '+1.txt', '-1.txt', '@sum.txt', ' =1.txt', '＝1.txt', 'a;=1.txt', 'a; "=1".txt', 'with, comma "quoted".txt']
  const files = await alice.share('cells', Object.fromEntries(names.map((name) => [name, 'x'])))
  for (const file of files) await from('203.0.113.5').call('GET', `/cells/files/${file}`)
  await recorded()
  const table = ok(await alice.call('GET', '/cells/activity.csv'))
  t.match(table.headers, { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="activity-cells.csv"' })
  const cells = [...table.body.matchAll(/"((?:[^"]|"")*\.txt"?"?)"/g)].map(([, cell = '']) => cell.replaceAll('""', '"'))
  const expected = ["'=1+1.txt", "'+1.txt", "'-1.txt", "'@sum.txt", "'＝1.txt", "a;'=1.txt", `a;' "=1".txt`, 'with, comma "quoted".txt']
  t.same(cells.map((cell) => cell.replace("' =", "'=")).sort(), [...expected, "'=1.txt"].sort())
})

t.test('records the same event of one visitor once a minute', async (t) => {
  await alice.share('flood', { 'a.txt': 'a' }, { security: { password: 'password' } })
  const other = (n: number) => ({ 'user-agent': `program ${n}` })
  for (let n = 0; n < 5; n++) await from('203.0.113.9').call('POST', '/flood/token', { password: 'wrong one' }, other(n))
  await recorded()
  t.equal((await activity('flood')).length, 1)
})

t.test('keeps downloads when one address, or many, fill the rest', async (t) => {
  const [file] = await alice.share('filled', { 'a.txt': 'a' })
  const { uid } = await ctx.db.selectFrom('share').select('uid').where('id', '=', 'filled').executeTakeFirstOrThrow()
  const fill = (kind: string, network: string, count: number) =>
    sql`insert into activity (share_uid, link, at, kind, visitor, network)
      select ${uid}, 'filled', now() - interval '2 minutes', ${kind}, 'v', ${network} || n % 11 from generate_series(1, ${count}) n`.execute(
      ctx.db,
    )
  await fill('opened', 'n', 5_000)
  await from('203.0.113.5').unlock('filled')
  await from('203.0.113.5').call('GET', `/filled/files/${file}`)
  await recorded()
  const { opened, downloaded } = ok(await alice.call('GET', '/filled/activity/counts')).json()
  t.same([opened, downloaded], [5_000, 1])
})

t.test('lets one address use only a part of what is kept', async (t) => {
  await alice.share('part', { 'a.txt': 'a' }, { security: { password: 'password' } })
  const { uid } = await ctx.db.selectFrom('share').select('uid').where('id', '=', 'part').executeTakeFirstOrThrow()
  const visit = { shareUid: uid, linkUid: uid, link: 'part', network: 'n', at: new Date(), device: null, address: null }
  const events = Array.from({ length: 600 }, (_, n) => ({ ...visit, visitor: `${n}`, kind: 'refused' as const, reason: `${n}` }))
  t.equal(await recordEvents(ctx.db, events), 100)
  t.equal(await recordEvents(ctx.db, events), 100)
  await from('203.0.113.5').call('POST', '/part/token', { password: 'wrong one' })
  await recorded()
  t.equal(ok(await alice.call('GET', '/part/activity/counts')).json().refused, 501)
})

t.test('keeps a bounded number of the parts of a file', async (t) => {
  await alice.share('parts', { 'a.txt': 'a' })
  const { uid } = await ctx.db.selectFrom('share').select('uid').where('id', '=', 'parts').executeTakeFirstOrThrow()
  const visit = { shareUid: uid, linkUid: uid, link: 'parts', visitor: 'v', network: 'n', at: new Date(), device: null, address: null }
  const item = { item: 'i', isZip: false, file: 'a', size: 1_000_000, counts: true }
  const ranges = (from: number, step: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...visit, ...item, start: from + n * step, end: from + n * step + 1 }))
  const record = (from: number, step: number, count: number) => recordRanges(ctx.db, ranges(from, step, count), true)
  t.match(await record(0, 10, 1_000), [{ isDropped: false }])
  t.match(await record(500_000, 10, 500), [{ isDropped: true }])
  t.match(await record(1, 10, 1_000), [{ isDropped: false }], 'those that touch others are kept')
  const whole = { ...visit, ...item, start: 0, end: 1_000_000 }
  t.match(await recordRanges(ctx.db, [whole], true), [{ complete: true, isDropped: false }])
})

t.test('is deleted after the days of the setting', async (t) => {
  await alice.share('old', { 'a.txt': 'a' })
  await from('203.0.113.5').unlock('old')
  await recorded()
  t.equal((await activity('old')).length, 1)
  const later = { ...ctx, now: () => new Date(Date.now() + 91 * 86_400_000) }
  await ctx.db.updateTable('share').set({ expiresAt: null }).where('id', '=', 'old').execute()
  await cleanUp(later, {}, new AbortController().signal)
  t.same(await ctx.db.selectFrom('activity').select('id').execute(), [])
})
