import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, set } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
const admin = reversing(app, await signUp(app, 'admin'))
const aliceHeaders = await signUp(app, 'alice')
const alice = reversing(app, aliceHeaders)
const bob = reversing(app, await signUp(app, 'bob'))
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0'
const from = (address: string) => ({ 'x-forwarded-for': address, 'user-agent': firefox })
const visitor = reversing(app, from('203.0.113.77'))
const { send, sendFiles } = sending(app)

/** Waits for the next batch, which is written within a second. */
const recorded = () => sleep(1_500)

interface Entry {
  kind: string
  reason?: string
}
const idOf = async (token: string) => (await alice.mine(token)).id
const activity = async (token: string): Promise<Entry[]> => ok(await alice.call('GET', `/${await idOf(token)}/activity`)).json()
const reasons = async (token: string) => (await activity(token)).map(({ kind, reason }) => `${kind} ${reason ?? ''}`.trim())

t.test('shows the owner of an upload link who opened it, sent files through it and was refused', async (t) => {
  const asked = { name: 'required', email: 'optional' }
  await alice.link('box', { password: 'password', fields: asked, maxUseCount: null, allowedTypes: ['.txt'] })
  t.same(refusal(await visitor.call('GET', '/box')), [403, 'reverse_share_password_required'])
  await visitor.call('POST', '/box/unlock', { password: 'wrong one' })
  const unlocked = await visitor.call('POST', '/box/unlock', { password: 'password' })
  const cookie = { cookie: String(unlocked.headers['set-cookie']).split(';')[0]! }
  ok(await visitor.call('GET', '/box', undefined, cookie))
  const details = { sender: { name: 'Sam', email: 'sam@example.org' } }
  const { answer, sender } = await send('box', 'sent', details, { ...from('203.0.113.77'), ...cookie })
  ok(answer)
  const as = (more: object = {}) => ({ ...from('203.0.113.77'), ...more })
  t.same(refusal(await sender.call('POST', '/sent/files', { name: 'a.exe', size: 3 }, as())), [400, 'file_type_not_allowed'])
  t.same(refusal(await sender.call('POST', '/sent/files', { name: 'a.txt', size: 3_000 }, as())), [413, 'share_too_large'])
  await sender.file('sent', 'a.txt', 'abc')
  await sender.file('sent', 'b.txt', 'de')
  ok(await sender.call('POST', '/sent/complete', undefined, as()))
  await recorded()
  const common = { link: 'box', device: 'Firefox on Windows', address: '203.0.113.0/24' }
  const from1 = { ...common, share: 'sent', senderName: 'Sam', senderEmail: 'sam@example.org' }
  const entries = await activity('box')
  const of = (kind: string) => entries.filter((entry) => entry.kind === kind)
  t.match(of('opened'), [common])
  t.match(of('begun'), [from1])
  t.match(of('received'), [{ ...from1, files: 2, bytes: 5 }])
  t.same(
    of('refused')
      .map(({ reason }) => reason)
      .sort(),
    ['file_type_not_allowed', 'share_too_large', 'wrong_password'],
  )
  t.equal(entries.length, 6)
  const page = await alice.call('GET', `/${await idOf('box')}/activity?limit=1&page=2`)
  t.same([page.json().length, page.headers['x-total-count']], [1, 6])
})

t.test('records why a link is closed, which visitors are not shown', async (t) => {
  await alice.link('once')
  await sendFiles('once', 'only-one', { 'a.txt': 'a' })
  t.same(refusal(await visitor.call('GET', '/once')), [404, 'reverse_share_not_found'])
  await alice.link('late')
  await ctx.db
    .updateTable('reverseShare')
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .where('token', '=', 'late')
    .execute()
  const { answer } = await send('late', 'too-late', {}, from('203.0.113.77'))
  t.same(refusal(answer), [404, 'reverse_share_not_found'])
  await recorded()
  t.same((await reasons('once')).sort(), ['begun', 'received', 'refused used_up'])
  const { reason } = await ctx.db
    .selectFrom('activity')
    .innerJoin('reverseShare', 'reverseShare.id', 'reverseShareId')
    .select('reason')
    .where('token', '=', 'late')
    .executeTakeFirstOrThrow()
  t.equal(reason, 'expired')
})

t.test('records neither the owner nor programs that fetch the link ahead', async (t) => {
  await alice.link('quiet')
  ok(await alice.call('GET', '/quiet'))
  ok(await visitor.call('GET', '/quiet', undefined, { 'sec-purpose': 'prefetch' }))
  ok(await visitor.call('GET', '/quiet', undefined, { 'user-agent': 'Slackbot-LinkExpanding 1.0' }))
  await set(ctx, 'share.activity', false)
  ok(await visitor.call('GET', '/quiet'))
  await recorded()
  await set(ctx, 'share.activity', true)
  t.same(await activity('quiet'), [])
})

t.test('shows the activity of an upload link only to its owner, and counts to administrators', async (t) => {
  await alice.link('mine')
  ok(await visitor.call('GET', '/mine'))
  await recorded()
  const id = await idOf('mine')
  for (const path of ['activity', 'activity.csv', 'activity/counts']) {
    t.same(refusal(await bob.call('GET', `/${id}/${path}`)), [403, 'forbidden'], path)
    t.same(refusal(await reversing(app).call('GET', `/${id}/${path}`)), [401, 'unauthorized'], path)
    if (path !== 'activity/counts') t.same(refusal(await admin.call('GET', `/${id}/${path}`)), [403, 'forbidden'], path)
  }
  t.same(ok(await admin.call('GET', `/${id}/activity/counts`)).json(), { opened: 1, begun: 0, received: 0, refused: 0 })
  t.same(refusal(await alice.call('GET', '/no-id/activity')), [404, 'reverse_share_not_found'])
  const table = ok(await alice.call('GET', `/${id}/activity.csv`))
  t.match(table.headers, { 'content-disposition': 'attachment; filename="activity-mine.csv"' })
  t.match(
    table.body,
    /^\ufeffat,kind,link,visitor,share,files,bytes,senderName,senderEmail,reason,device,address\r\n"20.*","opened","mine"/,
  )
})

t.test('keeps only a part of what many requests would record, and deletes it with its link', async (t) => {
  await alice.link('filled')
  const id = await idOf('filled')
  await sql`
    insert into activity (reverse_share_id, link, at, kind, visitor, network)
    select ${id}, 'filled', now() - interval '2 minutes', 'opened', 'v', 'n' || n % 11 from generate_series(1, 5000) n`.execute(ctx.db)
  ok(await visitor.call('GET', '/filled'))
  ok((await send('filled', 'still-sent')).answer)
  await recorded()
  t.same(ok(await alice.call('GET', `/${id}/activity/counts`)).json(), { opened: 5_000, begun: 1, received: 0, refused: 0 })
  await ctx.db
    .updateTable('activity')
    .set({ at: new Date(Date.now() - 91 * 86_400_000) })
    .where('reverseShareId', '=', id)
    .execute()
  await cleanUp(ctx, {}, new AbortController().signal)
  t.same(await activity('filled'), [])
  await visitor.call('GET', '/filled')
  await ctx.db.deleteFrom('reverseShare').where('id', '=', id).execute()
  await recorded()
  t.equal((await ctx.db.selectFrom('activity').select('id').where('reverseShareId', '=', id).execute()).length, 0)
})
