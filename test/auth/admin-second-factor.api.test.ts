import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { newPasskey } from '../support/people/authenticator.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { switchTotpOn } from '../support/people/totp.ts'
import { ok, refusal } from '../support/sharing.ts'

const clock = testClock()
const origin = 'https://files.example.com'
const { app, ctx } = await testApp(t, { now: clock.now, env: { appUrl: origin } })
const visitor = callsOf(app)
await signUp(app, 'root')
const require = (value: boolean) => storeSetting(ctx.db, 'general.requireAdminSecondFactor', value, clock.now())
t.beforeEach(async () => {
  await ctx.db.deleteFrom('rateLimit').execute()
  await require(true)
})

let people = 0
const newcomer = async () => {
  const username = `person_${people++}`
  const call = callsOf(app, await signUp(app, username))
  return { username, call, id: (await call('GET users/me')).json().id as string }
}
const administrator = async () => {
  const person = await newcomer()
  await ctx.db.updateTable('user').set({ isAdmin: true }).where('id', '=', person.id).execute()
  return person
}
const required = [403, 'second_factor_required']

t.test('refuses every call of an administrator without a second factor until TOTP is on', async (t) => {
  const { call } = await administrator()
  const { id: other } = await newcomer()
  const attempts = ['GET users', `DELETE users/${other}`, 'GET configs/admin/smtp', 'PATCH configs/admin', 'GET shares/all', 'GET system']
  for (const what of attempts) {
    t.same(refusal(await call(what, what.startsWith('PATCH') ? [{ key: 'general.appName', value: 'x' }] : undefined)), required, what)
  }
  t.match((await call('GET users')).json().message, 'second factor')
  t.same(refusal(await call('POST auth/tokens', { name: 'a', scopes: ['admin'] })), required)
  ok(await call('GET users/me'))
  await switchTotpOn(call, clock.now())
  ok(await call('GET users'))
  ok(await call('POST auth/tokens', { name: 'a', scopes: ['admin'] }))
})

t.test('refuses other rights of an administrator over shares as well', async (t) => {
  const { call: owner } = await newcomer()
  ok(await owner('POST shares', { id: 'foreign', expiration: '1-day' }))
  const { call } = await administrator()
  t.same(refusal(await call('DELETE shares/foreign')), [404, 'share_not_found'], 'as of an unfinished share')
  await require(false)
  ok(await call('DELETE shares/foreign'))
})

t.test('accepts a session that a passkey has started, and the one that has added the passkey', async (t) => {
  const { username, call } = await administrator()
  const key = newPasskey(origin)
  const added = await call('POST auth/passkeys', { response: key.register(ok(await call('POST auth/passkeys/options')).json()) })
  ok(added)
  ok(await call('GET users'))
  const byPassword = callsOf(app, headersOf(ok(await visitor('POST auth/signIn', { username, password }))))
  t.same(refusal(await byPassword('GET users')), required, 'a password alone does not')
  const options = ok(await visitor('POST auth/signIn/passkey/options')).json()
  const byPasskey = callsOf(app, {
    ...headersOf(ok(await visitor('POST auth/signIn/passkey', { response: key.answer(options) }))),
  })
  ok(await byPasskey('GET users'))
  ok(await byPasskey(`DELETE auth/passkeys/${added.json().id}`))
  t.same(refusal(await byPasskey('GET users')), required, 'the passkey was deleted')
})

t.test('requires the passkey before another second factor is added or the passkey is deleted', async (t) => {
  const { username, call } = await administrator()
  const begin = (from: typeof call) => from('POST auth/passkeys/options')
  const added = await call('POST auth/passkeys', { response: newPasskey(origin).register(ok(await begin(call)).json()) })
  const { id } = ok(added).json()
  const byPassword = callsOf(app, headersOf(ok(await visitor('POST auth/signIn', { username, password }))))
  t.same(refusal(await begin(byPassword)), required)
  t.same(refusal(await byPassword(`DELETE auth/passkeys/${id}`, { password })), required)
  t.same(refusal(await byPassword('POST auth/totp/enable', { password })), required)
  t.same(refusal(await byPassword('POST auth/totp/verify', { password, code: '123456' })), required)
  ok(await begin(call))
  await require(false)
  ok(await begin(byPassword))
})

t.test('stops API tokens while their administrator has no second factor', async (t) => {
  await require(false)
  const { call } = await administrator()
  const { token } = ok(await call('POST auth/tokens', { name: 'a', scopes: ['admin', 'shares:read'] })).json()
  const script = callsOf(app, { authorization: `Bearer ${token}` })
  ok(await script('GET users'))
  await require(true)
  t.same(refusal(await script('GET users')), required)
  ok(await script('GET shares'))
  await switchTotpOn(call, clock.now())
  ok(await script('GET users'))
})

t.test('requires no second factor of other users, and of no one by default', async (t) => {
  const { call: user } = await newcomer()
  ok(await user('GET shares'))
  t.same(refusal(await user('GET users')), [403, 'forbidden'])
  await ctx.db.deleteFrom('setting').where('key', '=', 'general.requireAdminSecondFactor').execute()
  ok(await (await administrator()).call('GET users'))
})
