import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import t from 'tap'
import { passkeysMax } from '../../src/auth/limits.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { type Call, callsOf, testClock } from '../support/calls.ts'
import { newPasskey, type SoftPasskey } from '../support/people/authenticator.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database, reached at https://files.example.com.
const origin = 'https://files.example.com'
const clock = testClock()
const log = keptLog()
const env = { appUrl: origin }
const { app, ctx, database } = await testApp(t, { now: clock.now, env, log })
const { app: other } = await testApp(t, { database, now: clock.now, env })
await signUp(app, 'root')
const visitor = callsOf(app)

let people = 0
const newcomer = async () => {
  const name = `person_${people++}`
  const call = callsOf(app, await signUp(app, name))
  return { name, call, id: (await call('GET users/me')).json().id as string }
}
const register = async (call: Call, passkey: SoftPasskey, name?: string) => {
  const options = (await call('POST auth/passkeys/options')).json()
  return call('POST auth/passkeys', { name, response: passkey.register(options) }, { app: other })
}
const withPasskey = async () => {
  const person = await newcomer()
  const passkey = newPasskey(origin)
  const answer = await register(person.call, passkey)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return { ...person, passkey, passkeyId: answer.json().id as string }
}
const ask = async (loginToken?: string) =>
  (await visitor('POST auth/signIn/passkey/options', loginToken === undefined ? undefined : { loginToken })).json()
const signIn = (response: AuthenticationResponseJSON, loginToken?: string, at = other) =>
  visitor('POST auth/signIn/passkey', { response, loginToken }, { app: at })
const rejected = [401, 'passkey_rejected'] as const
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

t.test('creates, lists, renames and deletes a passkey', async (t) => {
  const { call, id } = await newcomer()
  const options = (await call('POST auth/passkeys/options')).json()
  t.match(options, {
    rp: { id: 'files.example.com', name: 'Razorbill' },
    user: { name: `person_${people - 1}`, id: Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url') },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
    excludeCredentials: [],
  })
  const passkey = newPasskey(origin)
  const answer = await call('POST auth/passkeys', { name: ' Phone ', response: passkey.register(options) })
  t.equal(answer.statusCode, 201)
  const { id: passkeyId, ...made } = answer.json()
  t.same(made, { name: 'Phone', createdAt: clock.now().toISOString(), lastUsedAt: null, backedUp: false })
  t.same((await call('GET auth/passkeys')).json(), [answer.json()])
  t.match((await call('POST auth/passkeys/options')).json().excludeCredentials, [{ id: passkey.id, transports: ['internal', 'hybrid'] }])
  t.equal((await call(`PATCH auth/passkeys/${passkeyId}`, { name: 'Old phone' })).json().name, 'Old phone')
  t.equal((await call(`DELETE auth/passkeys/${passkeyId}`)).statusCode, 204)
  t.same((await call('GET auth/passkeys')).json(), [])
  t.same(refusal(await signIn(passkey.answer(await ask()))), rejected, 'it no longer signs in')
  const events = log.lines.map(({ details }) => (details as { event?: string }).event)
  t.ok(events.includes('passkey_added') && events.includes('passkey_deleted'))
})

t.test('signs in with a passkey alone, even when TOTP is on', async (t) => {
  const { name, call, passkey } = await withPasskey()
  await switchTotpOn(call, clock.now())
  const options = await ask()
  t.match(options, { rpId: 'files.example.com', userVerification: 'required' })
  t.notOk(options.allowCredentials?.length, 'no response shows who has a passkey')
  const answer = await signIn(passkey.answer(options))
  t.equal(answer.statusCode, 200)
  t.same(Object.keys(answer.json()).sort(), ['accessToken', 'refreshToken'])
  const signedIn = callsOf(app, headersOf(answer))
  t.equal((await signedIn('GET users/me')).json().username, name)
  t.equal((await signedIn('GET auth/passkeys')).json()[0].lastUsedAt, clock.now().toISOString())
})

t.test('accepts a passkey in place of a code', async (t) => {
  const { name, call, passkey } = await withPasskey()
  await switchTotpOn(call, clock.now())
  const first = (await visitor('POST auth/signIn', { username: name, password })).json()
  t.equal(first.passkey, true)
  const options = await ask(first.loginToken)
  t.match(options.allowCredentials, [{ id: passkey.id }])
  t.equal((await signIn(passkey.answer(options), first.loginToken)).statusCode, 200)
  t.same(
    refusal(await visitor('POST auth/signIn/totp', { loginToken: first.loginToken, totp: '123456' })),
    [401, 'invalid_login_token'],
    'it is consumed',
  )
})

t.test('accepts a passkey response once, and only for the ceremony that requested it', async (t) => {
  const { name, call, passkey } = await withPasskey()
  await switchTotpOn(call, clock.now())
  const answer = passkey.answer(await ask())
  t.equal((await signIn(answer)).statusCode, 200)
  t.same(refusal(await signIn(answer, undefined, app)), rejected, 'replayed')
  const loginToken = (await visitor('POST auth/signIn', { username: name, password })).json().loginToken
  t.same(refusal(await signIn(passkey.answer(await ask()), loginToken)), rejected, 'requested for a sign-in, sent as second factor')
  t.same(refusal(await signIn(passkey.answer(await ask(loginToken)))), rejected, 'requested as second factor, sent alone')
  const { challenge } = (await call('POST auth/passkeys/options')).json()
  t.same(refusal(await signIn(passkey.answer({ challenge, rpId: 'files.example.com' }))), rejected, 'requested for a registration')
  const old = await ask()
  clock.pass(300)
  t.same(refusal(await signIn(passkey.answer(old))), rejected, 'too late')
})

t.test('accepts only one of several parallel uses of one passkey response', async (t) => {
  const { passkey } = await withPasskey()
  const answer = passkey.answer(await ask())
  const answers = await Promise.all([app, other, app, other].map((at) => signIn(answer, undefined, at)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 401, 401, 401])
})

t.test('rejects a passkey response that does not match', async (t) => {
  const { id, passkey } = await withPasskey()
  const neighbour = await withPasskey()
  const stranger = newPasskey(origin)
  const bends = {
    'another site': { origin: 'https://files.example.org' },
    'a site below': { origin: 'https://evil.files.example.com' },
    'plain http': { origin: 'http://files.example.com' },
    'another rp': { rpId: 'example.com' },
    'another ceremony': { type: 'webauthn.create' },
    'a made-up challenge': { challenge: Buffer.alloc(32).toString('base64url') },
    'an empty challenge': { challenge: '' },
    'no verification of the user': { userVerified: false },
    'no presence': { userPresent: false },
    'no user handle': { userHandle: null },
    "another's user handle": { userHandle: Buffer.from(neighbour.id.replaceAll('-', ''), 'hex').toString('base64url') },
  }
  for (const [name, bent] of Object.entries(bends)) t.same(refusal(await signIn(passkey.answer(await ask(), bent))), rejected, name)
  const handle = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
  t.same(refusal(await signIn(stranger.answer(await ask(), { userHandle: handle }))), rejected, 'an unknown passkey')
  t.same(
    refusal(await signIn({ ...stranger.answer(await ask(), { userHandle: handle }), id: passkey.id, rawId: passkey.id })),
    rejected,
    'another key’s signature',
  )
  const good = passkey.answer(await ask())
  t.same(refusal(await signIn({ ...good, response: { ...good.response, signature: 'AAAA' } })), rejected, 'a broken signature')
  t.equal((await signIn(passkey.answer(await ask()))).statusCode, 200, 'the right one still works')
})

t.test('rejects a malformed passkey response as bad input', async (t) => {
  const { call, passkey } = await withPasskey()
  const good = passkey.answer(await ask())
  for (const response of [undefined, null, {}, 'x', [], { ...good, response: {} }, { ...good, id: 7 }, { ...good, id: '' }]) {
    t.same(refusal(await visitor('POST auth/signIn/passkey', { response })), [400, 'validation_failed'], JSON.stringify(response))
    t.same(refusal(await call('POST auth/passkeys', { response })), [400, 'validation_failed'], JSON.stringify(response))
  }
  for (const clientDataJSON of [
    '',
    'x',
    Buffer.from('null').toString('base64url'),
    Buffer.from('{"challenge":{}}').toString('base64url'),
  ]) {
    t.same(refusal(await signIn({ ...good, response: { ...good.response, clientDataJSON } })), rejected, clientDataJSON)
  }
  t.same(refusal(await signIn({ ...passkey.answer(await ask()), id: 'a\0b' } as typeof good)), [400, 'validation_failed'])
  for (const attestationObject of ['', 'x', 'oA', Buffer.alloc(100).toString('base64url')]) {
    const made = newPasskey(origin).register((await call('POST auth/passkeys/options')).json())
    const response = { ...made, response: { ...made.response, attestationObject } }
    t.same(refusal(await call('POST auth/passkeys', { response })), [400, 'passkey_invalid'], attestationObject)
  }
})

t.test('rejects a signature counter that does not increase, as from a cloned passkey', async (t) => {
  const { passkey } = await withPasskey()
  t.equal((await signIn(passkey.answer(await ask(), { counter: 5 }))).statusCode, 200)
  t.same(refusal(await signIn(passkey.answer(await ask(), { counter: 5 }))), rejected)
  t.same(refusal(await signIn(passkey.answer(await ask(), { counter: 4 }))), rejected)
  t.equal((await signIn(passkey.answer(await ask(), { counter: 6 }))).statusCode, 200)
  const synced = await withPasskey()
  for (let n = 0; n < 2; n++)
    t.equal((await signIn(synced.passkey.answer(await ask(), { counter: 0 }))).statusCode, 200, 'synced passkeys have no counter')
})

t.test('rejects another user’s passkey as a second factor', async (t) => {
  const { name, call, passkey } = await withPasskey()
  const neighbour = await withPasskey()
  const { secret } = await switchTotpOn(call, clock.now())
  const loginTokenOf = async () => (await visitor('POST auth/signIn', { username: name, password })).json().loginToken
  const loginToken = await loginTokenOf()
  for (const bent of [{}, { userHandle: null }])
    t.same(refusal(await signIn(neighbour.passkey.answer(await ask(loginToken), bent), loginToken)), rejected)
  t.equal(
    (await signIn(passkey.answer(await ask(loginToken), { userHandle: null }), loginToken)).statusCode,
    200,
    'the user handle is optional for the user’s own passkey',
  )
  t.same(
    refusal(await visitor('POST auth/signIn/passkey/options', { loginToken })),
    [401, 'invalid_login_token'],
    'the login token is consumed',
  )
  const worn = await loginTokenOf()
  for (let n = 0; n < 5; n++) t.same(refusal(await signIn(neighbour.passkey.answer(await ask(worn)), worn)), rejected)
  t.same(
    refusal(await signIn(passkey.answer({ challenge: 'x', rpId: 'files.example.com' }), worn)),
    [401, 'invalid_login_token'],
    'after five attempts',
  )
  clock.pass(30)
  t.same(refusal(await visitor('POST auth/signIn/totp', { loginToken: worn, totp: codeAt(secret, clock.now()) })), [
    401,
    'invalid_login_token',
  ])
  const late = await loginTokenOf()
  clock.pass(300)
  t.same(refusal(await visitor('POST auth/signIn/passkey/options', { loginToken: late })), [401, 'token_expired'])
})

t.test('reports at the second step that the user has no passkey', async (t) => {
  const { name, call } = await newcomer()
  await switchTotpOn(call, clock.now())
  const { loginToken, passkey } = (await visitor('POST auth/signIn', { username: name, password })).json()
  t.equal(passkey, false)
  t.same(refusal(await visitor('POST auth/signIn/passkey/options', { loginToken })), rejected)
})

t.test('registers only a passkey that this user requested recently', async (t) => {
  const { call } = await newcomer()
  const neighbour = await newcomer()
  const options = async (by = call) => (await by('POST auth/passkeys/options')).json()
  const refused = async (response: object, why: string, by = call) =>
    t.same(refusal(await by('POST auth/passkeys', { response })), [400, 'passkey_invalid'], why)
  await refused(newPasskey(origin).register(await options(neighbour.call)), "another's challenge")
  const asked = (await ask()).challenge
  await refused(newPasskey(origin).register({ ...(await options()), challenge: asked }), 'the challenge of a sign-in')
  await refused(newPasskey(origin).register(await options(), { origin: 'https://evil.example' }), 'another site')
  await refused(newPasskey(origin).register(await options(), { rpId: 'evil.example' }), 'another rp')
  await refused(newPasskey(origin).register(await options(), { userVerified: false }), 'without verification')
  await refused(newPasskey(origin).register(await options(), { type: 'webauthn.get' }), 'another ceremony')
  const first = newPasskey(origin)
  const response = first.register(await options())
  t.equal((await call('POST auth/passkeys', { response })).statusCode, 201)
  await refused(response, 'replayed')
  t.same(refusal(await call('POST auth/passkeys', { response: first.register(await options()) })), [400, 'passkey_taken'])
  t.same(refusal(await neighbour.call('POST auth/passkeys', { response: first.register(await options(neighbour.call)) })), [
    400,
    'passkey_taken',
  ])
  const late = await options()
  clock.pass(300)
  await refused(newPasskey(origin).register(late), 'too late')
  t.equal((await call('GET auth/passkeys')).json().length, 1)
})

t.test('requires the password or a recent sign-in to add and delete passkeys', async (t) => {
  const { call, passkeyId } = await withPasskey()
  t.same(refusal(await call('POST auth/passkeys/options', { password: 'not it' })), [403, 'wrong_password'])
  t.same(refusal(await call(`DELETE auth/passkeys/${passkeyId}`, { password: 'not it' })), [403, 'wrong_password'])
  clock.pass(899)
  t.equal((await call('POST auth/passkeys/options')).statusCode, 200)
  await ctx.db
    .updateTable('session')
    .set({ createdAt: new Date(clock.now().getTime() - 900_000) })
    .execute()
  t.match((await call('POST auth/passkeys/options')).json(), { error: 'confirmation_required', hasPassword: true })
  t.match((await call(`DELETE auth/passkeys/${passkeyId}`)).json(), { error: 'confirmation_required', hasPassword: true })
  t.equal((await call('POST auth/passkeys/options', { password })).statusCode, 200)
  t.equal((await call(`DELETE auth/passkeys/${passkeyId}`, { password })).statusCode, 204)
})

t.test('denies access to another user’s passkeys', async (t) => {
  const { passkeyId } = await withPasskey()
  const { call } = await newcomer()
  t.same(refusal(await call(`DELETE auth/passkeys/${passkeyId}`)), [404, 'not_found'])
  t.same(refusal(await call(`PATCH auth/passkeys/${passkeyId}`, { name: 'mine' })), [404, 'not_found'])
  t.same(refusal(await call('DELETE auth/passkeys/x')), [400, 'validation_failed'])
  for (const what of ['GET auth/passkeys', 'POST auth/passkeys/options', `DELETE auth/passkeys/${passkeyId}`]) {
    t.same(refusal(await visitor(what)), [401, 'unauthorized'], what)
  }
  for (const name of ['', ' ', 'x'.repeat(65), 7, null])
    t.same(refusal(await call(`PATCH auth/passkeys/${passkeyId}`, { name })), [400, 'validation_failed'])
})

t.test('allows twenty passkeys per account', async (t) => {
  const { call, id } = await newcomer()
  const options = (await call('POST auth/passkeys/options')).json()
  const row = (n: number) => ({
    userId: id,
    credentialId: `filler ${n}`,
    publicKey: '',
    counter: 0,
    rpId: 'files.example.com',
    backedUp: false,
    name: 'x',
  })
  await ctx.db
    .insertInto('passkey')
    .values(Array.from({ length: passkeysMax }, (_, n) => row(n)))
    .execute()
  t.same(refusal(await call('POST auth/passkeys/options')), [400, 'too_many_passkeys'])
  t.same(refusal(await call('POST auth/passkeys', { response: newPasskey(origin).register(options) })), [400, 'too_many_passkeys'])
})

t.test('ends pending sign-ins when a passkey is added', async (t) => {
  const { name, call } = await newcomer()
  const { recoveryCodes } = await switchTotpOn(call, clock.now())
  const { loginToken } = (await visitor('POST auth/signIn', { username: name, password })).json()
  t.equal((await register(call, newPasskey(origin))).statusCode, 201)
  t.same(refusal(await visitor('POST auth/signIn/totp', { loginToken, totp: recoveryCodes[0] })), [401, 'invalid_login_token'])
})

t.test('rejects a passkey that was created for another address', async (t) => {
  const { passkey } = await withPasskey()
  const moved = await testApp(t, { database, now: clock.now, env: { appUrl: 'https://new.example.com' } })
  const { challenge } = (await visitor('POST auth/signIn/passkey/options', undefined, { app: moved.app })).json()
  const answer = passkey.answer({ challenge, rpId: 'new.example.com' }, { origin: 'https://new.example.com' })
  t.same(refusal(await signIn(answer, undefined, moved.app)), rejected)
})

t.test('offers no passkeys where browsers do not support them', async (t) => {
  for (const [appUrl, status] of [
    ['http://files.example.com', 400],
    ['https://192.0.2.1', 400],
    ['https://[2001:db8::1]', 400],
    ['http://localhost:3000', 200],
    ['https://files.example.com/below', 200],
  ] as const) {
    const { app } = await testApp(t, { database, env: { appUrl } })
    const answer = await visitor('POST auth/signIn/passkey/options', undefined, { app })
    t.equal(answer.statusCode, status, appUrl)
    if (status === 400) t.match(answer.json(), { error: 'passkeys_unavailable' })
  }
  const { app } = await testApp(t, { database, env: { appUrl: null } })
  t.equal(
    (await visitor('POST auth/signIn/passkey/options', undefined, { app, headers: { host: 'localhost:3000' } })).json().rpId,
    'localhost',
  )
  t.same(refusal(await visitor('POST auth/signIn/passkey/options', undefined, { app, headers: { host: 'a b' } })), [
    400,
    'passkeys_unavailable',
  ])
})
