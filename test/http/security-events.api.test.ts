import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import t from 'tap'
import { signInAttemptsPerAccount } from '../../src/auth/limits.ts'
import { consumeAttempt } from '../../src/http/rate-limit.ts'
import { createLog } from '../../src/log.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn } from '../support/people/totp.ts'

const lines: string[] = []
const destination = new Writable({
  write(line, _encoding, done) {
    lines.push(String(line))
    done()
  },
})
const { app, ctx } = await testApp(t, { log: createLog('info', 'server', destination) })
const visitor = callsOf(app)
await signUp(app, 'root')
const alice = callsOf(app, await signUp(app, 'alice'))
const { id } = (await alice('GET users/me')).json()

/** Returns the events that the work has logged. */
async function eventsOf(work: () => Promise<unknown>) {
  lines.length = 0
  await work()
  const events = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'security event')
  return events.map(({ time: _, role: __, msg: ___, ...event }) => event)
}
const from = { address: '203.0.113.7' }
const address = '203.0.113.7'
const signIn = (username: string, password: string) => visitor('POST auth/signIn', { username, password }, from)
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

t.test('logs a sign-in and a sign-out', async (t) => {
  const events = await eventsOf(async () =>
    visitor('POST auth/signOut', undefined, { ...from, headers: headersOf(await signIn('alice', password)) }),
  )
  t.same(events, [
    { level: 'info', event: 'sign_in', address, userId: id, method: 'password' },
    { level: 'info', event: 'sign_out', address, userId: id },
  ])
})

t.test('logs a failed sign-in with the existing account, and never the typed values', async (t) => {
  const failed = { level: 'warn', event: 'sign_in_failed', address, method: 'password' }
  t.same(await eventsOf(() => signIn('alice@example.com', 'correct horse batter')), [{ ...failed, userId: id }])
  t.same(await eventsOf(() => signIn('correct horse battery', '')), [{ ...failed, userId: null }])
  t.notMatch(lines.join(''), 'correct horse')
})

t.test('logs a lockout', async (t) => {
  for (let n = 0; n < 100; n++) await consumeAttempt(ctx, signInAttemptsPerAccount, id)
  t.same(await eventsOf(() => signIn('alice', password)), [{ level: 'warn', event: 'locked_out', address, userId: id, method: 'password' }])
})

t.test('logs a wrong and a right second factor', async (t) => {
  const headers = await signUp(app, 'bob')
  const { id: userId } = (await callsOf(app, headers)('GET users/me')).json()
  const { secret } = await switchTotpOn(callsOf(app, headers), new Date(Date.now() - 30_000))
  const step = async (totp: string) => {
    const { loginToken } = (await signIn('bob', password)).json()
    return visitor('POST auth/signIn/totp', { loginToken, totp }, from)
  }
  const event = { address, userId, method: 'totp' }
  t.same(await eventsOf(() => step('000000')), [{ level: 'warn', event: 'second_factor_failed', ...event }])
  t.same(await eventsOf(() => step(codeAt(secret, new Date()))), [{ level: 'info', event: 'sign_in', ...event }])
})

t.test('logs an unknown passkey and an unknown API token', async (t) => {
  const bearer = { headers: { authorization: `Bearer rzb_${'x'.repeat(43)}` }, ...from }
  t.match(await eventsOf(() => visitor('GET users/me', undefined, bearer)), [
    { event: 'sign_in_failed', address, userId: null, method: 'api_token' },
  ])
})

t.test('logs a denied permission', async (t) => {
  t.same(await eventsOf(() => alice('GET users', undefined, from)), [{ level: 'warn', event: 'forbidden', address, userId: id }])
})

t.test('logs a changed password, and a wrong one before it', async (t) => {
  const next = 'another password'
  const change = (oldPassword: string) => alice('PATCH auth/password', { oldPassword, password: next }, from)
  t.match(await eventsOf(() => change('wrong')), [{ level: 'warn', event: 'confirmation_failed', address, userId: id }])
  t.match(await eventsOf(() => change(password)), [{ level: 'info', event: 'password_changed', address, userId: id, by: id }])
})

t.test('matches the address in the real line with the documented fail2ban filter', async (t) => {
  const docs = await readFile(new URL('../../docs/security-events.md', import.meta.url), 'utf8')
  const failregex = /^failregex = (.*)$/m.exec(docs)![1]!
  const pattern = new RegExp(failregex.replace('<HOST>', '(?<host>[\\dA-Fa-f.:]+)'))
  for (const address of ['203.0.113.9', '2001:db8::9']) {
    lines.length = 0
    await visitor('POST auth/signIn', { username: '","address":"192.0.2.66"', password: 'wrong' }, { address })
    const hosts = lines.map((line) => pattern.exec(line)?.groups?.host).filter(Boolean)
    t.same(hosts, [address])
  }
  for (const line of lines.filter((line) => pattern.test(line))) t.match(line, /"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
})
