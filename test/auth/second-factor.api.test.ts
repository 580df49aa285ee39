import t from 'tap'
import { secondFactorAttemptsPerAddress, totpAttemptsPerAccount } from '../../src/auth/limits.ts'
import { startSession } from '../../src/auth/sessions/sessions.ts'
import { consumeAttempt } from '../../src/http/rate-limit.ts'
import { bumpVersion } from '../../src/users/credentials.ts'
import { userByLogin } from '../../src/users/queries.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn, wrongCode } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database. The attacker knows only the password.
const clock = testClock()
const { app, ctx, database } = await testApp(t, { now: clock.now })
const { app: other } = await testApp(t, { database, now: clock.now })
await signUp(app, 'root')
const visitor = callsOf(app)

/** A new person with TOTP, whose current code has not been used. */
let people = 0
const newcomer = async () => {
  const name = `person_${people++}`
  const call = callsOf(app, await signUp(app, name))
  const { secret, recoveryCodes } = await switchTotpOn(call, clock.now())
  const { id } = (await call('GET users/me')).json()
  clock.pass(120)
  return {
    id,
    name,
    call,
    recoveryCodes,
    secret,
    code: (steps = 0) => codeAt(secret, clock.now(), steps),
    wrong: () => wrongCode(secret, clock.now()),
  }
}
/** The result of signing in with the password alone. */
const loginTokenOf = async (name: string): Promise<string> =>
  (await visitor('POST auth/signIn', { username: name, password })).json().loginToken
const step = (loginToken: unknown, totp: unknown, at = app) => visitor('POST auth/signIn/totp', { loginToken, totp }, { app: at })
const statuses = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode).sort()
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

t.test('returns a login token that gives no access when only the password is sent', async (t) => {
  const { name } = await newcomer()
  const answer = await visitor('POST auth/signIn', { username: name, password })
  t.equal(answer.statusCode, 200)
  const { loginToken, expiresAt, ...rest } = answer.json()
  t.same(rest, { passkey: false })
  t.equal(expiresAt, new Date(clock.now().getTime() + 300_000).toISOString())
  t.same(answer.cookies, [])
  const disguises: Record<string, string>[] = [
    { authorization: `Bearer ${loginToken}` },
    { authorization: `Bearer rzb_${loginToken}` },
    { cookie: `access_token=${loginToken}` },
  ]
  for (const headers of disguises) {
    t.same(refusal(await visitor('GET users/me', undefined, { headers })), [401, 'unauthorized'])
  }
  t.same(refusal(await visitor('POST auth/token', undefined, { headers: { cookie: `refresh_token=${loginToken}` } })), [
    401,
    'unauthorized',
  ])
  t.same(refusal(await visitor('POST auth/resetPassword', { token: loginToken, password: 'a new password' })), [400, 'invalid_token'])
  const stored = JSON.stringify(await ctx.db.selectFrom('loginToken').selectAll().execute())
  t.notOk(stored.includes(loginToken), 'the stored value is a hash')
})

t.test('finishes the sign-in with the code, at any replica', async (t) => {
  const { name, code } = await newcomer()
  const answer = await step(await loginTokenOf(name), code(), other)
  t.equal(answer.statusCode, 200)
  t.same(Object.keys(answer.json()).sort(), ['accessToken', 'refreshToken'])
  t.same(
    answer.cookies.map((cookie) => cookie.name),
    ['access_token', 'refresh_token', 'known_device'],
  )
  t.equal((await visitor('GET users/me', undefined, { headers: headersOf(answer) })).json().username, name)
})

t.test('accepts a code once, regardless of login token and replica', async (t) => {
  const { name, code } = await newcomer()
  const first = await loginTokenOf(name)
  t.equal((await step(first, code())).statusCode, 200)
  t.same(refusal(await step(first, code(1))), [401, 'invalid_login_token'], 'a login token is stored as a hash too')
  t.same(refusal(await step(await loginTokenOf(name), code(), other)), [400, 'invalid_totp'])
})

t.test('accepts only one of several parallel sign-ins with one code', async (t) => {
  const { name, code } = await newcomer()
  const tokens = [await loginTokenOf(name), await loginTokenOf(name)]
  const answers = await Promise.all([0, 1, 2, 3].map((n) => step(tokens[n % 2], code(), n < 2 ? app : other)))
  const [first, ...refused] = statuses(answers).sort()
  t.equal(first, 200)
  t.same(
    refused.filter((status) => status !== 400 && status !== 401),
    [],
    'the code, or the sign-in that the first one ended',
  )
})

t.test('accepts only one of several parallel sign-ins with one login token', async (t) => {
  const { name, code, recoveryCodes } = await newcomer()
  const token = await loginTokenOf(name)
  const answers = await Promise.all([code(), recoveryCodes[0], recoveryCodes[1]].map((one, n) => step(token, one, n % 2 ? app : other)))
  t.same(statuses(answers), [200, 401, 401])
  const left = await ctx.db
    .selectFrom('recoveryCode')
    .innerJoin('user', 'user.id', 'recoveryCode.userId')
    .selectAll()
    .where('username', '=', name)
    .execute()
  t.ok(left.length >= 9, 'a code of a failed sign-in was not consumed')
})

t.test('tolerates clocks that are off by one step, and rejects codes older than the last one used', async (t) => {
  for (const steps of [-3, -2, 2, 3]) {
    const { name, code } = await newcomer()
    t.same(refusal(await step(await loginTokenOf(name), code(steps))), [400, 'invalid_totp'], `${steps}`)
  }
  const { name, code } = await newcomer()
  t.equal((await step(await loginTokenOf(name), code(-1))).statusCode, 200)
  t.equal((await step(await loginTokenOf(name), code(1))).statusCode, 200)
  t.same(refusal(await step(await loginTokenOf(name), code())), [400, 'invalid_totp'], 'older than the last one used')
})

t.test('rejects arbitrary digits, a missing code and another user’s codes', async (t) => {
  const { name, code, wrong, secret } = await newcomer()
  const neighbour = await newcomer()
  const token = await loginTokenOf(name)
  for (const totp of ['', wrong(), neighbour.code(), `${code()}0`])
    t.same(refusal(await step(token, totp)), [400, 'invalid_totp'], `"${totp}"`)
  for (const totp of [undefined, null, 123456, ['123456'], { $ne: null }, true, 'x'.repeat(65)]) {
    t.same(refusal(await step(token, totp)), [400, 'validation_failed'], JSON.stringify(totp))
  }
  for (const recoveryCode of [neighbour.recoveryCodes[0], secret, name]) {
    t.same(refusal(await step(await loginTokenOf(name), recoveryCode)), [400, 'invalid_totp'])
  }
})

t.test('rejects any login token but the one issued to this user', async (t) => {
  const { id, name, code } = await newcomer()
  const neighbour = await newcomer()
  for (const token of ['', 'x', id, name, `${await loginTokenOf(name)}x`]) {
    t.same(refusal(await step(token, code())), [401, 'invalid_login_token'], `"${token}"`)
  }
  for (const token of [undefined, null, 7, [await loginTokenOf(name)], { $ne: null }]) {
    t.same(refusal(await step(token, code())), [400, 'validation_failed'])
  }
  t.same(refusal(await step(await loginTokenOf(neighbour.name), code())), [400, 'invalid_totp'], 'another user’s login token')
  const { refreshToken, accessToken } = (await step(await loginTokenOf(neighbour.name), neighbour.code())).json()
  for (const token of [refreshToken, accessToken.slice(0, 200)]) t.same(refusal(await step(token, code())), [401, 'invalid_login_token'])
})

t.test('accepts a login token for five minutes', async (t) => {
  const { name, code } = await newcomer()
  const [one, late] = [await loginTokenOf(name), await loginTokenOf(name)]
  clock.pass(299)
  t.equal((await step(one, code())).statusCode, 200)
  clock.pass(1)
  t.same(refusal(await step(late, code(1))), [401, 'token_expired'])
})

t.test('ends a login token after five wrong codes; the fifth attempt may still succeed', async (t) => {
  const { name, code, wrong } = await newcomer()
  const [patient, hasty] = [await loginTokenOf(name), await loginTokenOf(name)]
  for (let n = 0; n < 4; n++) t.same(refusal(await step(patient, wrong(), n % 2 ? app : other)), [400, 'invalid_totp'])
  t.equal((await step(patient, code())).statusCode, 200)
  for (let n = 0; n < 5; n++) t.same(refusal(await step(hasty, wrong())), [400, 'invalid_totp'])
  t.same(refusal(await step(hasty, code(1), other)), [401, 'invalid_login_token'])
})

t.test('counts parallel attempts', async (t) => {
  const { name, wrong } = await newcomer()
  const token = await loginTokenOf(name)
  const answers = await Promise.all(Array.from({ length: 15 }, (_, n) => step(token, wrong(), n % 2 ? app : other)))
  t.same(statuses(answers), [...Array(5).fill(400), ...Array(10).fill(401)])
})

t.test('counts wrong codes for the account across login tokens, addresses and replicas', async (t) => {
  const { id, name, code, wrong, recoveryCodes } = await newcomer()
  for (let n = 2; n < totpAttemptsPerAccount.attempts; n++) await consumeAttempt(ctx, totpAttemptsPerAccount, id)
  t.equal((await step(await loginTokenOf(name), code())).statusCode, 200, 'a right one refunds its attempt')
  for (const [address, at] of [
    ['198.51.100.1', app],
    ['198.51.100.2', other],
  ] as const) {
    const refused = await visitor('POST auth/signIn/totp', { loginToken: await loginTokenOf(name), totp: wrong() }, { app: at, address })
    t.same(refusal(refused), [400, 'invalid_totp'])
  }
  const refused = await step(await loginTokenOf(name), code(1))
  t.same(refusal(refused), [429, 'too_many_requests'])
  t.ok(Number(refused.headers['retry-after']) > 80_000)
  t.equal((await step(await loginTokenOf(name), recoveryCodes[0])).statusCode, 200, 'the owner signs in with a recovery code')
})

t.test('limits one address across all accounts', async (t) => {
  const { name, code } = await newcomer()
  for (let n = 0; n < secondFactorAttemptsPerAddress.attempts; n++) await consumeAttempt(ctx, secondFactorAttemptsPerAddress, '192.0.2.1')
  const loginToken = await loginTokenOf(name)
  t.same(refusal(await step(loginToken, code())), [429, 'too_many_requests'])
  const forged = { headers: { 'x-forwarded-for': '203.0.113.9' } }
  t.same(
    refusal(await visitor('POST auth/signIn/totp', { loginToken, totp: code() }, forged)),
    [429, 'too_many_requests'],
    'X-Forwarded-For does not help',
  )
  t.equal((await visitor('POST auth/signIn/totp', { loginToken, totp: code() }, { address: '192.0.2.2' })).statusCode, 200)
})

t.test('accepts a recovery code once, in any spelling', async (t) => {
  const { name, call, recoveryCodes } = await newcomer()
  const [one, two, three] = recoveryCodes as [string, string, string]
  t.equal((await step(await loginTokenOf(name), one)).statusCode, 200)
  t.same(refusal(await step(await loginTokenOf(name), one, other)), [400, 'invalid_totp'])
  t.equal((await step(await loginTokenOf(name), ` ${two.toUpperCase().replaceAll('-', ' ')}`)).statusCode, 200)
  const answers = await Promise.all(
    [await loginTokenOf(name), await loginTokenOf(name)].map((token, n) => step(token, three, n ? app : other)),
  )
  t.same(statuses(answers), [200, 400])
  t.equal((await call('GET auth/totp')).json().recoveryCodesLeft, 7)
})

t.test('ends pending sign-ins when the account’s sign-in methods change', async (t) => {
  const admin = callsOf(app, headersOf(await visitor('POST auth/signIn', { username: 'root', password })))
  const changes: Record<string, (person: Awaited<ReturnType<typeof newcomer>>) => Promise<{ statusCode: number }>> = {
    'another password': ({ call }) => call('PATCH auth/password', { oldPassword: password, password: 'another password' }),
    'a password from an administrator': ({ id }) => admin(`PATCH users/${id}`, { password: 'another password' }),
    'TOTP switched off and on': async ({ call, recoveryCodes }) => {
      const answer = await call('POST auth/totp/disable', { code: recoveryCodes[0], password })
      await switchTotpOn(call, clock.now())
      clock.pass(30)
      return answer
    },
    demotion: async ({ id }) => {
      await admin(`PATCH users/${id}`, { isAdmin: true })
      return admin(`PATCH users/${id}`, { isAdmin: false })
    },
    deletion: ({ id }) => admin(`DELETE users/${id}`),
  }
  for (const [name, change] of Object.entries(changes)) {
    const person = await newcomer()
    const token = await loginTokenOf(person.name)
    t.ok((await change(person)).statusCode < 300, name)
    t.same(refusal(await step(token, person.recoveryCodes[1], other)), [401, 'invalid_login_token'], name)
  }
})

t.test('rejects a sign-in that began before a change, even while the change is in progress', async (t) => {
  const { name } = await newcomer()
  const device = { address: '192.0.2.1', userAgent: null, isLocal: true }
  const asRead = (await userByLogin(ctx.db, name))!
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const change = ctx.db.transaction().execute(async (db) => {
    await bumpVersion(db, asRead.id)
    begin()
    await committed
  })
  await begun
  const starting = startSession(ctx, asRead, device)
  commit()
  await change
  await t.rejects(starting, { code: 'session_ended' })
  await t.rejects(startSession(ctx, asRead, device), { code: 'session_ended' })
  t.ok(await startSession(ctx, (await userByLogin(ctx.db, name))!, device))
})
