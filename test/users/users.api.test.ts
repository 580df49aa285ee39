import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { letMailsWait, linkTokenTo, mailsTo, site } from '../support/mails.ts'
import { headersOf, password, signUp, userFields } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database.
const clock = testClock()
const log = keptLog()
const { app, ctx, database } = await testApp(t, { now: clock.now, log })
const { app: other } = await testApp(t, { database, now: clock.now, log })
const visitor = callsOf(app)
const admin = callsOf(app, await signUp(app, 'root'))
const next = 'another password'
const nobody = '00000000-0000-4000-8000-000000000000'

let people = 0
const newcomer = async () => {
  const name = `person_${people++}`
  const headers = await signUp(app, name)
  const call = callsOf(app, headers)
  return { name, email: `${name}@example.com`, headers, call, id: (await call('GET users/me')).json().id as string }
}
const signIn = (username: string, password: string) => visitor('POST auth/signIn', { username, password })
const alive = async (headers: Record<string, string>) =>
  (await visitor('GET users/me', undefined, { headers, app: other })).statusCode === 200
const events = () =>
  log.lines
    .filter(({ details, message }) => message === 'security event' && 'by' in (details as object))
    .map(({ details }) => details as { event: string; userId: string; by: string | null })
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

t.test('stores the language of a user, which needs no password', async (t) => {
  const { call } = await newcomer()
  t.equal((await call('GET users/me')).json().language, null)
  t.equal((await call('PATCH users/me', { language: 'de-DE' })).json().language, 'de-DE')
  for (const language of ['xx-XX', 'de', '', 5]) t.same(refusal(await call('PATCH users/me', { language })), [400, 'validation_failed'])
  t.equal((await call('PATCH users/me', {})).json().language, 'de-DE')
  t.equal((await call('PATCH users/me', { language: null })).json().language, null)
})

t.test('trims names and addresses everywhere, and names a broken rule in words', async (t) => {
  const name = `person_${people++}`
  const signedUp = await visitor('POST auth/signUp', { username: ` ${name}\t`, email: `  ${name}@example.com `, password })
  t.match(signedUp.json().user, { username: name, email: `${name}@example.com` })
  t.equal((await signIn(`  ${name} `, password)).statusCode, 200)
  t.equal((await visitor('POST auth/signIn', { email: ` ${name}@example.com `, password })).statusCode, 200)
  const call = callsOf(app, await headersOf(signedUp))
  const own = await call('PATCH users/me', { username: ` ${name}_b `, email: ` ${name}_b@example.com`, currentPassword: password })
  t.match(own.json(), { username: `${name}_b`, email: `${name}_b@example.com` })
  const created = await admin('POST users', {
    username: ` ${name}_c`,
    email: `${name}_c@example.com `,
    password,
    currentPassword: password,
  })
  t.match(created.json(), { username: `${name}_c`, email: `${name}_c@example.com` })
  const changed = await admin(`PATCH users/${created.json().id}` as 'PATCH x', { username: `${name}_d `, currentPassword: password })
  t.match(changed.json(), { username: `${name}_d` })
  const refused = await visitor('POST auth/signUp', { username: ' jörg ', email: ' nonsense ', password })
  t.match(refused.json().issues, [
    { path: 'email', message: 'must be an email address such as ann@example.com' },
    { path: 'username', rule: 'pattern', message: 'can only contain letters from A to Z, numbers, dots and underscores' },
  ])
})

t.test('refuses a caller without permission before any check of the call', async (t) => {
  const { call } = await newcomer()
  for (const what of [
    'POST users',
    `PATCH users/${nobody}`,
    'PATCH configs/admin',
    'POST configs/admin/testEmail',
    'GET shares/all?limit=x',
  ]) {
    t.equal((await visitor(what, what.startsWith('GET') ? undefined : { username: 5 })).statusCode, 401, what)
    t.equal((await call(what, what.startsWith('GET') ? undefined : { username: 5 })).statusCode, 403, what)
  }
})

t.test('changes the user’s own names, and nothing else', async (t) => {
  const { name, id, call } = await newcomer()
  const forbidden = {
    id: nobody,
    isAdmin: true,
    totpVerified: true,
    password: next,
    hasPassword: false,
    createdAt: '2000-01-01T00:00:00.000Z',
    usernameKey: 'root',
    credentialVersion: 9,
  }
  const answer = await call('PATCH users/me', {
    username: `${name}_new`,
    email: `${name}_new@example.com`,
    currentPassword: password,
    ...forbidden,
  })
  t.equal(answer.statusCode, 200)
  const { createdAt, ...rest } = answer.json()
  t.same(rest, {
    id,
    username: `${name}_new`,
    email: `${name}_new@example.com`,
    emailVerified: true,
    hasPassword: true,
    isAdmin: false,
    totpVerified: false,
    language: null,
  })
  t.equal(createdAt, clock.now().toISOString())
  t.same((await call('GET users/me')).json(), answer.json())
  t.equal((await signIn(`${name}_new`, password)).statusCode, 200)
  t.same(refusal(await signIn(name, password)), [401, 'wrong_credentials'])
  t.equal((await call('PATCH users/me', {})).statusCode, 200, 'also an empty change')
  t.same(
    events()
      .slice(-2)
      .map(({ event }) => event),
    ['username_changed', 'email_changed'],
  )
})

t.test('rejects taken and invalid names', async (t) => {
  const { name, call } = await newcomer()
  t.same(refusal(await call('PATCH users/me', { username: 'ROOT' })), [400, 'username_taken'])
  t.same(refusal(await call('PATCH users/me', { email: 'Root@Example.com', currentPassword: password })), [400, 'email_taken'])
  t.equal((await call('PATCH users/me', { username: name.toUpperCase() })).statusCode, 200, 'the user’s own name in another case is free')
  for (const changes of [
    { username: 'ab' },
    { username: 'a b' },
    { username: null },
    { email: 'x' },
    { email: 7 },
    { username: ['abc'] },
  ]) {
    t.same(refusal(await call('PATCH users/me', changes)), [400, 'validation_failed'], JSON.stringify(changes))
  }
  t.same(refusal(await visitor('PATCH users/me', { username: 'x123' })), [401, 'unauthorized'])
})

t.test('requires the password for another address and for deleting the account', async (t) => {
  const { call } = await newcomer()
  await ctx.db
    .updateTable('session')
    .set({ createdAt: new Date(clock.now().getTime() - 900_000) })
    .where('userId', '=', (await call('GET users/me')).json().id)
    .execute()
  t.match((await call('PATCH users/me', { email: 'thief@example.com' })).json(), {
    statusCode: 403,
    error: 'confirmation_required',
    hasPassword: true,
  })
  t.match((await call('DELETE users/me')).json(), { statusCode: 403, error: 'confirmation_required', hasPassword: true })
  t.same(refusal(await call('PATCH users/me', { email: 'thief@example.com', currentPassword: 'not it' })), [403, 'wrong_password'])
  t.same(refusal(await call('DELETE users/me', { currentPassword: 'not it' })), [403, 'wrong_password'])
  t.equal((await call('PATCH users/me', { email: 'mine@example.com', currentPassword: password })).statusCode, 200)
  t.equal((await call('DELETE users/me', { currentPassword: password })).statusCode, 204)
})

t.test('deletes all data of the user’s own account, at every replica', async (t) => {
  const { name, id, headers, call } = await newcomer()
  const { token } = (await call('POST auth/tokens', { name: 'script', scopes: ['shares:read'] })).json()
  const share = (await call('POST shares', { name: 'mine', expiration: 'never' })).json()
  const file = (await call(`POST shares/${share.id}/files`, { name: 'a.txt', size: 5 })).json()
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', file.id).executeTakeFirstOrThrow()
  const answer = await call('DELETE users/me')
  t.equal(answer.statusCode, 204)
  t.match(answer.cookies, [
    { name: 'access_token', value: '', path: '/' },
    { name: 'refresh_token', value: '', path: '/api/auth/token' },
  ])
  t.notOk(await alive(headers))
  t.notOk(await alive({ authorization: `Bearer ${token}` }))
  t.same(refusal(await signIn(name, password)), [401, 'wrong_credentials'])
  t.same(await ctx.db.selectFrom('share').select('id').where('ownerId', '=', id).execute(), [])
  t.match(
    await ctx.db.selectFrom('deletedObject').selectAll().where('key', '=', objectKey).execute(),
    [{ key: objectKey }],
    'the bytes are queued for removal',
  )
  await signUp(app, name)
  t.match(
    events().find(({ event, userId }) => event === 'user_deleted' && userId === id),
    { by: id },
  )
})

t.test('lets administrators list and search users', async (t) => {
  const { app, ctx } = await testApp(t)
  const admin = callsOf(app, await signUp(app, 'zoe'))
  const bob = callsOf(app, await signUp(app, 'Bob'))
  for (const name of ['alice', 'b_b', 'carol']) {
    const email = `${name}@${name === 'carol' ? 'bobs.example.org' : 'example.com'}`
    t.equal((await admin('POST users', { username: name, email, password })).statusCode, 201)
  }
  const names = async (query: string) => {
    const answer = await admin(`GET users${query}`)
    return [answer.json().map(({ username }: { username: string }) => username), answer.headers['x-total-count']]
  }
  t.same(await names(''), [['alice', 'b_b', 'Bob', 'carol', 'zoe'], '5'])
  t.same(await names('?page=2&limit=2'), [['Bob', 'carol'], '5'])
  t.same(await names('?search=BOB'), [['Bob', 'carol'], '2'], 'in names and addresses, in any case')
  t.same(await names('?search=b_b'), [['b_b'], '1'], 'wildcards are literal')
  t.same(await names('?search=%25'), [[], '0'])
  t.same(await names('?search=%5C'), [[], '0'])
  t.same(Object.keys((await admin('GET users')).json()[0]).sort(), userFields)
  t.notMatch((await admin('GET users')).body, 'argon2')
  for (const bad of ['?page=0', '?limit=201', '?page=x', `?search=${'x'.repeat(201)}`])
    t.same(refusal(await admin(`GET users${bad}`)), [400, 'validation_failed'])
  const { id } = (await bob('GET users/me')).json()
  for (const what of ['GET users', 'POST users', `PATCH users/${id}`, `DELETE users/${id}`, `POST users/${id}/invitation`]) {
    const body =
      what.startsWith('POST users') || what.startsWith('PATCH')
        ? { username: 'evil', email: 'evil@example.com', password, isAdmin: true }
        : undefined
    t.same(refusal(await bob(what, body)), [403, 'forbidden'], what)
    t.same(refusal(await callsOf(app)(what, body)), [401, 'unauthorized'], what)
  }
  t.equal((await ctx.db.selectFrom('user').select('id').execute()).length, 5)
})

t.test('lets an administrator create a user with a password', async (t) => {
  const answer = await admin('POST users', {
    username: 'made',
    email: 'made@example.com',
    password,
    isAdmin: true,
    totpVerified: true,
    id: nobody,
  })
  t.equal(answer.statusCode, 201)
  t.match(answer.json(), { username: 'made', email: 'made@example.com', hasPassword: true, isAdmin: true, totpVerified: false })
  t.not(answer.json().id, nobody)
  t.equal((await signIn('made', password)).statusCode, 200)
  t.same(refusal(await admin('POST users', { username: 'MADE', email: 'other@example.com', password })), [400, 'username_taken'])
  t.same(refusal(await admin('POST users', { username: 'other', email: 'MADE@example.com', password })), [400, 'email_taken'])
  for (const wrong of [
    { username: 'a' },
    { email: 'x' },
    { password: '1234567' },
    { password: 'x'.repeat(513) },
    { password: '\u{1f40c}'.repeat(129) },
    { isAdmin: 'yes' },
  ]) {
    t.same(refusal(await admin('POST users', { username: 'other', email: 'other@example.com', password, ...wrong })), [
      400,
      'validation_failed',
    ])
  }
})

t.test('invites a user without a password when email is on', async (t) => {
  const { app, ctx } = await testApp(t, { now: clock.now })
  const visitor = callsOf(app)
  const admin = callsOf(app, await signUp(app, 'root'))
  const guest = { username: 'guest', email: 'guest@example.com' }
  t.same(refusal(await admin('POST users', guest)), [403, 'smtp_disabled'])
  t.same((await admin('GET users')).json().length, 1, 'no user was created')
  await letMailsWait(ctx)
  const answer = await admin('POST users', guest)
  t.equal(answer.statusCode, 201)
  t.match(answer.json(), { hasPassword: false, isAdmin: false })
  const token = await linkTokenTo(ctx, guest.email)
  t.notMatch((await mailsTo(ctx, guest.email)).join(), /password: /i, 'no password is emailed')
  for (const password of ['', 'null', 'undefined']) {
    t.same(refusal(await visitor('POST auth/signIn', { username: 'guest', password })), [401, 'wrong_credentials'])
  }
  clock.pass(7 * 86_400 - 1)
  t.equal((await visitor('POST auth/resetPassword', { token, password })).statusCode, 204)
  t.equal((await visitor('POST auth/signIn', { username: 'guest', password })).statusCode, 200)
  const again = callsOf(app, headersOf(await visitor('POST auth/signIn', { username: 'root', password })))
  const { id } = answer.json()
  t.equal((await again(`POST users/${id}/invitation`)).statusCode, 202)
  const late = await linkTokenTo(ctx, guest.email, 2)
  clock.pass(7 * 86_400)
  t.same(refusal(await visitor('POST auth/resetPassword', { token: late, password })), [400, 'invalid_token'])
  const later = callsOf(app, headersOf(await visitor('POST auth/signIn', { username: 'root', password })))
  t.same(refusal(await later(`POST users/${nobody}/invitation`)), [404, 'user_not_found'])
  t.match((await mailsTo(ctx, guest.email))[0], `${site}/auth/resetPassword/`)
})

t.test('ends sessions and tokens on a new password from an administrator or a demotion, but not on other changes', async (t) => {
  const admin = callsOf(app, headersOf(await signIn('root', password)))
  const { id, name } = await newcomer()
  const promoted = await admin(`PATCH users/${id}`, { isAdmin: true })
  t.match(promoted.json(), { id, isAdmin: true })
  const open = async (secret = password) => {
    const headers = headersOf(await signIn(name, secret))
    const { token } = (await callsOf(app, headers)('POST auth/tokens', { name: 'script', scopes: ['admin', 'shares:read'] })).json()
    return [headers, { authorization: `Bearer ${token}` }] as Record<string, string>[]
  }
  const list = (headers: Record<string, string>) => visitor('GET users', undefined, { headers, app: other })
  let ways = await open()
  for (const headers of ways) t.equal((await list(headers)).statusCode, 200)
  t.equal((await admin(`PATCH users/${id}`, { email: `${name}_2@example.com`, isAdmin: true })).statusCode, 200)
  for (const headers of ways) t.equal((await list(headers)).statusCode, 200, 'a new address keeps them')
  t.match((await admin(`PATCH users/${id}`, { isAdmin: false })).json(), { isAdmin: false })
  for (const headers of ways) t.same(refusal(await list(headers)), [401, 'unauthorized'], 'a demotion ends them')
  t.equal((await admin(`PATCH users/${id}`, { isAdmin: false })).statusCode, 200, 'demoting an ordinary user succeeds')
  await admin(`PATCH users/${id}`, { isAdmin: true })
  ways = await open()
  t.equal((await admin(`PATCH users/${id}`, { password: next })).statusCode, 200)
  for (const headers of ways) t.same(refusal(await list(headers)), [401, 'unauthorized'], 'a new password ends them')
  t.same(refusal(await signIn(name, password)), [401, 'wrong_credentials'])
  ways = await open(next)
  t.equal((await admin(`DELETE users/${id}`)).json().username, name)
  for (const headers of ways) t.same(refusal(await list(headers)), [401, 'unauthorized'], 'a deletion ends them')
  t.same(
    events()
      .filter(({ userId }) => userId === id)
      .map(({ event }) => event)
      .filter((event) => !event.startsWith('api_token')),
    ['user_created', 'admin_granted', 'email_changed', 'admin_revoked', 'admin_granted', 'password_changed', 'user_deleted'],
  )
})

t.test('applies a change as a whole', async (t) => {
  const admin = callsOf(app, headersOf(await signIn('root', password)))
  const { id, name, headers } = await newcomer()
  await newcomer()
  t.same(refusal(await admin(`PATCH users/${id}`, { password: next, isAdmin: true, username: 'root' })), [400, 'username_taken'])
  t.ok(await alive(headers))
  t.equal((await signIn(name, password)).statusCode, 200)
  for (const changes of [{ username: null }, { email: 'x' }, { password: 'short' }, { isAdmin: 1 }, { isAdmin: 'true' }]) {
    t.same(refusal(await admin(`PATCH users/${id}`, changes)), [400, 'validation_failed'], JSON.stringify(changes))
  }
  t.same(refusal(await admin(`PATCH users/${nobody}`, { isAdmin: false })), [404, 'user_not_found'])
  t.same(refusal(await admin(`PATCH users/${nobody}`, { username: 'other' })), [404, 'user_not_found'])
  t.same(refusal(await admin(`DELETE users/${nobody}`)), [404, 'user_not_found'])
  t.same(refusal(await admin('DELETE users/x')), [400, 'validation_failed'])
})

t.test('keeps the last administrator, regardless of the caller', async (t) => {
  const { app } = await testApp(t)
  const admin = callsOf(app, await signUp(app, 'root'))
  await signUp(app, 'bob')
  const { id } = (await admin('GET users/me')).json()
  for (const [what, body, status, code] of [
    ['DELETE users/me', {}, 400, 'last_admin'],
    [`DELETE users/${id}`, undefined, 403, 'forbidden'],
    [`PATCH users/${id}`, { isAdmin: false, password: next }, 403, 'forbidden'],
  ] as const) {
    t.same(refusal(await admin(what, body)), [status, code], what)
  }
  t.equal((await admin('GET users/me')).json().isAdmin, true, 'and stays signed in')
})

t.test('keeps one of several administrators that demote or delete each other at once', async (t) => {
  for (const [round, what] of (['demote', 'delete', 'mixed', 'own'] as const).entries()) {
    const { app, ctx, database } = await testApp(t)
    const { app: other } = await testApp(t, { database })
    const names = ['one', 'two', 'three', 'four']
    const headers: Record<string, string>[] = []
    for (const name of names) headers.push(await signUp(app, name))
    await ctx.db.updateTable('user').set({ isAdmin: true }).execute()
    const ids = await ctx.db.selectFrom('user').select(['id', 'username']).execute()
    const idOf = (name: string) => ids.find(({ username }) => username === name)!.id
    const answers = await Promise.all(
      names.map((_, n) => {
        const call = callsOf(n % 2 ? app : other, headers[n])
        const target = idOf(names[(n + 1) % names.length]!)
        if (what === 'own') return call('DELETE users/me')
        return what === 'demote' || (what === 'mixed' && n % 2)
          ? call(`PATCH users/${target}`, { isAdmin: false })
          : call(`DELETE users/${target}`)
      }),
    )
    const left = await ctx.db.selectFrom('user').select('username').where('isAdmin', '=', true).execute()
    t.ok(left.length >= 1, `${round}: ${what}`)
    for (const answer of answers)
      t.ok([200, 204, 400, 401, 403].includes(answer.statusCode), `${what}: ${answer.statusCode} ${answer.body}`)
    if (what === 'own') t.same(answers.map(({ statusCode }) => statusCode).sort(), [204, 204, 204, 400])
  }
})
