import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { readSettings } from '../../src/config/service.ts'
import type { Context } from '../../src/context.ts'
import { enqueueWrittenMails, writeMail } from '../../src/mail/service.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { sendMail } from '../../worker/send-mail.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { queueMail } from '../support/mails.ts'
import { signUp } from '../support/people/people.ts'
import { set, sharing } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

t.setTimeout(120_000)
const MINUTE = 60_000
const login = { user: 'razorbill', pass: 'a secret' }

async function setUp(t: Parameters<typeof testApp>[0]) {
  const queue = waitingJobs()
  const { app, ctx } = await testApp(t, { queue, log: keptLog() })
  const texts = await readSettings(ctx)
  /** Runs every waiting job; returns the messages of those that failed permanently. */
  async function work(more: Partial<Context> = {}): Promise<string[]> {
    const failures: string[] = []
    for (const { name, payload } of queue.jobs.splice(0)) {
      if (name === 'send-mail')
        await sendMail({ ...ctx, ...more }, payload as { mailId: string }).catch((error) => failures.push(error.message))
    }
    return failures
  }
  return {
    app,
    ctx,
    queue,
    texts,
    work,
    reset: (to = 'ann@example.com') =>
      queueMail(ctx, texts, { to, kind: 'resetPassword', variables: { url: 'https://files.example.com/auth/resetPassword/abc' } }),
    cleanUp: (minutes: number) => cleanUp({ ...ctx, ...ahead(minutes) }, {}, new AbortController().signal),
    rows: () => ctx.db.selectFrom('mail').selectAll().orderBy('createdAt').execute(),
  }
}

const described = { title: 'Offer', files: '2 files', size: '1 kB' }
const ahead = (minutes: number) => ({ now: () => new Date(Date.now() + minutes * MINUTE) })

t.test('sends a message as plain text and HTML, and deletes its body afterwards', async (t) => {
  const { ctx, reset, work, rows } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await set(ctx, 'general.appName', 'Tom & Ann "Files"')
  await reset()
  const [waiting] = await rows()
  t.match(waiting, { state: 'queued', recipient: 'ann@example.com', kind: 'resetPassword' })
  t.notMatch(waiting!.body, /resetPassword|abc/, 'encrypted at rest')
  t.same(await work(), [])
  t.equal(server.received.length, 1)
  const { from, to, headers, text, html } = server.received[0]!
  t.same([from, to], ['razorbill@example.com', ['ann@example.com']])
  t.equal(headers.subject, 'Reset your password')
  t.equal(headers.from, '"Tom & Ann \\"Files\\"" <razorbill@example.com>')
  t.equal(headers['message-id'], `<${waiting!.id}@example.com>`)
  t.equal(headers['auto-submitted'], 'auto-generated')
  t.match(text, /^Hello,\n\n.*\n\nhttps:\/\/files\.example\.com\/auth\/resetPassword\/abc\n\n/s)
  t.match(
    html,
    /<a href="(https:\/\/files\.example\.com\/auth\/resetPassword\/abc)" class="button"[^>]*>Choose a new password<\/a>.*\1<\/span>/,
  )
  const [sent] = await rows()
  t.match(sent, { state: 'sent', body: null, error: null, attempts: 1 })
  t.ok(sent!.sentAt)
})

t.test('chooses TLS by port, or as configured', async (t) => {
  const { ctx, reset, work, rows, cleanUp } = await setUp(t)
  const servers = {
    none: await mailServer(t, { tls: 'none', login }),
    starttls: await mailServer(t, { tls: 'starttls', login }),
    implicit: await mailServer(t, { tls: 'implicit', login }),
  }
  const credentials = { username: login.user, password: login.pass }
  const trusting = { ...credentials, allowUnauthorizedCertificates: true }
  for (const [kind, settings, secure] of [
    ['none', { ...credentials, tls: 'auto' }, false],
    ['starttls', { ...trusting, tls: 'auto' }, true],
    ['starttls', { ...trusting, tls: 'starttls' }, true],
    ['starttls', { ...credentials, tls: 'none' }, false],
    ['implicit', { ...trusting, tls: 'implicit' }, true],
  ] as const) {
    await switchMailOn(ctx, servers[kind].port, { allowUnauthorizedCertificates: false, ...settings })
    await reset()
    t.same(await work(), [])
    t.match(servers[kind].received.pop(), { secure, user: login.user }, `${kind}, ${settings.tls}`)
  }
  await switchMailOn(ctx, servers.none.port, { ...trusting, tls: 'starttls' })
  await reset('never-in-clear@example.com')
  await work()
  await switchMailOn(ctx, servers.implicit.port, { ...credentials, tls: 'implicit', allowUnauthorizedCertificates: false })
  await reset('never-to-a-stranger@example.com')
  await work()
  t.same([servers.none.received, servers.implicit.received], [[], []])
  const waiting = (await rows()).filter(({ state }) => state === 'queued')
  t.match(waiting[0]!.error, /STARTTLS/)
  t.match(waiting[1]!.error, /self.signed|expired|certificate/i)
  await switchMailOn(ctx, servers.implicit.port, trusting)
  await cleanUp(1)
  await work()
  t.equal(servers.implicit.received.length, 2, 'they are sent when the settings are right')
})

t.test('queues an email while the server is down or the password is wrong, then sends it once', async (t) => {
  const { ctx, queue, reset, work, rows, cleanUp } = await setUp(t)
  const first = await mailServer(t, { login })
  await first.stop()
  await switchMailOn(ctx, first.port)
  await reset()
  t.same(await work(), [], 'an unreachable server does not fail the job')
  t.match((await rows())[0], { state: 'queued', attempts: 1, error: /ECONNREFUSED/ })
  await cleanUp(0)
  t.same(queue.jobs, [], 'not before it is due')
  const server = await mailServer(t, { login, port: first.port })
  await switchMailOn(ctx, server.port, { username: login.user, password: 'wrong' })
  await cleanUp(1)
  t.same(await work(), [])
  t.match((await rows())[0], { state: 'queued', attempts: 2, error: /535 5\.7\.8 These credentials are not ours/ })
  await switchMailOn(ctx, server.port, { username: login.user, password: login.pass })
  await cleanUp(1)
  t.same(queue.jobs.length, 1)
  await work()
  t.match(await rows(), [{ state: 'sent', attempts: 3 }])
  await cleanUp(60)
  await enqueueWrittenMails(ctx, [(await rows())[0]!.id])
  await work()
  t.equal(server.received.length, 1)
})

t.test('needs no setting after the claim, because a failure would look like one during delivery', async (t) => {
  const { ctx, reset, work, rows } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await reset()
  await sql`create function lose_settings() returns trigger language plpgsql as
    $$ begin alter table setting rename to lost_setting; return null; end $$`.execute(ctx.db)
  await sql`create trigger lose_settings after update on mail for each row when (new.state = 'sending')
    execute function lose_settings()`.execute(ctx.db)
  t.same(await work(), [])
  t.match(await rows(), [{ state: 'sent' }])
})

t.test('sends an email once with many workers at once', async (t) => {
  const { ctx, reset, rows } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await reset()
  const [{ id: mailId } = { id: '' }] = await rows()
  await Promise.all(Array.from({ length: 10 }, () => sendMail(ctx, { mailId })))
  t.equal(server.received.length, 1)
})

t.test('does not send an email again when the connection breaks after the message', async (t) => {
  const { ctx, reset, work, rows, cleanUp } = await setUp(t)
  const server = await mailServer(t, { cutAfterBody: true })
  await switchMailOn(ctx, server.port)
  await reset()
  t.match(await work(), [/may have arrived/])
  t.match(await rows(), [{ state: 'failed', error: /may have arrived/ }])
  await cleanUp(60)
  await work()
  t.equal(server.received.length, 1)
})

t.test('does not retry by itself after a worker dies while sending, and marks the row', async (t) => {
  const { ctx, queue, reset, rows, cleanUp } = await setUp(t)
  await reset()
  queue.jobs.length = 0
  await ctx.db.updateTable('mail').set({ state: 'sending', claimedAt: new Date() }).execute()
  await cleanUp(5)
  t.match(await rows(), [{ state: 'sending' }], 'an email that is being sent is left alone')
  await cleanUp(11)
  t.match(await rows(), [{ state: 'failed', error: /may have arrived/ }])
  t.same(queue.jobs, [])
})

t.test('releases the email when a worker stops while it waits for the server', async (t) => {
  const { ctx, reset, rows } = await setUp(t)
  const silent = createServer(() => connected.resolve()).listen(0, '127.0.0.1')
  const connected = Promise.withResolvers<void>()
  t.teardown(() => silent.close())
  await once(silent, 'listening')
  await switchMailOn(ctx, (silent.address() as AddressInfo).port)
  await reset()
  const stopping = new AbortController()
  const sending = sendMail(ctx, { mailId: (await rows())[0]!.id }, stopping.signal)
  await connected.promise
  t.match(await rows(), [{ state: 'sending' }])
  stopping.abort()
  await sending
  t.match(await rows(), [{ state: 'queued' }])
})

t.test("fails at once with the server's words when the server refuses", async (t) => {
  const { ctx, reset, work, rows } = await setUp(t)
  const server = await mailServer(t, { refuseRecipient: '550 5.1.1 No such user here' })
  await switchMailOn(ctx, server.port)
  await reset()
  t.match(await work(), [/550 5\.1\.1 No such user here/])
  t.match(await rows(), [{ state: 'failed', error: /550 5\.1\.1 No such user here/ }])
})

t.test('sends to international domains in ASCII, and to international names only where the server supports them', async (t) => {
  const { ctx, reset, work, rows } = await setUp(t)
  const plain = await mailServer(t, { asciiOnly: true })
  await switchMailOn(ctx, plain.port, { email: 'razorbill@bücher.example' })
  for (const recipient of ['x@bücher.example', 'jörg@example.com', 'ann@example.com']) await reset(recipient)
  t.match(await work(), [/does not support addresses with letters such as ü or é before the @ \(SMTPUTF8\): jörg@example\.com/])
  const asAscii = (address = '') => address.replace('bücher', 'xn--bcher-kva') // the test's server decodes what it received
  t.same(plain.received.map(({ to }) => asAscii(to[0])).sort(), ['ann@example.com', 'x@xn--bcher-kva.example'])
  t.match(plain.received[0], { headers: { 'message-id': /@xn--bcher-kva\.example>$/ } })
  const failed = (await rows()).filter(({ state }) => state === 'failed')
  t.match(failed, [{ recipient: 'jörg@example.com' }], 'that recipient alone')
  const modern = await mailServer(t)
  await switchMailOn(ctx, modern.port)
  await reset('jörg@bücher.example')
  t.same(await work(), [])
  t.equal(modern.received.length, 1)
})

t.test('retries later on a temporary refusal', async (t) => {
  const { ctx, reset, work, rows } = await setUp(t)
  const server = await mailServer(t, { refuseRecipient: '451 4.7.1 Greylisted' })
  await switchMailOn(ctx, server.port)
  await reset()
  t.same(await work(), [])
  t.match(await rows(), [{ state: 'queued', error: /451 4\.7\.1 Greylisted/ }])
})

t.test('keeps an email for at most three days while email is off', async (t) => {
  const { reset, work, rows, cleanUp } = await setUp(t)
  await reset()
  t.same(await work(), [])
  t.match(await rows(), [{ state: 'queued', error: 'Email is turned off' }])
  await cleanUp(72 * 60)
  t.match(await work(ahead(72 * 60)), ['Email is turned off'])
  t.match(await rows(), [{ state: 'failed' }])
  await cleanUp(31 * 24 * 60)
  t.same(await rows(), [], 'deleted after a month')
})

t.test('sends no email of a rolled-back transaction, and sends one that was not enqueued', async (t) => {
  const { ctx, texts, queue, work, rows, cleanUp } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  const mail = { to: 'ann@example.com', kind: 'reverseShare', variables: { shareUrl: 'https://files.example.com/s/x' } } as const
  const failing = ctx.db.transaction().execute(async (db) => {
    await writeMail({ ...ctx, db }, texts, mail)
    throw new Error('no')
  })
  await t.rejects(failing)
  t.same(await rows(), [])
  await ctx.db.transaction().execute((db) => writeMail({ ...ctx, db }, texts, mail))
  await cleanUp(1)
  t.equal(queue.jobs.length, 1)
  await work()
  t.equal(server.received.length, 1)
})

t.test('does not let user input add a header, a recipient, an element or another template', async (t) => {
  const { app, ctx, texts, queue, work } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await sharing(app, await signUp(app, 'owner')).share('nasty', { 'a.txt': 'a' })
  const evil =
    'x\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script> {shareUrl} $& "><img src=x onerror=alert(1)> http://evil.example/"onclick="x'
  const nasty = { ...texts, 'email.shareRecipientsSubject': '{creator} shares {desc}' }
  await queueMail(ctx, nasty, {
    to: 'ann@example.com',
    kind: 'shareRecipients',
    shareId: 'nasty',
    variables: {
      creator: evil,
      ...described,
      shareUrl: 'https://files.example.com/s/nasty?a=1&b=2',
      desc: evil,
      expires: new Date('2026-12-01T14:30:00Z'),
    },
  })
  t.same(await work(), [])
  t.equal(server.received.length, 1)
  const { to, headers, text, html } = server.received[0]!
  t.same(to, ['ann@example.com'])
  t.notOk(headers.bcc)
  t.match(text, '$& "><img')
  t.match(text, '{shareUrl} $&', 'a variable is not a template')
  t.match(text, 'https://files.example.com/s/nasty?a=1&b=2')
  t.match(text, 'The link expires: December 1, 2026 at 2:30 PM UTC')
  t.notMatch(html, /<(script|img)/i)
  t.notMatch(html, /<[^>]*\son\w+=/i)
  t.match(html, '<a href="https://files.example.com/s/nasty?a=1&amp;b=2" ')
  const mails = await ctx.db.selectFrom('mail').select(['recipient', 'state', 'error']).where('shareId', '=', 'nasty').execute()
  t.match(mails, [{ recipient: 'ann@example.com', state: 'sent', error: null }])
  t.same(queue.jobs, [])
})

t.test('replaces empty variables with default text, and leaves out the line of an empty message', async (t) => {
  const { ctx, texts, work } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await queueMail(ctx, texts, {
    to: 'ann@example.com',
    kind: 'shareRecipients',
    variables: { creator: null, ...described, shareUrl: 'https://files.example.com/s/x', desc: null, expires: null },
  })
  await queueMail(
    ctx,
    { ...texts, 'email.inviteMessage': 'Hi {email},\\n{url} {password}{unknown}' },
    { to: 'zoë@exämple.com', kind: 'invite', variables: { url: 'https://files.example.com/i', password: 'pw' } },
  )
  const edited = 'Hello\\n{desc}\\n\\n{title}: {desc}\\nNote : {desc}\\nメモ：{desc}\\n{shareUrl}'
  await queueMail(
    ctx,
    { ...texts, 'email.shareRecipientsMessage': edited },
    {
      to: 'bob@example.com',
      kind: 'shareRecipients',
      variables: { creator: null, ...described, shareUrl: 'https://files.example.com/s/x', desc: null, expires: null },
    },
  )
  await work()
  t.match(server.received[0]!.text, /Someone sent you “Offer” \(2 files, 1 kB\).*The link expires: never\n*$/s)
  t.equal(server.received[1]!.text, 'Hi zoë@exämple.com,\nhttps://files.example.com/i pw{unknown}')
  t.equal(server.received[2]!.text.trimEnd(), 'Hello\n\nOffer: No description\nhttps://files.example.com/s/x', 'other lines stay')
})

t.test('uses the language of the site for templates that were not customized', async (t) => {
  const { ctx, work } = await setUp(t)
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await set(ctx, 'general.language', 'de-DE')
  await set(ctx, 'email.inviteSubject', 'Welcome')
  const variables = {
    creator: null,
    ...described,
    shareUrl: 'https://files.example.com/s/x',
    desc: null,
    expires: new Date('2026-12-01T14:30:00Z'),
  }
  await queueMail(ctx, await readSettings(ctx), { to: 'ann@example.com', kind: 'shareRecipients', variables })
  await queueMail(ctx, await readSettings(ctx), {
    to: 'ann@example.com',
    kind: 'invite',
    variables: { url: 'https://files.example.com/i' },
  })
  await work()
  const [share, invitation] = server.received
  t.match(share, { headers: { subject: /^=\?UTF-8\?Q\?Jemand_hat_Ihnen_/ }, text: /^Guten Tag,\n\nJemand hat/ })
  t.match(share!.text, /Der Link läuft ab: 1\. Dezember 2026 um 14:30 UTC\n*$/)
  t.match(invitation, { headers: { subject: 'Welcome' }, text: /^Guten Tag,/ })
})
