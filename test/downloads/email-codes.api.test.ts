import { sql } from 'kysely'
import t from 'tap'
import { downloadsContract } from '../../src/downloads/contract.ts'
import { emailKeyOf } from '../../src/mail/email-key.ts'
import { previewsContract } from '../../src/previews/contract.ts'
import type { Jobs } from '../../src/queue/jobs.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { sendMail } from '../../worker/send-mail.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { eventually } from '../support/app/worker.ts'
import { addVerifiedLink, mailedCode } from '../support/email-codes.ts'
import { signUp } from '../support/people/people.ts'
import { type Answer, cookiesOf, ok, refusal, sharing } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

let clock = new Date('2026-03-01T10:00:00.000Z')
const wait = (minutes: number) => (clock = new Date(clock.getTime() + minutes * 60_000))
const queue = waitingJobs()
const log = keptLog()
const { app, ctx } = await testApp(t, { queue, log, now: () => clock })
await signUp(app, 'root')
const alice = sharing(app, await signUp(app, 'alice'))
const bob = sharing(app, await signUp(app, 'bob'))
const visitor = sharing(app)
const opening = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** Shares a file with a recipient, whose link asks for a code. Returns the id of the file. */
async function shareWith(id: string, rules: object = {}): Promise<string> {
  const [file] = await alice.share(id, { 'secret.txt': 'hello' }, { name: 'Secret plan', ...rules })
  await addVerifiedLink(ctx, id, `${id}-ann`, annOf(id))
  return file!
}
const annOf = (id: string) => `ann-${id}@example.com`
/** Lets another code be sent for each link. */
const forgetLimits = (names = 'code-') => sql`delete from rate_limit where key like ${`${names}%`}`.execute(ctx.db)
const request = (id: string, more: Record<string, string> = {}) => visitor.call('POST', `/${id}-ann/code`, undefined, more)
const verify = (id: string, code: string) => visitor.call('POST', `/${id}-ann/code/verify`, { code })
async function codeFor(id: string): Promise<string> {
  await forgetLimits()
  ok(await request(id))
  return mailedCode(ctx, annOf(id))
}
const wrong = (code: string) => (code === '000000' ? '111111' : '000000')
/** Opens the link on a device that the recipient has confirmed. Returns its cookies. */
const confirm = async (id: string) => cookiesOf(ok(await verify(id, await codeFor(id))))

const kept = await shareWith('kept', { expiration: 'never' }) // before the clock ends alice's session

t.test('sends no code while email is turned off', async (t) => {
  await shareWith('off')
  t.same(refusal(await request('off')), [403, 'smtp_disabled'])
  await switchMailOn(ctx, (await mailServer(t)).port)
})

t.test('closes every route of the link until the device is confirmed, also to a visitor with its unlock cookie', async (t) => {
  const file = await shareWith('closed')
  await ctx.db.updateTable('shareLink').set({ verifyEmail: false }).where('id', '=', 'closed-ann').execute()
  const unlocked = await visitor.unlock('closed-ann')
  ok(await visitor.call('GET', '/closed-ann', undefined, unlocked))
  await ctx.db.updateTable('shareLink').set({ verifyEmail: true }).where('id', '=', 'closed-ann').execute()
  const device = await confirm('closed')
  const confirmed = { cookie: `${unlocked.cookie}; ${device.cookie}` }
  const bodies: Record<string, object> = { 'POST /api/shares/:id/token': {}, 'POST /api/shares/:id/selections': { files: [file] } }
  const keys = Object.keys({ ...downloadsContract, ...previewsContract })
  t.ok(keys.length >= 9)
  for (const key of keys) {
    const [method, path] = key.split(' ') as ['GET', string]
    const url = path.replace('/api/shares/:id', '/closed-ann').replace(':fileId', file)
    for (const person of [visitor, bob]) {
      for (const cookies of [{}, unlocked]) {
        const answer = await person.call(method, url, bodies[key], cookies)
        t.same(refusal(answer), [403, 'email_code_required'], key)
        t.notMatch(answer.body, /Secret|secret|alice|ann-closed/, 'nothing of the share is revealed')
      }
      if (method === 'GET') t.equal((await person.call('HEAD', url, undefined, unlocked)).statusCode, 403, `HEAD ${key}`)
    }
    t.not(errorOf(await visitor.call(method, url, bodies[key], confirmed)), 'email_code_required', key)
  }
  const html = (await app.inject({ url: '/share/closed-ann', headers: { ...opening, ...unlocked } })).body
  t.notMatch(html, /Secret|secret\.txt|ann-closed/)
  ok(await visitor.call('GET', '/closed-ann', undefined, confirmed))
  for (const url of [`/closed-ann/files/${file}`, '/closed-ann/files/zip']) {
    const answer = ok(await visitor.call('GET', url, undefined, device))
    t.equal(answer.headers['cache-control'], 'private, no-store, no-transform', 'no cache keeps it on the device')
  }
  t.equal((await visitor.call('GET', `/closed-ann/files/${file}`, undefined, unlocked)).statusCode, 403, 'a forwarded link opens nothing')
})

t.test('exempts the owner', async (t) => {
  const file = await shareWith('own')
  t.equal((await alice.call('GET', `/own-ann/files/${file}`)).body, 'hello')
  ok(await alice.call('POST', '/own-ann/token', {}))
})

t.test('ends codes and devices with the recipient', async (t) => {
  await shareWith('removed')
  const device = await confirm('removed')
  await codeFor('removed')
  await ctx.db.deleteFrom('shareRecipient').where('email', '=', annOf('removed')).execute()
  t.same(refusal(await visitor.call('GET', '/removed-ann', undefined, device)), [404, 'share_not_found'])
  t.same(await ctx.db.selectFrom('mail').where('recipient', '=', annOf('removed')).selectAll().execute(), [])
})

t.test('asks for the password after the code', async (t) => {
  const file = await shareWith('both')
  ok(await alice.call('PATCH', '/both/links/both-ann', { password: 'its password' }))
  t.same(refusal(await visitor.call('POST', '/both-ann/token', { password: 'its password' })), [403, 'email_code_required'])
  const device = await confirm('both')
  t.same(refusal(await visitor.call('GET', `/both-ann/files/${file}`, undefined, device)), [403, 'share_password_required'])
  const unlocked = cookiesOf(ok(await visitor.call('POST', '/both-ann/token', { password: 'its password' }, device)))
  t.equal(
    (await visitor.call('GET', `/both-ann/files/${file}`, undefined, { cookie: `${device.cookie}; ${unlocked.cookie}` })).body,
    'hello',
  )
})

t.test('emails six digits, and stores them only hashed and sealed', async (t) => {
  await shareWith('mailed')
  await forgetLimits()
  const answer = await request('mailed')
  t.same([answer.statusCode, answer.body], [204, ''])
  const code = await mailedCode(ctx, annOf('mailed'))
  const [mail] = await ctx.db.selectFrom('mail').selectAll().where('recipient', '=', annOf('mailed')).execute()
  t.equal(mail!.subject, 'Your code to open “Secret plan”')
  t.match(ctx.sealer.open(mail!.body!), /“Secret plan” from alice:\n\n\d{6}\n\n.*ignore this email/s)
  const rows = await sql`select row_to_json(m)::text as row from mail m union all select row_to_json(c)::text from email_code c`.execute(
    ctx.db,
  )
  t.notMatch(JSON.stringify(rows.rows), new RegExp(`(?<![\\w-])${code}(?![\\w-])`))
  t.match(await verify('mailed', ` ${code.slice(0, 3)} ${code.slice(3)} `), { statusCode: 200 }, 'spaces are ignored')
  t.notMatch(JSON.stringify(log.lines), new RegExp(`(?<![\\w-])${code}(?![\\w-])`))
})

t.test('accepts a code once, for its own link, and only the newest one', async (t) => {
  await shareWith('one')
  await shareWith('two')
  const first = await codeFor('one')
  const other = await codeFor('two')
  if (first !== other) t.same(refusal(await verify('one', other)), [403, 'wrong_code'])
  const second = await codeFor('one')
  if (first !== second) t.same(refusal(await verify('one', first)), [403, 'wrong_code'], 'it was replaced')
  const device = cookiesOf(ok(await verify('one', second)))
  t.same(refusal(await verify('one', second)), [410, 'code_expired'], 'it was used')
  const renamed = { cookie: device.cookie!.replace('one-ann', 'two-ann') }
  t.same(refusal(await visitor.call('GET', '/two-ann', undefined, renamed)), [403, 'email_code_required'])
  const fresh = await codeFor('two')
  const attempts = await Promise.all(Array.from({ length: 4 }, () => verify('two', fresh)))
  t.equal(attempts.filter(({ statusCode }) => statusCode === 200).length, 1, 'parallel uses of one code')
})

t.test('accepts a code for ten minutes', async (t) => {
  await shareWith('late')
  const code = await codeFor('late')
  wait(10)
  t.same(refusal(await verify('late', code)), [410, 'code_expired'])
  t.same(refusal(await verify('late', await codeFor('late'))), [200, undefined])
})

t.test('allows five tries, also in parallel', async (t) => {
  await shareWith('guessed')
  const code = await codeFor('guessed')
  for (const triesLeft of [4, 3, 2, 1, 0]) t.match((await verify('guessed', wrong(code))).json(), { error: 'wrong_code', triesLeft })
  t.same(refusal(await verify('guessed', wrong(code))), [410, 'code_expired'])
  t.same(refusal(await verify('guessed', code)), [410, 'code_expired'], 'the right one comes too late')
  const next = await codeFor('guessed')
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify('guessed', wrong(next))))
  const codes = answers.map((answer) => refusal(answer)[1])
  t.equal(codes.filter((error) => error === 'wrong_code').length, 5)
  t.equal(codes.filter((error) => error === 'code_expired').length, 15)
  t.same(refusal(await verify('guessed', next)), [410, 'code_expired'])
})

t.test('limits how often a code is sent, and how often one address guesses', async (t) => {
  await shareWith('limited')
  await forgetLimits()
  const answers = await Promise.all(Array.from({ length: 5 }, () => request('limited')))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [204, 429, 429, 429, 429], 'in parallel')
  const again = await request('limited')
  t.same(refusal(again), [429, 'too_many_requests'])
  t.ok(Number(again.headers['retry-after']) > 0 && Number(again.headers['retry-after']) <= 60)
  for (let sent = 1; sent < 5; sent++) {
    await forgetLimits('code-link:')
    ok(await request('limited'))
  }
  await forgetLimits('code-link:')
  const sixth = await request('limited')
  t.same(refusal(sixth), [429, 'too_many_requests'])
  t.ok(Number(sixth.headers['retry-after']) > 60, 'in an hour')
  await forgetLimits()
  await Promise.all(Array.from({ length: 100 }, () => verify('limited', '123456')))
  t.same(refusal(await verify('limited', '123456')), [429, 'too_many_requests'])
  await forgetLimits()
})

t.test('uses up no code of a link while its recipient gets none because of other links', async (t) => {
  await shareWith('crowded')
  await forgetLimits()
  const codesToRecipient = ctx.limiters({ name: 'code-recipient', attempts: 30, seconds: 3_600 })
  await codesToRecipient.consume(emailKeyOf(annOf('crowded')), 30)
  for (let tried = 0; tried < 6; tried++) t.same(refusal(await request('crowded')), [429, 'too_many_requests'])
  await forgetLimits('code-recipient')
  ok(await request('crowded'))
  await forgetLimits()
})

t.test('refuses links without codes, unknown links and other input as other calls do', async (t) => {
  await alice.share('plain', { 'a.txt': 'a' })
  ok(await alice.call('POST', '/plain/links', { id: 'plain-2' }))
  for (const id of ['plain', 'plain-2', 'unknown']) {
    t.same(refusal(await visitor.call('POST', `/${id}/code`)), [404, 'share_not_found'], id)
    t.same(refusal(await visitor.call('POST', `/${id}/code/verify`, { code: '123456' })), [404, 'share_not_found'], id)
  }
  await shareWith('input')
  for (const code of ['', '12345', '1234567', 'abcdef', '12345a', '１２３４５６', `${' '.repeat(40)}123456`])
    t.same(refusal(await verify('input', code)), [400, 'validation_failed'], code)
  t.equal((await visitor.call('POST', '/input-ann/code/verify', { code: '123456', more: 1 })).statusCode, 400)
  ok(await alice.call('PATCH', '/input/links/input-ann', { enabled: false }))
  t.same(refusal(await request('input')), [404, 'link_turned_off'])
})

t.test('records wrong codes for the owner, without the code', async (t) => {
  await shareWith('seen')
  const code = await codeFor('seen')
  await verify('seen', wrong(code))
  const activity = async () => ok(await alice.call('GET', '/seen/activity')).json()
  await eventually(async () => (await activity()).length > 0, 'it is recorded')
  const entries = await activity()
  t.match(entries, [{ kind: 'refused', reason: 'wrong_code', link: 'seen-ann' }])
  t.notMatch(JSON.stringify(entries), new RegExp(`"${code}"|"${wrong(code)}"`))
})

t.test('puts the email first, sends it only while the code works, and deletes both later', async (t) => {
  await shareWith('queued')
  queue.jobs.length = 0
  for (let n = 0; n < 3; n++) await queue.add('send-mail', { mailId: '00000000-0000-0000-0000-000000000000' })
  await codeFor('queued')
  t.match(queue.jobs[0], { id: /^mail-/ })
  const { mailId } = queue.jobs[0]!.payload as Jobs['send-mail']
  t.match(await ctx.db.selectFrom('mail').select('kind').where('id', '=', mailId).execute(), [{ kind: 'shareCode' }])
  await codeFor('queued')
  t.equal((await ctx.db.selectFrom('mail').where('recipient', '=', annOf('queued')).selectAll().execute()).length, 1, 'the newest')
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  const last = (queue.jobs[0]!.payload as Jobs['send-mail']).mailId
  wait(10)
  await sendMail(ctx, { mailId: last })
  t.same(server.received, [], 'it comes too late')
  await cleanUp(ctx, {}, new AbortController().signal)
  t.same(await ctx.db.selectFrom('mail').where('kind', '=', 'shareCode').selectAll().execute(), [])
  t.same(await ctx.db.selectFrom('emailCode').selectAll().execute(), [])
  await codeFor('queued')
  await sendMail(ctx, queue.jobs[0]!.payload as Jobs['send-mail'])
  t.match(server.received, [{ to: [annOf('queued')], html: />\d{6}<\/span>/ }])
})

t.test('sets a cookie for 30 days that scripts of pages cannot read, and keeps ten', async (t) => {
  const answer = ok(await verify('kept', await codeFor('kept')))
  t.match(answer.cookies, [{ name: 'share_kept-ann_device', httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 30 * 86_400 }])
  t.equal(answer.json().token, answer.cookies[0]!.value)
  const device = cookiesOf(answer)
  wait(29 * 24 * 60)
  await ctx.db.updateTable('share').set({ expiresAt: null }).where('id', '=', 'kept').execute()
  t.equal((await visitor.call('GET', `/kept-ann/files/${kept}`, undefined, device)).body, 'hello')
  wait(25 * 60)
  t.same(refusal(await visitor.call('GET', `/kept-ann/files/${kept}`, undefined, device)), [403, 'email_code_required'])
  const others = Array.from({ length: 12 }, (_, n) => `share_link-${n}_device=uid.recipient.${(1000 + n).toString(36)}.mac`).join('; ')
  const code = await codeFor('kept')
  const { cookies } = ok(await visitor.call('POST', '/kept-ann/code/verify', { code }, { cookie: others }))
  t.same(
    cookies.filter(({ maxAge }) => maxAge === 0).map(({ name }) => name),
    [2, 1, 0].map((n) => `share_link-${n}_device`),
  )
})

/** The code of a refusal; undefined for any other response. */
function errorOf(answer: Answer): string | undefined {
  return answer.headers['content-type']?.toString().startsWith('application/json') ? answer.json().error : undefined
}
