import t from 'tap'
import { resetAttemptsPerAddress, resetMailsPerAccount } from '../../src/auth/limits.ts'
import { storeSetting } from '../../src/config/queries.ts'
import { consumeAttempt } from '../../src/http/rate-limit.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { eventually } from '../support/app/worker.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { letMailsWait, linkTokenTo, mailsTo, site } from '../support/mails.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database.
const clock = testClock()
const log = keptLog()
const { app, ctx, database } = await testApp(t, { now: clock.now, log })
const { app: other } = await testApp(t, { database, now: clock.now, log })
const visitor = callsOf(app)
await signUp(app, 'root')
const next = 'another password'

let people = 0
const newcomer = async () => {
  const name = `person_${people++}`
  const headers = await signUp(app, name)
  const call = callsOf(app, headers)
  return { name, email: `${name}@example.com`, headers, call, id: (await call('GET users/me')).json().id as string }
}
const signIn = (username: string, password: string) => visitor('POST auth/signIn', { username, password })
const sessionOf = async (name: string) => headersOf(await signIn(name, password))
const askFor = (email: string, more = {}) => visitor(`POST auth/resetPassword/${encodeURIComponent(email)}`, undefined, more)
const alive = async (headers: Record<string, string>, at = other) =>
  (await visitor('GET users/me', undefined, { headers, app: at })).statusCode === 200
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

t.test('offers no reset link without a mail server, whether or not the account exists', async (t) => {
  for (const email of ['root@example.com', 'nobody@example.com']) t.same(refusal(await askFor(email)), [403, 'smtp_disabled'])
  await letMailsWait(ctx)
})

t.test('ends all other sessions and API tokens at every replica and renews this session when the password changes', async (t) => {
  const { name, headers, call } = await newcomer()
  const elsewhere = await sessionOf(name)
  const { token } = (await call('POST auth/tokens', { name: 'script', scopes: ['shares:read'] })).json()
  t.ok(await alive(elsewhere))
  t.ok(await alive({ authorization: `Bearer ${token}` }))
  const answer = await call('PATCH auth/password', { oldPassword: password, password: next })
  t.equal(answer.statusCode, 200)
  t.ok(answer.json().refreshToken)
  t.notOk(await alive(elsewhere))
  t.notOk(await alive({ authorization: `Bearer ${token}` }))
  t.notOk(await alive(headers), 'the old session may be in the hands of an attacker')
  t.ok(await alive(headersOf(answer)))
  t.same(refusal(await visitor('POST auth/token', undefined, { headers: elsewhere })), [401, 'session_ended'])
  t.equal((await visitor('POST auth/token', undefined, { headers: headersOf(answer), app: other })).statusCode, 200)
  t.same(refusal(await signIn(name, password)), [401, 'wrong_credentials'])
  t.equal((await signIn(name, next)).statusCode, 200)
})

t.test('requires the old password and validates the new one', async (t) => {
  const { name, call } = await newcomer()
  t.same(refusal(await call('PATCH auth/password', { password: next })), [403, 'confirmation_required'])
  for (const oldPassword of ['', 'not it', next]) {
    t.same(refusal(await call('PATCH auth/password', { oldPassword, password: next })), [403, 'wrong_password'], `${oldPassword}`)
  }
  for (const tooBad of ['', '1234567', 'x'.repeat(513), '\u{1f40c}'.repeat(129), 12345678, null, undefined]) {
    const answer = await call('PATCH auth/password', { oldPassword: password, password: tooBad })
    t.match(answer.json(), { statusCode: 400, error: 'validation_failed', issues: [{ path: 'password' }] }, `${tooBad}`)
  }
  const huge = { username: 'huge', email: 'huge@example.com', password: '\u{1f40c}'.repeat(129) }
  t.same(refusal(await visitor('POST auth/signUp', huge)), [400, 'validation_failed'], '516 bytes are too long at sign-up too')
  t.same(refusal(await visitor('PATCH auth/password', { password: next })), [401, 'unauthorized'])
  t.equal((await signIn(name, password)).statusCode, 200)
  t.equal((await call('PATCH auth/password', { oldPassword: password, password: '\u{1f40c}'.repeat(128) })).statusCode, 200)
})

t.test('accepts only one of several parallel password changes', async (t) => {
  const { call } = await newcomer()
  const change = (n: number) =>
    call('PATCH auth/password', { oldPassword: password, password: `${next} ${n}` }, { app: n % 2 ? app : other })
  const answers = await Promise.all([0, 1, 2, 3].map(change))
  t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
})

t.test('lets a user without a password set one after a recent sign-in', async (t) => {
  const { name, call } = await newcomer()
  await ctx.db.updateTable('user').set({ passwordHash: null }).where('username', '=', name).execute()
  t.equal((await call('GET users/me')).json().hasPassword, false)
  const answer = await call('PATCH auth/password', { password: next })
  t.equal(answer.statusCode, 200)
  t.equal((await callsOf(app, headersOf(answer))('GET users/me')).json().hasPassword, true)
  t.equal((await signIn(name, next)).statusCode, 200)
})

t.test('sets a new password once per link, ends all sessions and signs no one in', async (t) => {
  const { name, email, headers, call } = await newcomer()
  const { token: apiToken } = (await call('POST auth/tokens', { name: 'script', scopes: ['shares:read'] })).json()
  const asked = await askFor(email.toUpperCase())
  t.equal(asked.statusCode, 202)
  t.equal(asked.body, '')
  const token = await linkTokenTo(ctx, email)
  t.notOk(JSON.stringify(await ctx.db.selectFrom('passwordToken').selectAll().execute()).includes(token), 'it is stored as a hash')
  t.ok(await alive(headers))
  const answer = await visitor('POST auth/resetPassword', { token, password: next }, { app: other })
  t.equal(answer.statusCode, 204)
  t.equal(answer.body, '')
  t.same(answer.cookies, [])
  t.notOk(await alive(headers))
  t.notOk(await alive({ authorization: `Bearer ${apiToken}` }))
  t.same(refusal(await signIn(name, password)), [401, 'wrong_credentials'])
  t.equal((await signIn(name, next)).statusCode, 200)
  t.same(refusal(await visitor('POST auth/resetPassword', { token, password: 'yet another one' })), [400, 'invalid_token'], 'used')
  const events = log.lines.map(({ details }) => details as { event?: string; how?: string })
  t.ok(events.some(({ event, how }) => event === 'password_changed' && how === 'link'))
  t.notOk(JSON.stringify(log.lines).includes(token), 'the log contains no secret')
})

t.test('responds the same whether or not an account exists', async (t) => {
  const { email } = await newcomer()
  const before = (await ctx.db.selectFrom('mail').select('id').execute()).length
  const [known, unknown, none] = [await askFor(email), await askFor('nobody@example.com'), await askFor('no address')]
  for (const answer of [unknown, none]) {
    t.equal(answer.statusCode, known.statusCode)
    t.equal(answer.body, known.body)
    t.same(Object.keys(answer.headers).sort(), Object.keys(known.headers).sort())
  }
  await linkTokenTo(ctx, email)
  t.equal((await ctx.db.selectFrom('mail').select('id').execute()).length, before + 1, 'one email was created')
})

t.test('responds before any work that depends on the account', async (t) => {
  const { email, id } = await newcomer()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const holding = ctx.db.transaction().execute(async (db) => {
    await db.selectFrom('user').select('id').where('id', '=', id).forUpdate().execute()
    lock()
    await released
  })
  await locked
  t.equal((await askFor(email)).statusCode, 202, 'while the account is locked for writing')
  t.same(await mailsTo(ctx, email), [])
  release()
  await holding
  t.ok(await linkTokenTo(ctx, email))
})

t.test('accepts a link for an hour', async (t) => {
  const { email, call, name } = await newcomer()
  await askFor(email)
  const first = await linkTokenTo(ctx, email)
  clock.pass(1)
  await askFor(email)
  const second = await linkTokenTo(ctx, email, 2)
  t.not(first, second)
  clock.pass(3599)
  t.same(refusal(await visitor('POST auth/resetPassword', { token: first, password: next })), [400, 'invalid_token'])
  t.equal((await visitor('POST auth/resetPassword', { token: second, password: next })).statusCode, 204)
  t.equal((await signIn(name, next)).statusCode, 200)
  t.same(refusal(await call('GET users/me')), [401, 'unauthorized'])
})

t.test('rejects anything else as a token, and keeps the token valid after a bad password', async (t) => {
  const { email } = await newcomer()
  await askFor(email)
  const token = await linkTokenTo(ctx, email)
  for (const wrong of ['', 'x', `${token}x`, token.slice(1), token.toLowerCase()]) {
    t.same(refusal(await visitor('POST auth/resetPassword', { token: wrong, password: next })), [400, 'invalid_token'], wrong)
  }
  for (const wrong of [undefined, null, 7, [token], { $ne: '' }, 'x'.repeat(201)]) {
    t.same(refusal(await visitor('POST auth/resetPassword', { token: wrong, password: next })), [400, 'validation_failed'])
  }
  for (const tooBad of ['1234567', 'x'.repeat(513), '\u{1f40c}'.repeat(129)]) {
    t.same(refusal(await visitor('POST auth/resetPassword', { token, password: tooBad })), [400, 'validation_failed'])
  }
  const answers = await Promise.all(
    [0, 1, 2].map((n) => visitor('POST auth/resetPassword', { token, password: `${next} ${n}` }, { app: n ? app : other })),
  )
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [204, 400, 400], 'one of the parallel uses succeeds')
})

t.test('invalidates all links of the account when a link is used or the password or address changes', async (t) => {
  const { email, name } = await newcomer()
  const call = callsOf(app, await sessionOf(name))
  const links = async (count: number) => {
    await askFor(email)
    return linkTokenTo(ctx, email, count)
  }
  const refused = async (token: string, why: string) =>
    t.same(refusal(await visitor('POST auth/resetPassword', { token, password: next })), [400, 'invalid_token'], why)
  const first = await links(1)
  clock.pass(1)
  const second = await links(2)
  t.equal((await visitor('POST auth/resetPassword', { token: second, password })).statusCode, 204)
  await refused(first, 'the other was used')
  clock.pass(1)
  const third = await links(3)
  t.same(refusal(await call('GET users/me')), [401, 'unauthorized'])
  const again = callsOf(app, await sessionOf(name))
  const changed = await again('PATCH auth/password', { oldPassword: password, password: next })
  await refused(third, 'the password was changed')
  clock.pass(1)
  const fourth = await links(4)
  const change = { email: `new_${email}`, currentPassword: next }
  t.equal((await callsOf(app, headersOf(changed))('PATCH users/me', change)).statusCode, 200)
  await refused(fourth, 'the address was changed')
})

t.test('keeps the second factor after a reset by link', async (t) => {
  const { email, name, call } = await newcomer()
  const { secret } = await switchTotpOn(call, clock.now())
  await askFor(email)
  const token = await linkTokenTo(ctx, email)
  t.equal((await visitor('POST auth/resetPassword', { token, password: next })).statusCode, 204)
  const { loginToken, accessToken } = (await signIn(name, next)).json()
  t.notOk(accessToken)
  clock.pass(30)
  t.equal((await visitor('POST auth/signIn/totp', { loginToken, totp: codeAt(secret, clock.now()) })).statusCode, 200)
})

t.test('lets a user without a password set one through a link', async (t) => {
  const { email, name } = await newcomer()
  await ctx.db.updateTable('user').set({ passwordHash: null }).where('username', '=', name).execute()
  await askFor(email)
  t.equal((await visitor('POST auth/resetPassword', { token: await linkTokenTo(ctx, email), password: next })).statusCode, 204)
  t.equal((await signIn(name, next)).statusCode, 200)
})

t.test('links to the configured address, regardless of the request', async (t) => {
  const { email } = await newcomer()
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
  t.equal((await askFor(email, { headers })).statusCode, 202)
  await linkTokenTo(ctx, email)
  t.notMatch((await mailsTo(ctx, email)).join(), 'evil')
  await storeSetting(ctx.db, 'general.appUrl', '', ctx.now())
  const { email: another } = await newcomer()
  t.equal((await askFor(another, { headers })).statusCode, 202)
  await eventually(() => log.lines.some(({ message }) => String(message).includes('APP_URL')), 'the log says what is missing')
  t.same(await mailsTo(ctx, another), [])
  await storeSetting(ctx.db, 'general.appUrl', site, ctx.now())
})

t.test('reports the link limit of an address, but not that of an account', async (t) => {
  const { email, id } = await newcomer()
  const neighbour = await newcomer()
  for (let n = 0; n < resetMailsPerAccount.attempts; n++) await consumeAttempt(ctx, resetMailsPerAccount, id)
  t.equal((await askFor(email)).statusCode, 202)
  await eventually(
    () => log.lines.some(({ level, details }) => level === 'warn' && String((details as { err?: Error }).err).includes('Too many')),
    'it was refused',
  )
  t.same(await mailsTo(ctx, email), [])
  await askFor(neighbour.email)
  t.ok(await linkTokenTo(ctx, neighbour.email))
  for (let n = 2; n < resetAttemptsPerAddress.attempts; n++) await consumeAttempt(ctx, resetAttemptsPerAddress, '192.0.2.1')
  t.same(refusal(await askFor('nobody@example.com')), [429, 'too_many_requests'])
  t.same(refusal(await askFor(neighbour.email, { headers: { 'x-forwarded-for': '203.0.113.1' } })), [429, 'too_many_requests'])
  t.equal((await askFor(neighbour.email, { address: '192.0.2.2' })).statusCode, 202)
})
