import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { testApp } from '../support/app/app.ts'
import { password, signUp, userFields } from '../support/people/people.ts'

const { app, ctx } = await testApp(t)
const post = (url: string, payload: object, headers = {}) => app.inject({ method: 'POST', url: `/api/auth/${url}`, payload, headers })
const person = (username: string, more = {}) => ({ username, email: `${username}@example.com`, password, ...more })

t.test('makes the first user the administrator and signs them in', async (t) => {
  const answer = await post('signUp', person('alice'))
  t.equal(answer.statusCode, 201)
  const { accessToken, refreshToken, user } = answer.json()
  t.same(Object.keys(answer.json()).sort(), ['accessToken', 'refreshToken', 'user'])
  t.match(user, { username: 'alice', email: 'alice@example.com', hasPassword: true, isAdmin: true, totpVerified: false })
  t.same(Object.keys(user).sort(), userFields)
  t.same(answer.cookies.slice(0, 2), [
    { name: 'access_token', value: accessToken, maxAge: 900, path: '/', httpOnly: true, sameSite: 'Lax' },
    { name: 'refresh_token', value: refreshToken, maxAge: 720 * 3600, path: '/api/auth/token', httpOnly: true, sameSite: 'Strict' },
  ])
  const me = await app.inject({ url: '/api/users/me', cookies: { access_token: accessToken } })
  t.equal(me.statusCode, 200)
  t.same(me.json(), user)
})

t.test('does not make the second account an administrator, even on request', async (t) => {
  const answer = await post('signUp', person('bob', { isAdmin: true, totpVerified: true, id: '00000000-0000-4000-8000-000000000000' }))
  t.equal(answer.statusCode, 201)
  t.match(answer.json().user, { isAdmin: false, totpVerified: false })
  t.not(answer.json().user.id, '00000000-0000-4000-8000-000000000000')
})

t.test('stores passwords and tokens as hashes', async (t) => {
  const { refreshToken } = (await post('signIn', { username: 'bob', password })).json()
  const rows = JSON.stringify([
    await ctx.db.selectFrom('user').selectAll().execute(),
    await ctx.db.selectFrom('session').selectAll().execute(),
  ])
  t.notMatch(rows, password)
  t.notMatch(rows, refreshToken)
  t.match(rows, '$argon2id$')
})

t.test('treats names and addresses that differ only in case or Unicode form as taken', async (t) => {
  t.equal((await post('signUp', person('zoe', { email: 'zo\u00eb@example.com' }))).statusCode, 201)
  for (const [payload, error] of [
    [person('ALICE', { email: 'other@example.com' }), 'username_taken'],
    [person('carol', { email: 'Alice@Example.COM' }), 'email_taken'],
    [person('carol', { email: 'ZOE\u0308@example.com' }), 'email_taken'],
  ] as const) {
    const answer = await post('signUp', payload)
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), { statusCode: 400, error })
  }
  t.equal((await post('signUp', person('carol'))).statusCode, 201, 'a refused sign-up leaves no data')
})

t.test('accepts only one of several parallel sign-ups with one name', async (t) => {
  const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => post('signUp', person('dave', { email: `dave${n}@example.com` }))))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400])
})

t.test('signs in by username or email address, in any case and Unicode form', async (t) => {
  for (const login of [
    { username: 'alice' },
    { username: 'Alice' },
    { username: '\uff41lice' },
    { username: 'alice@example.com' },
    { email: 'ALICE@example.com' },
    { email: 'zoe\u0308@example.com' },
    { email: 'alice@example.com', username: '' },
  ]) {
    const answer = await post('signIn', { ...login, password })
    t.equal(answer.statusCode, 200, JSON.stringify(login))
    t.same(Object.keys(answer.json()).sort(), ['accessToken', 'refreshToken'])
    t.same(
      answer.cookies.map(({ name }) => name),
      ['access_token', 'refresh_token', 'known_device'],
    )
  }
})

t.test('responds the same to an unknown user and a wrong password', async (t) => {
  const unknown = await post('signIn', { username: 'nobody', password })
  const wrong = await post('signIn', { username: 'alice', password: `${password}!` })
  t.equal(unknown.statusCode, 401)
  t.equal(wrong.statusCode, 401)
  t.equal(unknown.body, wrong.body)
  t.match(wrong.json(), { statusCode: 401, error: 'wrong_credentials' })
  t.same(wrong.cookies, [])
  await ctx.db.updateTable('user').set({ passwordHash: null }).where('username', '=', 'carol').execute()
  t.equal((await post('signIn', { username: 'carol', password })).body, wrong.body, 'a user without a password responds the same')
})

t.test('names the invalid fields', async (t) => {
  const refused = async (url: string, payload: object, path: string) => {
    const answer = await post(url, payload)
    t.equal(answer.statusCode, 400, `${url} ${path}`)
    t.match(answer.json(), { statusCode: 400, error: 'validation_failed', issues: [{ path }] })
  }
  for (const username of ['ab', 'a'.repeat(33), 'a b', 'z\u00f6e', '<b>', 'a@b', '', 7, null, ['eve'], { a: 1 }, true]) {
    await refused('signUp', person('eve', { username }), 'username')
  }
  for (const email of ['', 'eve', 'eve@', 'eve@localhost', `${'e'.repeat(250)}@example.com`, 'a@b.co\r\nBcc: c@d.ee', 5, null]) {
    await refused('signUp', person('eve', { email }), 'email')
  }
  for (const tooBad of ['1234567', '', 'x'.repeat(513), 12345678, null, ['12345678']]) {
    await refused('signUp', person('eve', { password: tooBad }), 'password')
  }
  await refused('signUp', { username: 'eve', email: 'eve@example.com' }, 'password')
  await refused('signIn', { username: 'alice' }, 'password')
  await refused('signIn', { password }, 'username')
  await refused('signIn', { username: { $ne: null }, password }, 'username')
  await refused('signIn', { username: 'alice', password: 'x'.repeat(4097) }, 'password')
  for (const password of ['k7#mP2xq', 'x'.repeat(512), '\u{1f40c}\u{1f422}'.repeat(4)]) {
    t.equal((await post('signUp', person(`ok_${password.length}`, { password }))).statusCode, 201)
    t.equal((await post('signIn', { username: `ok_${password.length}`, password })).statusCode, 200)
  }
})

t.test('rejects a body that is not a JSON object as bad input', async (t) => {
  for (const payload of [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{"username":"al\\u0000ice","password":"12345678"}',
    '{"__proto__":{"isAdmin":true}}',
  ]) {
    const answer = await app.inject({ method: 'POST', url: '/api/auth/signIn', payload, headers: { 'content-type': 'application/json' } })
    t.equal(answer.statusCode, 400, payload)
    t.match(answer.json(), { error: 'validation_failed', issues: [{ message: String }] })
  }
  const xml = await app.inject({ method: 'POST', url: '/api/auth/signIn', payload: 'x', headers: { 'content-type': 'application/xml' } })
  t.equal(xml.statusCode, 415)
  t.match(xml.json(), { error: 'unsupported_media_type' })
  const large = await post('signIn', { username: 'alice', password: 'x'.repeat(1_048_576) })
  t.equal(large.statusCode, 413)
  t.match(large.json(), { error: 'payload_too_large' })
})

t.test('allows only the first account when registration is off', async (t) => {
  await storeSetting(ctx.db, 'share.allowRegistration', false, ctx.now())
  const answer = await post('signUp', person('frank'))
  t.equal(answer.statusCode, 403)
  t.match(answer.json(), { error: 'registration_disabled' })
  await storeSetting(ctx.db, 'share.allowRegistration', true, ctx.now())
  t.equal((await post('signUp', person('frank'))).statusCode, 201)
})

t.test('makes exactly one of several parallel first sign-ups the administrator', async (t) => {
  const { app, ctx } = await testApp(t)
  await Promise.all(Array.from({ length: 8 }, (_, n) => signUp(app, `first_${n}`)))
  const admins = await ctx.db.selectFrom('user').select('username').where('isAdmin', '=', true).execute()
  t.equal(admins.length, 1)
})

t.test('accepts exactly one of several parallel first sign-ups when registration is off', async (t) => {
  const { app, ctx } = await testApp(t)
  await storeSetting(ctx.db, 'share.allowRegistration', false, ctx.now())
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => app.inject({ method: 'POST', url: '/api/auth/signUp', payload: person(`first_${n}`) })),
  )
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 403, 403, 403, 403, 403, 403, 403])
  t.match(await ctx.db.selectFrom('user').selectAll().execute(), [{ isAdmin: true }])
})
