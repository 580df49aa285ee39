import t from 'tap'
import { confirmAttempts, totpAttemptsPerAccount } from '../../src/auth/limits.ts'
import { consumeAttempt } from '../../src/http/rate-limit.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn, wrongCode } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

const clock = testClock()
const log = keptLog()
const { app, ctx } = await testApp(t, { now: clock.now, log })
await signUp(app, 'root')
let people = 0
/** A new person, signed in. */
const newcomer = async () => {
  const name = `person_${people++}`
  return { name, call: callsOf(app, await signUp(app, name)) }
}
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())
const events = () =>
  log.lines
    .filter(({ details, message }) => message === 'security event' && 'by' in (details as object))
    .map(({ details }) => (details as { event: string }).event)

t.test('returns a secret, a URI and a QR code on enabling, and changes nothing yet', async (t) => {
  const { name, call } = await newcomer()
  const answer = await call('POST auth/totp/enable', { password })
  t.equal(answer.statusCode, 201)
  const { totpAuthUrl, totpSecret, qrCode } = answer.json()
  t.same(Object.keys(answer.json()).sort(), ['qrCode', 'totpAuthUrl', 'totpSecret'])
  t.match(totpSecret, /^[A-Z2-7]{32}$/)
  const url = new URL(totpAuthUrl)
  t.equal(`${url.protocol}//${url.host}${url.pathname}`, `otpauth://totp/Razorbill:${name}`)
  t.match(Object.fromEntries(url.searchParams), { secret: totpSecret, issuer: 'Razorbill', digits: '6', period: '30', algorithm: 'SHA1' })
  const [, picture] = /^data:image\/svg\+xml;base64,(.+)$/.exec(qrCode)!
  t.match(Buffer.from(picture!, 'base64').toString(), /^<svg /)
  t.same((await call('GET auth/totp')).json(), { totpVerified: false, recoveryCodesLeft: 0 })
  const signIn = await call('POST auth/signIn', { username: name, password })
  t.ok(signIn.json().accessToken, 'signing in requires no code')
  const { totpSecret: stored } = await ctx.db.selectFrom('user').selectAll().where('username', '=', name).executeTakeFirstOrThrow()
  t.notMatch(stored, totpSecret)
  t.equal(ctx.sealer.open(stored!), totpSecret, 'the secret is sealed')
})

t.test('turns TOTP on after verification and returns ten recovery codes, stored as hashes', async (t) => {
  const { name, call } = await newcomer()
  const { recoveryCodes } = await switchTotpOn(call, clock.now())
  t.equal(new Set(recoveryCodes).size, 10)
  for (const code of recoveryCodes) t.match(code, /^([a-hj-km-np-z2-9]{4}-){3}[a-hj-km-np-z2-9]{4}$/)
  t.equal((await call('GET users/me')).json().totpVerified, true)
  t.same((await call('GET auth/totp')).json(), { totpVerified: true, recoveryCodesLeft: 10 })
  const stored = JSON.stringify(await ctx.db.selectFrom('recoveryCode').selectAll().execute())
  for (const code of recoveryCodes) t.notOk(stored.includes(code) || stored.includes(code.replaceAll('-', '')))
  t.same(Object.keys((await call('POST auth/signIn', { username: name, password })).json()).sort(), ['expiresAt', 'loginToken', 'passkey'])
  t.equal(events().at(-1), 'totp_enabled')
})

t.test('replaces the first QR code when another one is requested', async (t) => {
  const { call } = await newcomer()
  const first = (await call('POST auth/totp/enable', { password })).json().totpSecret
  const second = (await call('POST auth/totp/enable', { password })).json().totpSecret
  t.not(first, second)
  t.same(refusal(await call('POST auth/totp/verify', { code: codeAt(first, clock.now()), password })), [400, 'invalid_totp'])
  t.equal((await call('POST auth/totp/verify', { code: codeAt(second, clock.now()), password })).statusCode, 201)
})

t.test('requires the password and a sign-in for each step', async (t) => {
  const { call } = await newcomer()
  const other = await newcomer()
  for (const wrong of ['', 'not it', `${password} `]) {
    t.same(refusal(await call('POST auth/totp/enable', { password: wrong })), [403, 'wrong_password'])
  }
  for (const body of [undefined, {}])
    t.match((await call('POST auth/totp/enable', body)).json(), { statusCode: 403, error: 'confirmation_required', hasPassword: true })
  const { secret } = await switchTotpOn(call, clock.now())
  clock.pass(30)
  const code = codeAt(secret, clock.now())
  for (const step of ['disable', 'recoveryCodes', 'verify']) {
    t.same(refusal(await call(`POST auth/totp/${step}`, { code, password: 'not it' })), [403, 'wrong_password'], step)
    t.same(refusal(await call(`POST auth/totp/${step}`, { code })), [403, 'confirmation_required'], step)
    t.same(refusal(await callsOf(app)(`POST auth/totp/${step}`, { code, password })), [401, 'unauthorized'], step)
  }
  t.same(refusal(await callsOf(app)('POST auth/totp/enable', { password })), [401, 'unauthorized'])
  t.same(refusal(await other.call('POST auth/totp/disable', { code, password })), [400, 'totp_not_enabled'], 'another user’s code')
  t.equal((await call('GET users/me')).json().totpVerified, true)
})

t.test('refuses steps out of order', async (t) => {
  const { call } = await newcomer()
  t.same(refusal(await call('POST auth/totp/verify', { code: '123456', password })), [400, 'totp_not_in_progress'])
  t.same(refusal(await call('POST auth/totp/disable', { code: '123456', password })), [400, 'totp_not_enabled'])
  t.same(refusal(await call('POST auth/totp/recoveryCodes', { code: '123456', password })), [400, 'totp_not_enabled'])
  const { totpSecret } = (await call('POST auth/totp/enable', { password })).json()
  t.same(refusal(await call('POST auth/totp/disable', { code: codeAt(totpSecret, clock.now()), password })), [400, 'totp_not_enabled'])
  await call('POST auth/totp/verify', { code: codeAt(totpSecret, clock.now()), password })
  t.same(refusal(await call('POST auth/totp/enable', { password })), [400, 'totp_already_enabled'])
  t.same(refusal(await call('POST auth/totp/verify', { code: codeAt(totpSecret, clock.now(), 1), password })), [
    400,
    'totp_not_in_progress',
  ])
})

t.test('rejects an invalid code', async (t) => {
  const { call } = await newcomer()
  const { totpSecret } = (await call('POST auth/totp/enable', { password })).json()
  const right = codeAt(totpSecret, clock.now())
  const old = [-3, -2, 2, 3].map((steps) => codeAt(totpSecret, clock.now(), steps))
  for (const code of [
    '',
    ' ',
    right.slice(1),
    `${right}0`,
    `-${right.slice(1)}`,
    wrongCode(totpSecret, clock.now()),
    ...old,
    '0x1234',
    'NaN',
    '1e5   ',
  ]) {
    t.same(refusal(await call('POST auth/totp/verify', { code, password })), [400, 'invalid_totp'], `"${code}"`)
  }
  for (const code of [undefined, null, 123456, Number(right), ['123456'], { $ne: '' }, 'x'.repeat(65), true]) {
    t.same(refusal(await call('POST auth/totp/verify', { code, password })), [400, 'validation_failed'], JSON.stringify(code))
  }
  t.equal((await call('GET users/me')).json().totpVerified, false)
  const typed = `${right.slice(0, 3)} ${right.slice(3)}`
  t.equal((await call('POST auth/totp/verify', { code: typed, password })).statusCode, 201, 'spaces are ignored')
})

t.test('requires a code or a recovery code to turn TOTP off, and deletes all its data', async (t) => {
  for (const by of ['code', 'recovery code']) {
    const { name, call } = await newcomer()
    const { secret, recoveryCodes } = await switchTotpOn(call, clock.now())
    t.same(
      refusal(await call('POST auth/totp/disable', { code: codeAt(secret, clock.now()), password })),
      [400, 'invalid_totp'],
      'consumed by the verification',
    )
    t.same(refusal(await call('POST auth/totp/disable', { code: wrongCode(secret, clock.now()), password })), [400, 'invalid_totp'])
    clock.pass(30)
    const code = by === 'code' ? codeAt(secret, clock.now()) : recoveryCodes[3]!.toUpperCase()
    const answer = await call('POST auth/totp/disable', { code, password })
    t.equal(answer.statusCode, 201, by)
    t.equal(answer.json(), true)
    t.ok((await call('POST auth/signIn', { username: name, password })).json().accessToken)
    t.match(await ctx.db.selectFrom('user').selectAll().where('username', '=', name).executeTakeFirst(), {
      totpSecret: null,
      totpVerified: false,
      totpLastStep: null,
    })
    t.same((await call('GET auth/totp')).json(), { totpVerified: false, recoveryCodesLeft: 0 })
    t.equal(events().at(-1), 'totp_disabled')
    await switchTotpOn(call, clock.now())
    t.same(
      refusal(await call('POST auth/totp/disable', { code: recoveryCodes[4]!, password })),
      [400, 'invalid_totp'],
      'an old recovery code',
    )
  }
})

t.test('replaces the old recovery codes, and accepts one of them to do so', async (t) => {
  const { call } = await newcomer()
  const { secret, recoveryCodes } = await switchTotpOn(call, clock.now())
  clock.pass(30)
  const code = codeAt(secret, clock.now())
  const answer = await call('POST auth/totp/recoveryCodes', { code, password })
  t.equal(answer.statusCode, 201)
  const next = answer.json().recoveryCodes as string[]
  t.equal(next.length, 10)
  t.notOk(next.some((one) => recoveryCodes.includes(one)))
  t.same(refusal(await call('POST auth/totp/recoveryCodes', { code, password })), [400, 'invalid_totp'], 'the code was consumed')
  t.same(
    refusal(await call('POST auth/totp/recoveryCodes', { code: recoveryCodes[0], password })),
    [400, 'invalid_totp'],
    'an old recovery code',
  )
  t.equal((await call('POST auth/totp/recoveryCodes', { code: next[0], password })).statusCode, 201)
  t.equal(events().at(-1), 'recovery_codes_renewed')
})

t.test('counts wrong codes for the account, but not right ones', async (t) => {
  const { call } = await newcomer()
  const { secret, recoveryCodes } = await switchTotpOn(call, clock.now())
  const { id } = (await call('GET users/me')).json()
  for (let n = 1; n < totpAttemptsPerAccount.attempts; n++) await consumeAttempt(ctx, totpAttemptsPerAccount, id)
  clock.pass(30)
  t.equal(
    (await call('POST auth/totp/recoveryCodes', { code: codeAt(secret, clock.now()), password })).statusCode,
    201,
    'the last attempt succeeds',
  )
  t.same(refusal(await call('POST auth/totp/disable', { code: wrongCode(secret, clock.now()), password })), [400, 'invalid_totp'])
  clock.pass(30)
  t.same(refusal(await call('POST auth/totp/disable', { code: codeAt(secret, clock.now()), password })), [429, 'too_many_requests'])
  t.same(
    refusal(await call('POST auth/totp/disable', { code: recoveryCodes[0], password })),
    [400, 'invalid_totp'],
    'recovery codes are not limited',
  )
})

t.test('counts wrong passwords of signed-in users too', async (t) => {
  const { call } = await newcomer()
  const { id } = (await call('GET users/me')).json()
  for (let n = 1; n < confirmAttempts.attempts; n++) await consumeAttempt(ctx, confirmAttempts, id)
  t.same(refusal(await call('POST auth/totp/enable', { password: 'not it' })), [403, 'wrong_password'])
  t.same(refusal(await call('POST auth/totp/enable', { password })), [429, 'too_many_requests'])
  t.same(refusal(await call('PATCH auth/password', { oldPassword: password, password: 'another one' })), [429, 'too_many_requests'])
})

t.test('lets a user without a password confirm their identity by a recent sign-in', async (t) => {
  const { name, call } = await newcomer()
  await ctx.db.updateTable('user').set({ passwordHash: null }).where('username', '=', name).execute()
  clock.pass(899)
  const { totpSecret } = (await call('POST auth/totp/enable')).json()
  t.ok(totpSecret)
  clock.pass(1)
  const renewed = await ctx.db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id', 'user.id as userId'])
    .where('username', '=', name)
    .executeTakeFirstOrThrow()
  const accessToken = app.jwt.sign({
    sub: renewed.userId,
    sid: renewed.id,
    isAdmin: false,
    iat: clock.now().getTime() / 1000,
    exp: clock.now().getTime() / 1000 + 900,
  })
  const later = callsOf(app, headersOf({ cookies: [{ name: 'access_token', value: accessToken }] }))
  const code = codeAt(totpSecret, clock.now())
  for (const [step, body] of [
    ['POST auth/totp/enable', {}],
    ['POST auth/totp/enable', { password: '' }],
    ['POST auth/totp/enable', { password }],
    ['POST auth/totp/verify', { code }],
    ['POST auth/totp/disable', { code }],
    ['POST auth/totp/recoveryCodes', { code }],
    ['PATCH auth/password', { password: 'a first password' }],
    ['PATCH users/me', { email: 'other@example.com' }],
    ['DELETE users/me', {}],
  ] as const) {
    const answer = await later(step, body)
    t.match(answer.json(), { statusCode: 403, error: 'confirmation_required', hasPassword: false }, step)
  }
})
