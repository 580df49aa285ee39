import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { age } from '../support/aging.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { letMailsWait, mailsTo, site } from '../support/mails.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const hour = 3_600 // s
const day = 24 * hour

const clock = new Date()
const queue = waitingJobs()
const { app, ctx } = await testApp(t, { now: () => clock, queue })
await signUp(app, 'root')
const aliceHeaders = await signUp(app, 'alice')
const alice = sharing(app, aliceHeaders)
const visitor = sharing(app)
const links = reversing(app, aliceHeaders)
const { sendFiles } = sending(app)
const owner = 'alice@example.com'

const wait = (seconds: number) => age(ctx, seconds)
const clean = () => cleanUp(ctx, {}, new AbortController().signal)
const recipientsOf = async (id: string) => ok(await alice.call('GET', `/${id}/recipients`)).json()
const ask = (id: string, person = visitor) => person.call('POST', `/${id}/askToReopen`)

t.afterEach(async () => {
  await ctx.db.deleteFrom('share').execute()
  await ctx.db.deleteFrom('mail').execute()
  await ctx.db.deleteFrom('rateLimit').execute()
})

t.test('passes on a request to reopen an expired share, at most once a day', async (t) => {
  await alice.share('late', { 'a.txt': 'a' }, { name: 'Offer', expiration: '1-hour' })
  await wait(hour)
  t.same(refusal(await ask('late')), [403, 'smtp_disabled'])
  await letMailsWait(ctx)
  t.equal((await ask('late')).statusCode, 204)
  const [mail = ''] = await mailsTo(ctx, owner)
  t.match(mail, 'Hello alice')
  t.match(mail, 'the link to “Offer”')
  t.match(mail, `${site}/share/late/edit`)
  t.notMatch(mail, /127\.0\.0\.1/, 'the address of the visitor is not revealed')
  t.ok(queue.jobs.some(({ name }) => name === 'send-mail'))
  await wait(day - 1)
  for (let n = 0; n < 3; n++) t.equal((await ask('late')).body, '', 'the visitor sees no difference')
  t.equal((await mailsTo(ctx, owner)).length, 1)
  await wait(1)
  ok(await ask('late'))
  t.equal((await mailsTo(ctx, owner)).length, 2)
})

t.test('passes on a request through any link that is turned on', async (t) => {
  await alice.share('late', { 'a.txt': 'a' }, { expiration: '1-hour' })
  for (const id of ['further', 'stopped']) ok(await alice.call('POST', '/late/links', { id }))
  ok(await alice.call('PATCH', '/late/links/stopped', { enabled: false }))
  ok(await alice.call('PATCH', '/late/links/late', { enabled: false }))
  await wait(hour)
  for (const id of ['late', 'stopped']) t.same(refusal(await ask(id)), [404, 'share_not_found'], id)
  t.match((await visitor.call('GET', '/further')).json(), { error: 'share_not_found', expired: true })
  t.notOk('keptUntil' in (await alice.call('GET', '/further')).json(), 'it is reopened under its own id')
  ok(await ask('further'))
  t.match(await mailsTo(ctx, owner), [/share\/late\/edit/])
})

t.test('passes on requests for received shares to the receiver', async (t) => {
  await links.link('inbox', { shareExpiration: '1-hour' })
  await sendFiles('inbox', 'sent', { 'a.txt': 'a' })
  await wait(hour)
  ok(await ask('sent'))
  t.match(await mailsTo(ctx, owner), [/share\/sent\/edit/])
})

t.test('passes on no request for shares that are open, unknown, private or over', async (t) => {
  await alice.share('open', { 'a.txt': 'a' })
  await alice.share('hidden', { 'a.txt': 'a' }, { expiration: '1-hour' })
  await alice.share('over', { 'a.txt': 'a' }, { expiration: '1-hour' })
  ok(await alice.call('PATCH', '/hidden', { publicAccess: false }))
  for (const id of ['open', 'unknown', 'a%20b']) t.same(refusal(await ask(id)), [404, 'share_not_found'], id)
  await wait(2 * hour)
  t.same(refusal(await ask('hidden')), [404, 'share_not_found'])
  ok(await alice.call('POST', '/delete', { ids: ['over'] }))
  t.same(refusal(await ask('over')), [404, 'share_not_found'])
  t.same(await mailsTo(ctx, owner), [])
})

t.test('limits the requests of one visitor', async (t) => {
  const ids = Array.from({ length: 11 }, (_, n) => `late-${n}`)
  for (const id of ids) await alice.share(id, { 'a.txt': 'a' }, { expiration: '1-hour' })
  await wait(hour)
  for (const id of ids.slice(1)) ok(await ask(id))
  const refused = await ask('late-0')
  t.same(refusal(refused), [429, 'too_many_emails'])
  t.ok(refused.headers['retry-after'])
  t.equal((await mailsTo(ctx, owner)).length, 10)
})

t.test('reminds the sender and the recipients once of a share that no one has downloaded', async (t) => {
  await set(ctx, 'email.enableShareEmailRecipients', true)
  await alice.share('waits', { 'a.txt': 'a' }, { name: 'Plans', expiration: '7-days', recipients: ['bob@example.com'] })
  await alice.share('fetched', { 'a.txt': 'a' }, { expiration: '7-days' })
  await alice.share('brief', { 'a.txt': 'a' }, { expiration: '1-day' })
  ok(await alice.create('unfinished', { expiration: '7-days' }))
  await visitor.unlock('waits')
  await ctx.db.updateTable('share').set({ downloads: 1 }).where('id', '=', 'fetched').execute()
  await ctx.db.deleteFrom('mail').execute()
  await wait(5 * day - 1)
  await clean()
  t.same(await mailsTo(ctx, owner), [])
  await wait(1)
  await Promise.all([clean(), clean()])
  t.match(await ctx.metrics.text(), /^razorbill_reminders_total 2$/m)
  const [toSender = '', ...others] = await mailsTo(ctx, owner)
  t.same(others, [])
  t.match(toSender, 'No one has downloaded “Plans” (1 file, 1 B) yet')
  t.match(toSender, `${site}/share/waits/extend`)
  const [toRecipient = '', ...more] = await mailsTo(ctx, 'bob@example.com')
  t.same(more, [])
  t.match(toRecipient, '“Plans” (1 file, 1 B) from alice expires soon')
  t.match(toRecipient, new RegExp(`${site}/share/${(await recipientsOf('waits'))[0].link}$`, 'm'))
  await wait(hour)
  await clean()
  t.equal((await mailsTo(ctx, owner)).length, 1, 'once')

  ok(await alice.call('POST', '/extend', { ids: ['waits'], expiration: '7-days' }))
  await clean()
  t.equal((await mailsTo(ctx, owner)).length, 1)
  await wait(5 * day)
  await clean()
  t.equal((await mailsTo(ctx, owner)).length, 2, 'once for each expiration')
})

t.test('reminds each recipient who has not downloaded everything, also after others have', async (t) => {
  const to = (name: string) => `${name}@example.com`
  const emails = ['all', 'none', 'off', 'some'].map(to)
  const [a, b] = await alice.share('mixed', { 'a.txt': 'a', 'b.txt': 'b' }, { expiration: '7-days', recipients: emails })
  await alice.share('done', { 'a.txt': 'a' }, { expiration: '7-days', recipients: emails.slice(0, 1) })
  const [all, none, off, some] = await recipientsOf('mixed')
  const fetched = [
    [`${all.link}/files/${a}`, `${all.link}/files/${b}`, `${(await recipientsOf('done'))[0].link}/files/zip`, `${some.link}/files/${b}`],
  ].flat()
  for (const url of fetched) ok(await visitor.call('GET', `/${url}`))
  ok(await alice.call('PATCH', `/mixed/links/${off.link}`, { enabled: false }))
  await sleep(1_300)
  await ctx.db.deleteFrom('mail').execute()
  await wait(5 * day)
  await Promise.all([clean(), clean()])
  t.same(await mailsTo(ctx, owner), [], 'the sender knows that someone has')
  for (const email of [to('all'), to('off')]) t.same(await mailsTo(ctx, email), [], email)
  t.match(await mailsTo(ctx, to('none')), [new RegExp(`${site}/share/${none.link}$`, 'm')])
  t.match(await mailsTo(ctx, to('some')), [new RegExp(`${site}/share/${some.link}$`, 'm')])
})

t.test('reminds no one where reminders are turned off', async (t) => {
  await alice.share('quiet', { 'a.txt': 'a' }, { expiration: '7-days' })
  await wait(6 * day)
  await set(ctx, 'share.reminderHours', 0)
  await clean()
  await set(ctx, 'share.reminderHours', 48)
  await set(ctx, 'smtp.enabled', false)
  await clean()
  t.same(await mailsTo(ctx, owner), [])
  await set(ctx, 'smtp.enabled', true)
  await clean()
  t.equal((await mailsTo(ctx, owner)).length, 1)
})

t.test('reminds recipients of the first link while it is on, and the sender only where downloads are known', async (t) => {
  await set(ctx, 'share.activity', false)
  for (const id of ['moved', 'own', 'shut'])
    await alice.share(id, { 'a.txt': 'a' }, { expiration: '7-days', recipients: [`${id}@example.com`] })
  await ctx.db.deleteFrom('shareLink').where('shareId', '<>', 'own').execute() // as an older version emails them
  for (const id of ['moved', 'own', 'shut']) ok(await alice.call('PATCH', `/${id}/links/${id}`, { enabled: false }))
  ok(await alice.call('POST', '/moved/links', { id: 'moved-to' }))
  await ctx.db.deleteFrom('mail').execute()
  await wait(6 * day)
  await cleanUp({ ...ctx, env: { ...ctx.env, sendfile: 'x-accel' } }, {}, new AbortController().signal)
  t.match(await mailsTo(ctx, 'moved@example.com'), [/share\/moved-to$/m])
  t.match(await mailsTo(ctx, 'own@example.com'), [new RegExp(`share/${(await recipientsOf('own'))[0].link}$`, 'm')])
  t.same(await mailsTo(ctx, 'shut@example.com'), [])
  t.same(await mailsTo(ctx, owner), [])
  await set(ctx, 'share.activity', true)
})
