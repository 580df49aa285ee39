import { sql } from 'kysely'
import t from 'tap'
import type { Jobs } from '../../src/queue/jobs.ts'
import { rememberRecipients } from '../../src/shares/recipients/known.ts'
import { sendMail } from '../../worker/send-mail.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { eventually } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { reversing } from '../support/reverse.ts'
import { cookiesOf, destroy, ok, refusal, set, sharing } from '../support/sharing.ts'
import { mailServer, type Received, switchMailOn } from '../support/smtp.ts'

const queue = waitingJobs()
const { app, ctx } = await testApp(t, { queue })
await signUp(app, 'root')
const aliceHeaders = await signUp(app, 'alice')
const alice = sharing(app, aliceHeaders)
const visitor = sharing(app)
const server = await mailServer(t)

const addresses = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `person${from + n}@example.com`)
const mailJobs = () => queue.jobs.filter(({ name }) => name === 'send-mail').map(({ payload }) => payload as Jobs['send-mail'])
const recipients = async (id: string) => ok(await alice.call('GET', `/${id}/recipients`)).json()
/** Returns a subject without the encoding of RFC 2047. */
function subjectOf({ headers: { subject = '' } }: Received): string {
  const quoted = subject.replace(/\?=\s*=\?UTF-8\?Q\?/g, '').replace(/^=\?UTF-8\?Q\?|\?=$/g, '')
  return decodeURIComponent(
    quoted
      .replaceAll('%', '%25')
      .replaceAll('_', ' ')
      .replace(/=([0-9A-F]{2})/g, '%$1'),
  )
}
/** Sends the queued emails, as the worker does. */
async function deliver(): Promise<void> {
  const jobs = mailJobs()
  queue.jobs.length = 0
  for (const job of jobs) await sendMail(ctx, job).catch(() => {})
}

t.test('rejects recipients when an administrator has turned them off or email does not work', async (t) => {
  const create = () => alice.create('off', { recipients: ['ann@example.com'] })
  t.same(refusal(await create()), [400, 'recipients_disabled'])
  await set(ctx, 'email.enableShareEmailRecipients', true)
  t.same(refusal(await create()), [400, 'recipients_disabled'])
  await set(ctx, 'email.enableShareEmailRecipients', false)
  await switchMailOn(ctx, server.port)
  t.same(refusal(await create()), [400, 'recipients_disabled'])
  t.equal((await alice.create('off', { recipients: [] })).statusCode, 201, 'an empty list is accepted')
  await set(ctx, 'email.enableShareEmailRecipients', true)
})

t.test('emails each address once, using the template, when the share opens', async (t) => {
  await set(ctx, 'email.shareRecipientsSubject', '{creator} ({creatorEmail}) shares')
  await set(ctx, 'email.shareRecipientsMessage', 'See {shareUrl}\n{desc}\n{expires}')
  ok(
    await alice.create('letter', {
      description: 'the note',
      expiration: 'never',
      recipients: ['Ann@Example.com', 'ann@example.COM', 'bo@example.com'],
    }),
  )
  await alice.file('letter', 'a.txt', 'a')
  t.match(await recipients('letter'), [
    { email: 'Ann@Example.com', state: 'waiting', error: null, sentAt: null },
    { email: 'bo@example.com', state: 'waiting' },
  ])
  t.same(mailJobs(), [])
  ok(await alice.call('POST', '/letter/complete'))
  t.equal(mailJobs().length, 2)
  t.match(await recipients('letter'), [{ state: 'queued' }, { state: 'queued' }])
  t.match(ok(await alice.call('GET', '')).json(), [{ id: 'letter', recipients: ['Ann@Example.com', 'bo@example.com'] }])
  await deliver()
  t.same(server.received.map(({ to }) => to).sort(), [['Ann@Example.com'], ['bo@example.com']], 'recipients do not see each other')
  t.match(server.received[0], {
    headers: { subject: 'alice (alice@example.com) shares' },
    text: /^See http:\/\/localhost:80\/share\/\w{12}\nthe note\nnever$/,
  })
  const [told] = await recipients('letter')
  t.equal(told.state, 'sent')
  t.ok(Date.parse(told.sentAt))
  t.same(refusal(await alice.call('POST', `/letter/recipients/${told.id}/retry`)), [400, 'recipient_not_failed'])
})

t.test('says by default who sent what, with a button, and replies go to a verified sender', async (t) => {
  const since = server.received.length
  const ben = sharing(app, await signUp(app, 'ben'))
  const templates = await ctx.db.selectFrom('setting').selectAll().where('key', 'like', 'email.shareRecipients%').execute()
  await ctx.db.deleteFrom('setting').where('key', 'like', 'email.shareRecipients%').execute()
  const files = { 'b.pdf': Buffer.alloc(87_000, 1), 'photos/a.jpg': Buffer.alloc(200_000, 1) }
  await ben.share('roof', files, { name: 'Offer for the roof', recipients: ['ann@example.com'] })
  await ben.share('unnamed', files, { recipients: ['ann@example.com'] })
  await ctx.db.updateTable('user').set({ emailVerified: false }).where('username', '=', 'ben').execute()
  await ben.share('long', { [`${'long '.repeat(40)}.txt`]: 'x' }, { recipients: ['ann@example.com'] })
  await set(ctx, 'general.language', 'de-DE')
  await ben.share('german', files, { recipients: ['ann@example.com'] })
  await set(ctx, 'general.language', 'en-US')
  await deliver()
  const [roof, unnamed, long, german] = server.received.slice(since)
  t.equal(subjectOf(roof!), 'ben sent you “Offer for the roof” (2 files, 287 kB)')
  t.equal(roof!.headers['reply-to'], 'ben@example.com')
  t.match(roof!.text, /ben sent you “Offer for the roof” \(2 files, 287 kB\)\.\n\nhttp:\/\/localhost:80\/share\/\w{12}\n/)
  t.match(roof!.html, /<a href="http:\/\/localhost:80\/share\/\w{12}" class="button"[^>]*>Download<\/a>/)
  t.equal(subjectOf(unnamed!), 'ben sent you “b.pdf and 1 more” (2 files, 287 kB)')
  t.match(subjectOf(long!), /^ben sent you “(long )+l?o?n?g?…” \(1 file, 1 B\)$/)
  t.equal(long!.headers['reply-to'], undefined, 'an address that is not verified gets no replies')
  t.match(german!.text, /\/share\/\w{12}$/m)
  t.same(await ctx.db.selectFrom('mail').select('replyTo').where('replyTo', 'is not', null).where('state', '<>', 'sent').execute(), [])
  for (const { key, value } of templates) await set(ctx, key as Parameters<typeof set>[1], value)
})

t.test('suggests the addresses that a user has sent shares to, the last used first', async (t) => {
  const cora = await signUp(app, 'cora')
  const known = async (headers = cora) => (await app.inject({ url: '/api/recipients', headers })).json()
  t.same(await known(), [])
  ok(await sharing(app, cora).create('first', { recipients: ['Old@example.com', 'new@example.com'] }))
  await ctx.db
    .updateTable('knownRecipient')
    .set({ usedAt: new Date(Date.now() - 60_000) })
    .execute()
  ok(await sharing(app, cora).call('PATCH', '/first', { recipients: ['NEW@example.com'] }))
  t.same(await known(), ['NEW@example.com', 'Old@example.com'])
  ok(await sharing(app, cora).call('DELETE', '/first'))
  t.equal((await known()).length, 2, 'also after the share is deleted')
  t.same(await known(await signUp(app, 'curious')), [], 'only to that user')
  t.equal((await app.inject({ url: '/api/recipients' })).statusCode, 401)
  await ctx.db
    .updateTable('knownRecipient')
    .set({ usedAt: new Date(Date.now() - 366 * 86_400_000) })
    .execute()
  t.same(await known(), [], 'for a year')
})

t.test('remembers the same addresses in two orders at once', async (t) => {
  await signUp(app, 'dora')
  const { id } = await ctx.db.selectFrom('user').select('id').where('username', '=', 'dora').executeTakeFirstOrThrow()
  const [first, second, third] = addresses(3) as [string, string, string]
  const remember = (...emails: string[]) => rememberRecipients(ctx.db, id, emails, new Date())
  await remember(first, second, third)
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const both = await ctx.db.transaction().execute(async (tx) => {
    await rememberRecipients(tx, id, [second], new Date())
    const calls = [remember(first, second, third), remember(third, second, first)]
    await eventually(async () => (await waiting.execute(ctx.db)).rows.length === 2, 'both wait')
    return { calls }
  })
  await t.resolves(Promise.all(both.calls))
})

t.test('emails no address twice, not after an edit and not when it is added again', async (t) => {
  server.received.length = 0
  ok(await alice.call('DELETE', '/letter/complete'))
  await alice.file('letter', 'b.txt', 'b')
  ok(await alice.call('PATCH', '/letter', { recipients: ['cy@example.com', 'BO@example.com'] }))
  t.match((await recipients('letter')).at(-1), { email: 'cy@example.com', state: 'waiting' }, 'while it is being edited')
  t.same(mailJobs(), [])
  ok(await alice.call('POST', '/letter/complete'))
  await deliver()
  t.same(
    server.received.map(({ to }) => to),
    [['cy@example.com']],
  )
  ok(await alice.call('PATCH', '/letter', { recipients: ['dee@example.com', 'cy@example.com'] }))
  await deliver()
  t.same(
    server.received.map(({ to }) => to),
    [['cy@example.com'], ['dee@example.com']],
    'and later ones at once',
  )
  t.match(
    (await recipients('letter')).map(({ state }: { state: string }) => state),
    ['sent', 'sent', 'sent', 'sent'],
  )
})

t.test('allows at most a hundred recipients, in one call or in several', async (t) => {
  const over = await alice.create('crowd', { recipients: addresses(101) })
  t.same(refusal(over), [400, 'validation_failed'])
  t.equal(over.json().issues[0].path, 'recipients')
  ok(await alice.create('crowd', { recipients: addresses(99) }))
  const answer = await alice.call('PATCH', '/crowd', { name: 'changed', recipients: addresses(2, 99) })
  t.same(refusal(answer), [400, 'too_many_recipients'])
  t.equal(answer.json().max, 100)
  t.same(
    refusal(await alice.call('PATCH', '/crowd', { recipients: addresses(1_000) })),
    [400, 'too_many_recipients'],
    'nor a much larger number',
  )
  t.equal((await recipients('crowd')).length, 99)
  t.equal(ok(await alice.call('GET', '/crowd/from-owner')).json().name, null, 'nothing was changed')
  const many = await Promise.all([
    alice.call('PATCH', '/crowd', { recipients: ['x@example.com'] }),
    alice.call('PATCH', '/crowd', { recipients: ['y@example.com'] }),
  ])
  t.same(many.map(({ statusCode }) => statusCode).sort(), [200, 400], 'nor concurrently')
  t.equal((await recipients('crowd')).length, 100)
  ok(await alice.call('PATCH', '/crowd', { recipients: addresses(100).slice(0, 50) }))
})

t.test('shows a failure with the mail server’s words, and retries on request', async (t) => {
  const stern = await mailServer(t, { refuseRecipient: '550 no such user' })
  await set(ctx, 'smtp.port', stern.port)
  ok(await alice.create('wrong', { recipients: ['gone@example.com', 'kept@example.com'] }))
  await alice.file('wrong', 'a.txt', 'a')
  ok(await alice.call('POST', '/wrong/complete'))
  await deliver()
  const [failed, other] = await recipients('wrong')
  t.match(failed, { email: 'gone@example.com', state: 'failed', error: /no such user/ })
  await set(ctx, 'smtp.port', server.port)
  server.received.length = 0
  const retry = await alice.call('POST', `/wrong/recipients/${failed.id}/retry`)
  t.match(ok(retry).json(), { id: failed.id, state: 'queued', error: null })
  t.same(refusal(await alice.call('POST', `/wrong/recipients/${failed.id}/retry`)), [400, 'recipient_not_failed'])
  await deliver()
  t.same(
    server.received.map(({ to }) => to),
    [['gone@example.com']],
  )
  t.match(await recipients('wrong'), [{ state: 'sent', error: null }, { state: 'failed' }])
  for (const id of ['nonsense', failed.id.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0'))]) {
    t.same(refusal(await alice.call('POST', `/wrong/recipients/${id}/retry`)), [404, 'recipient_not_found'], id)
  }
  t.same(
    refusal(await alice.call('POST', `/letter/recipients/${other.id}/retry`)),
    [404, 'recipient_not_found'],
    'a recipient of another share',
  )

  await ctx.db.deleteFrom('mail').where('shareId', '=', 'wrong').execute()
  t.match(
    await recipients('wrong'),
    [
      { state: 'sent', sentAt: String },
      { state: 'failed', error: /no such user/ },
    ],
    'the state outlives the email',
  )
  ok(await alice.call('POST', `/wrong/recipients/${other.id}/retry`))
  await deliver()
  t.match(await recipients('wrong'), [{ state: 'sent' }, { state: 'sent', error: null }])
})

t.test('opens the share at once while the mail server is down, and sends the emails later', async (t) => {
  const away = await mailServer(t)
  await away.stop()
  await set(ctx, 'smtp.port', away.port)
  ok(await alice.create('patient', { recipients: addresses(20) }))
  await alice.file('patient', 'a.txt', 'a')
  t.equal((await alice.call('POST', '/patient/complete')).statusCode, 202)
  t.equal(mailJobs().length, 20)
  queue.jobs.splice(1)
  await deliver()
  t.equal((await recipients('patient')).filter(({ state }: { state: string }) => state === 'queued').length, 20)
  await set(ctx, 'smtp.port', server.port)
})

t.test('opens the share even if email was turned off before', async (t) => {
  ok(await alice.create('silent', { recipients: ['ann@example.com'] }))
  await alice.file('silent', 'a.txt', 'a')
  await set(ctx, 'smtp.enabled', false)
  t.equal((await alice.call('POST', '/silent/complete')).statusCode, 202)
  t.match(await recipients('silent'), [{ state: 'waiting' }])
  const [{ id }] = await recipients('silent')
  t.same(refusal(await alice.call('POST', `/silent/recipients/${id}/retry`)), [400, 'recipients_disabled'])
  await set(ctx, 'smtp.enabled', true)
  queue.jobs.length = 0
  ok(await alice.call('PATCH', '/silent', { recipients: ['ann@example.com'] }))
  t.equal(mailJobs().length, 1, 'a retry sends the email')
  queue.jobs.length = 0
})

t.test('counts visitors of shares with recipients, and refuses recipients from senders to a link', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const create = () => visitor.call('POST', '', { recipients: ['ann@example.com'] })
  for (let n = 0; n < 10; n++) ok(await create())
  t.same(refusal(await create()), [429, 'too_many_emails'])
  const later = ok(await visitor.call('POST', '', { id: 'later' }))
  const guest = sharing(app, cookiesOf(later))
  t.same(refusal(await guest.call('PATCH', '/later', { recipients: ['ann@example.com'] })), [429, 'too_many_emails'], 'nor later')
  ok(await guest.call('PATCH', '/later', { name: 'without' }))
  ok(await alice.create('signed-in', { recipients: ['ann@example.com'] }))
  await set(ctx, 'share.allowUnauthenticatedShares', false)
  await reversing(app, aliceHeaders).link('inward')
  const answer = ok(await visitor.call('POST', '', { id: 'came-in', reverseShareToken: 'inward' }))
  const sender = sharing(app, cookiesOf(answer))
  t.same(refusal(await sender.call('PATCH', '/came-in', { recipients: ['ann@example.com'] })), [400, 'recipients_disabled'])
})

t.test('limits emails to recipients by account, before anything is created', async (t) => {
  const carol = sharing(app, await signUp(app, 'carol'))
  ok(await carol.create('bulk-1', { recipients: addresses(100, 1000) }))
  t.same(
    refusal(await carol.create('bulk-1', { recipients: addresses(100, 1100) })),
    [400, 'share_id_taken'],
    'a rejected call consumes nothing',
  )
  ok(await carol.create('bulk-2', { recipients: addresses(99, 1100) }))
  const refused = await carol.create('bulk-3', { recipients: addresses(2, 1200) })
  t.same(refusal(refused), [429, 'too_many_emails'])
  const wait = Number(refused.headers['retry-after'])
  t.ok(wait > 3000 && wait <= 3600, `${wait}`)
  t.equal((await carol.call('GET', '/bulk-3/from-owner')).statusCode, 404)
  ok(await carol.call('PATCH', '/bulk-2', { recipients: ['last@example.com'] }))
  t.same(refusal(await carol.call('PATCH', '/bulk-1', { recipients: ['over@example.com'] })), [429, 'too_many_emails'])
})

t.test('limits emails to one address to ten an hour from one sender and thirty in total', async (t) => {
  let sent = 0
  for (const name of ['doris', 'erik', 'fred', 'gina']) {
    const sender = sharing(app, await signUp(app, name))
    for (let n = 0; n < 11; n++) {
      const answer = await sender.call('POST', '', { recipients: ['Target@example.com'] })
      if (answer.statusCode === 201) sent++
      else t.same(refusal(answer), [429, 'too_many_emails'])
    }
  }
  t.equal(sent, 30)
})

t.test('counts an email that is sent again', async (t) => {
  const hugo = sharing(app, await signUp(app, 'hugo'))
  await hugo.share('retried', { 'a.txt': 'a' }, { recipients: ['retry@example.com'] })
  const [recipient] = ok(await hugo.call('GET', '/retried/recipients')).json()
  const again = async () => {
    await ctx.db.updateTable('mail').set({ state: 'failed' }).where('shareId', '=', 'retried').execute()
    return hugo.call('POST', `/retried/recipients/${recipient.id}/retry`)
  }
  for (let n = 0; n < 9; n++) ok(await again())
  t.same(refusal(await again()), [429, 'too_many_emails'])
})

t.test('deletes recipients and their emails together with the share', async (t) => {
  ok(await alice.create('bye', { recipients: ['ann@example.com'] }))
  await alice.file('bye', 'a.txt', 'a')
  ok(await alice.call('POST', '/bye/complete'))
  await destroy(ctx, alice, 'bye')
  t.same(await ctx.db.selectFrom('shareRecipient').select('id').where('shareId', '=', 'bye').execute(), [])
  t.same(await ctx.db.selectFrom('mail').select('id').where('shareId', '=', 'bye').execute(), [])
  ok(await alice.create('bye', { recipients: ['ann@example.com'] }))
  t.match(await recipients('bye'), [{ state: 'waiting' }], 'a new share with the link starts fresh')
})
