import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { switchTotpOn } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database.
const clock = testClock()
const { app, ctx, database } = await testApp(t, { now: clock.now })
const { app: other } = await testApp(t, { database, now: clock.now })
const visitor = callsOf(app)
await signUp(app, 'root')
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

let people = 0
const newcomer = async () => {
  const username = `person_${people++}`
  const call = callsOf(app, await signUp(app, username))
  return { username, call, id: (await call('GET users/me')).json().id as string }
}
const signIn = async (username: string) => callsOf(app, headersOf(await visitor('POST auth/signIn', { username, password })))
const administrator = async () => {
  const person = await newcomer()
  await ctx.db.updateTable('user').set({ isAdmin: true }).where('id', '=', person.id).execute()
  return person
}
/** Backdates the start of all sessions of a user by 15 minutes. */
const grow = (userId: string) =>
  ctx.db
    .updateTable('session')
    .set({ createdAt: new Date(clock.now().getTime() - 900_000) })
    .where('userId', '=', userId)
    .execute()
const tokenOf = async (call: ReturnType<typeof callsOf>) => {
  const { token } = (await call('POST auth/tokens', { name: 'script', scopes: ['shares:read', 'admin'] })).json()
  return callsOf(app, { authorization: `Bearer ${token}` })
}

t.test('requires the password in an old session to create an API token', async (t) => {
  const { id, call } = await newcomer()
  const token = { name: 'script', scopes: ['shares:read'] }
  t.equal((await call('POST auth/tokens', token)).statusCode, 201, 'a recent session does not')
  await grow(id)
  t.match((await call('POST auth/tokens', token)).json(), { statusCode: 403, error: 'confirmation_required', hasPassword: true })
  t.same(refusal(await call('POST auth/tokens', { ...token, password: 'not it' })), [403, 'wrong_password'])
  t.equal((await call('GET auth/tokens')).json().length, 1, 'nothing was created')
  t.equal((await call('POST auth/tokens', { ...token, password })).statusCode, 201)
})

t.test('requires the password in an old session to end another one, but not to end itself', async (t) => {
  const { id, username, call } = await newcomer()
  const phone = await signIn(username)
  const find = async (browser: typeof call) =>
    (await browser('GET auth/sessions')).json().find(({ current }: { current: boolean }) => current).id as string
  const [own, another] = [await find(call), await find(phone)]
  await grow(id)
  for (const what of ['DELETE auth/sessions', `DELETE auth/sessions/${another}`]) {
    t.same(refusal(await call(what)), [403, 'confirmation_required'], what)
    t.same(refusal(await call(what, { password: 'not it' })), [403, 'wrong_password'], what)
  }
  t.equal((await phone('GET users/me')).statusCode, 200)
  t.equal((await call(`DELETE auth/sessions/${another}`, { password })).statusCode, 204)
  t.same(refusal(await phone('GET users/me')), [401, 'unauthorized'])
  t.equal((await call('DELETE auth/sessions', { password })).statusCode, 204)
  t.equal((await call(`DELETE auth/sessions/${own}`)).statusCode, 204, 'signing out needs no password')
})

t.test('requires the password for another email address, even in a fresh session', async (t) => {
  const { username, call } = await newcomer()
  const email = `${username}_new@example.com`
  t.match((await call('PATCH users/me', { email })).json(), { statusCode: 403, error: 'confirmation_required', hasPassword: true })
  t.same(refusal(await call('PATCH users/me', { email, currentPassword: 'not it' })), [403, 'wrong_password'])
  t.equal((await call('PATCH users/me', { email: `${username}@example.com` })).statusCode, 200, 'the same address does not')
  t.match((await call('PATCH users/me', { email, currentPassword: password })).json(), { email })
})

t.test('requires the password in an old session to change the username, which is a sign-in name', async (t) => {
  const { id, username, call } = await newcomer()
  t.equal((await call('PATCH users/me', { username: `${username}_2` })).statusCode, 200, 'a recent session does not')
  await grow(id)
  t.same(refusal(await call('PATCH users/me', { username: `${username}_3` })), [403, 'confirmation_required'])
  t.equal((await call('PATCH users/me', { username: `${username}_2` })).statusCode, 200, 'the same name does not either')
  t.equal((await call('PATCH users/me', { username: `${username}_3`, currentPassword: password })).statusCode, 200)
})

t.test('refuses an administrator’s call on the administrator’s own account', async (t) => {
  const { id, username, call } = await administrator()
  const program = await tokenOf(call)
  for (const caller of [call, program]) {
    for (const changes of [{ password: 'another password' }, { email: 'thief@example.com' }, { username: 'thief' }, { isAdmin: false }]) {
      const answer = await caller(`PATCH users/${id}`, { ...changes, currentPassword: password })
      t.same(refusal(answer), [403, 'forbidden'], JSON.stringify(changes))
    }
    t.same(refusal(await caller(`DELETE users/${id}`)), [403, 'forbidden'])
    t.same(refusal(await caller(`DELETE users/${id}/sessions`, { currentPassword: password })), [403, 'forbidden'])
  }
  t.match((await call('GET users/me')).json(), { username, email: `${username}@example.com`, isAdmin: true })
  t.equal((await visitor('POST auth/signIn', { username, password })).statusCode, 200)
})

t.test('requires the password in an administrator’s old session to change how others sign in', async (t) => {
  const { id: adminId, call } = await administrator()
  const { id, username } = await newcomer()
  await grow(adminId)
  const changes = [
    { password: 'another password' },
    { email: `${username}_new@example.com` },
    { username: `${username}_new` },
    { isAdmin: true },
  ]
  for (const change of changes) {
    t.match((await call(`PATCH users/${id}`, change)).json(), { error: 'confirmation_required', hasPassword: true }, JSON.stringify(change))
    t.same(refusal(await call(`PATCH users/${id}`, { ...change, currentPassword: 'not it' })), [403, 'wrong_password'])
  }
  t.match(await ctx.db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst(), { username, isAdmin: false })
  const same = { username, email: `${username}@example.com`, isAdmin: false }
  t.equal((await call(`PATCH users/${id}`, same)).statusCode, 200, 'a request without changes needs no password')
  for (const change of changes) {
    const answer = await call(`PATCH users/${id}`, { ...change, currentPassword: password })
    t.equal(answer.statusCode, 200, JSON.stringify(change))
  }
  const another = { username: `${username}_b`, email: `${username}_b@example.com`, password }
  t.same(
    refusal(await call('POST users', { ...another, isAdmin: true })),
    [403, 'confirmation_required'],
    'a new administrator needs it too',
  )
  t.equal((await call('POST users', { ...another, isAdmin: true, currentPassword: password })).statusCode, 201)
})

t.test('refuses account changes with an API token', async (t) => {
  const { call } = await administrator()
  const program = await tokenOf(call)
  const colleague = await administrator()
  const { id, username } = await newcomer()
  for (const changes of [
    { password: 'another password' },
    { email: 'thief@example.com' },
    { username: 'thief' },
    { isAdmin: false },
    { username: colleague.username },
  ]) {
    const answer = await program(`PATCH users/${colleague.id}`, { ...changes, currentPassword: password })
    t.same(refusal(answer), [403, 'forbidden'], JSON.stringify(changes))
  }
  t.same(refusal(await program(`DELETE users/${colleague.id}`)), [403, 'forbidden'])
  t.same(refusal(await program(`DELETE users/${colleague.id}/sessions`, { currentPassword: password })), [403, 'forbidden'])
  t.same(refusal(await program(`PATCH users/${id}`, { isAdmin: true, currentPassword: password })), [403, 'forbidden'])
  const made = { username: `${username}_b`, email: `${username}_b@example.com`, password }
  t.same(refusal(await program('POST users', { ...made, isAdmin: true, currentPassword: password })), [403, 'forbidden'])
  t.equal((await program('POST users', made)).statusCode, 201, 'it creates users')
  for (const change of [{ password: 'another password' }, { email: 'thief@example.com' }]) {
    t.same(
      refusal(await program(`PATCH users/${id}`, change)),
      [403, 'confirmation_required'],
      'which it may change only with the password',
    )
  }
  t.same(refusal(await program(`DELETE users/${id}/sessions`)), [403, 'confirmation_required'])
  t.equal((await program(`PATCH users/${id}`, { password: 'another password', currentPassword: password })).statusCode, 200)
  t.equal((await program(`DELETE users/${id}`)).statusCode, 200, 'and delete')
})

t.test('refuses an API token for settings that control sign-ins and password links', async (t) => {
  const { call } = await administrator()
  const program = await tokenOf(call)
  for (const [key, value] of [
    ['smtp.host', 'mail.evil.example'],
    ['smtp.enabled', null],
    ['oauth.oidc-discoveryUri', 'https://evil.example/.well-known/openid-configuration'],
    ['general.appUrl', 'https://evil.example'],
  ]) {
    const answer = await program('PATCH configs/admin', [
      { key: 'general.appName', value: 'Changed' },
      { key, value },
    ])
    t.same(refusal(answer), [403, 'forbidden'], `${key}`)
  }
  t.equal((await program('PATCH configs/admin', [{ key: 'general.appName', value: 'Files' }])).statusCode, 200, 'but other settings')
  t.equal((await call('PATCH configs/admin', [{ key: 'smtp.host', value: 'mail.example.com' }])).statusCode, 200)
})

t.test('lets an administrator end all sessions and pending sign-ins of a user', async (t) => {
  const { id: adminId, call } = await administrator()
  const { id, username, call: laptop } = await newcomer()
  const phone = await signIn(username)
  const { token } = (await laptop('POST auth/tokens', { name: 'script', scopes: ['shares:read'] })).json()
  const program = callsOf(app, { authorization: `Bearer ${token}` })
  t.same(refusal(await laptop(`DELETE users/${adminId}/sessions`)), [403, 'forbidden'])
  t.same(refusal(await visitor(`DELETE users/${id}/sessions`)), [401, 'unauthorized'])
  await grow(adminId)
  t.same(refusal(await call(`DELETE users/${id}/sessions`)), [403, 'confirmation_required'])
  t.equal((await call(`DELETE users/${id}/sessions`, { currentPassword: password })).statusCode, 204)
  for (const browser of [laptop, phone]) {
    t.same(refusal(await browser('GET users/me', undefined, { app: other })), [401, 'unauthorized'])
    t.same(refusal(await browser('POST auth/token')), [401, 'session_ended'])
  }
  t.equal((await program('GET users/me')).statusCode, 200, 'API tokens stay')
  t.equal((await visitor('POST auth/signIn', { username, password })).statusCode, 200)
  const nobody = '00000000-0000-4000-8000-000000000000'
  t.same(refusal(await call(`DELETE users/${nobody}/sessions`, { currentPassword: password })), [404, 'user_not_found'])
})

t.test('ends all other sessions when TOTP is turned on, at every replica', async (t) => {
  const { username, call } = await newcomer()
  const phone = await signIn(username)
  const { token } = (await call('POST auth/tokens', { name: 'script', scopes: ['shares:read'] })).json()
  await call('POST auth/totp/enable', { password })
  t.equal((await phone('GET users/me')).statusCode, 200, 'not before it is on')
  await switchTotpOn(call, clock.now())
  t.same(refusal(await phone('GET users/me', undefined, { app: other })), [401, 'unauthorized'])
  t.same(refusal(await phone('POST auth/token')), [401, 'session_ended'])
  t.equal((await call('GET users/me')).statusCode, 200)
  t.equal((await callsOf(app, { authorization: `Bearer ${token}` })('GET users/me')).statusCode, 200, 'API tokens stay')
})

t.test('requires the password in an old session to change settings that sign-ins depend on', async (t) => {
  const { id, call } = await administrator()
  const sensitive = [
    { key: 'smtp.host', value: 'mail.evil.example' },
    { key: 'oauth.oidc-discoveryUri', value: 'https://id.evil.example/.well-known/openid-configuration' },
    { key: 'general.appUrl', value: 'https://evil.example' },
    { key: 'general.requireAdminSecondFactor', value: false },
    { key: 'email.resetPasswordMessage', value: 'https://evil.example/?{url}' },
    { key: 'email.inviteMessage', value: 'https://evil.example/?{url}' },
  ]
  const harmless = { key: 'general.appName', value: 'Files' }
  const keys = [harmless, ...sensitive].map(({ key }) => key)
  await ctx.db.deleteFrom('setting').where('key', 'in', keys).execute()
  const script = await tokenOf(call)
  await grow(id)
  for (const change of sensitive) {
    const changes = [harmless, change]
    t.match((await call('PATCH configs/admin', changes)).json(), { error: 'confirmation_required', hasPassword: true }, change.key)
    t.same(refusal(await call('PATCH configs/admin', { changes, currentPassword: 'not it' })), [403, 'wrong_password'])
    t.same(refusal(await script('PATCH configs/admin', { changes, currentPassword: password })), [403, 'forbidden'])
  }
  t.same(await ctx.db.selectFrom('setting').select('key').where('key', 'in', keys).execute(), [], 'nothing was changed')
  const [change] = sensitive
  t.equal((await call('PATCH configs/admin', { changes: [change], currentPassword: password })).statusCode, 200)
  t.equal((await call('PATCH configs/admin', [harmless])).statusCode, 200, 'others need none')
  t.equal((await script('PATCH configs/admin', [harmless])).statusCode, 200)
  await ctx.db.deleteFrom('setting').where('key', 'in', keys).execute()
})
