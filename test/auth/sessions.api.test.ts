import { createHmac } from 'node:crypto'
import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { admin } from '../../src/http/guards.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { password, signUp } from '../support/people/people.ts'

const clock = { now: new Date('2027-01-01T00:00:00Z') }
const pass = (seconds: number) => {
  clock.now = new Date(clock.now.getTime() + seconds * 1000)
}
const log = keptLog()
const { app, ctx } = await testApp(t, { now: () => clock.now, log })
app.get('/api/for-admins', { preHandler: admin }, () => 'welcome')
await signUp(app, 'alice')

interface Tokens {
  accessToken: string
  refreshToken: string
}
const signIn = async (username = 'alice'): Promise<Tokens> => {
  const answer = await app.inject({ method: 'POST', url: '/api/auth/signIn', payload: { username, password } })
  return answer.json()
}
const me = (token: string) => app.inject({ url: '/api/users/me', cookies: { access_token: token } })
const refresh = (token: string) => app.inject({ method: 'POST', url: '/api/auth/token', cookies: { refresh_token: token } })
const cookieOf = (answer: { cookies: { name: string; value: string }[] }, name: string) =>
  answer.cookies.find((cookie) => cookie.name === name)?.value
const sessionOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid as string

t.test('accepts an access token as a cookie or a bearer token, for 15 minutes', async (t) => {
  const { accessToken } = await signIn()
  const bearer = { authorization: `Bearer ${accessToken}` }
  t.equal((await me(accessToken)).statusCode, 200)
  t.equal((await app.inject({ url: '/api/users/me', headers: bearer })).statusCode, 200)
  t.equal(
    (await app.inject({ url: '/api/users/me', headers: { authorization: 'Bearer x' }, cookies: { access_token: accessToken } })).statusCode,
    401,
  )
  pass(899)
  t.equal((await me(accessToken)).statusCode, 200)
  pass(1)
  const late = await me(accessToken)
  t.equal(late.statusCode, 401)
  t.match(late.json(), { statusCode: 401, error: 'unauthorized' })
  t.equal((await app.inject('/api/users/me')).statusCode, 401, 'also not without one')
})

t.test('rejects a token with a foreign signature or another purpose', async (t) => {
  const { accessToken, refreshToken } = await signIn()
  const [header, payload, signature] = accessToken.split('.') as [string, string, string]
  const encode = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const signed = (text: string, hash: string, key: Buffer) => `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
  const key = ctx.sealer.key('access tokens')
  t.equal((await me(signed(`${header}.${payload}`, 'sha256', key))).statusCode, 200, 'the forged token is otherwise valid')
  for (const forged of [
    '',
    'x',
    `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${encode({ alg: 'HS512', typ: 'JWT' })}.${payload}.${signature}`,
    signed(`${encode({ alg: 'HS512', typ: 'JWT' })}.${payload}`, 'sha512', key),
    signed(`${header}.${payload}`, 'sha256', ctx.sealer.key('refresh tokens')),
    `${header}.${encode({ ...claims, isAdmin: true, exp: claims.exp + 1 })}.${signature}`,
    signed(`${header}.${encode({ ...claims, sub: '00000000-0000-4000-8000-000000000000' })}`, 'sha256', key),
    refreshToken,
  ]) {
    t.equal((await me(forged)).statusCode, 401, forged)
  }
})

t.test('returns the next refresh token on each use', async (t) => {
  const { refreshToken } = await signIn()
  pass(1)
  const answer = await refresh(refreshToken)
  t.equal(answer.statusCode, 200)
  t.same(Object.keys(answer.json()).sort(), ['accessToken', 'expiresAt'])
  t.equal(answer.json().expiresAt, new Date(clock.now.getTime() + 900_000).toISOString())
  t.equal(cookieOf(answer, 'access_token'), answer.json().accessToken)
  const next = cookieOf(answer, 'refresh_token')!
  t.not(next, refreshToken)
  t.equal((await me(answer.json().accessToken)).statusCode, 200)
  t.equal((await refresh(next)).statusCode, 200)
})

t.test('keeps tabs that refresh at the same time signed in, and issues one next token', async (t) => {
  const { refreshToken } = await signIn()
  const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(refreshToken)))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200, 200, 200],
  )
  for (const answer of answers) t.equal((await me(answer.json().accessToken)).statusCode, 200)
  const next = answers.map((answer) => cookieOf(answer, 'refresh_token')).filter(Boolean)
  t.equal(next.length, 1)
  pass(29)
  t.equal((await refresh(refreshToken)).statusCode, 200)
  t.equal((await refresh(next[0]!)).statusCode, 200)
})

t.test('ends only the affected session when an old refresh token is reused', async (t) => {
  const other = await signIn()
  const { refreshToken } = await signIn()
  const answer = await refresh(refreshToken)
  pass(30)
  const reuse = await refresh(refreshToken)
  t.equal(reuse.statusCode, 401)
  t.match(reuse.json(), { error: 'session_ended' })
  t.match(reuse.cookies, [
    { name: 'access_token', value: '', path: '/' },
    { name: 'refresh_token', value: '', path: '/api/auth/token' },
  ])
  t.equal((await me(answer.json().accessToken)).statusCode, 401)
  t.equal((await refresh(cookieOf(answer, 'refresh_token')!)).statusCode, 401)
  t.equal((await me(other.accessToken)).statusCode, 200)
})

t.test('ends the session when an even older refresh token is reused', async (t) => {
  const { refreshToken } = await signIn()
  const second = cookieOf(await refresh(refreshToken), 'refresh_token')!
  const third = cookieOf(await refresh(second), 'refresh_token')!
  t.equal((await refresh(refreshToken)).statusCode, 401)
  t.equal((await refresh(third)).statusCode, 401)
})

t.test('ends no session for a forged refresh token', async (t) => {
  const { refreshToken, accessToken } = await signIn()
  const [sessionId] = refreshToken.split('.')
  for (const forged of ['', 'x', '..', `${sessionId}.secret.mac`, `${refreshToken}x`, `x${refreshToken}`, accessToken]) {
    const answer = await refresh(forged)
    t.equal(answer.statusCode, 401, forged)
    t.match(answer.json(), { error: 'unauthorized' })
  }
  t.equal((await app.inject({ method: 'POST', url: '/api/auth/token' })).statusCode, 401)
  t.equal((await me(accessToken)).statusCode, 200)
})

const hour = 3600
const lifeOf = (answer: Awaited<ReturnType<typeof refresh>>) => answer.cookies.find(({ name }) => name === 'refresh_token')?.maxAge
const limit = async (duration: number, idle: number) => {
  await storeSetting(ctx.db, 'general.sessionDuration', duration, clock.now)
  await storeSetting(ctx.db, 'general.sessionIdleTimeout', idle, clock.now)
}

t.test('ends a session after the configured idle time', async (t) => {
  await limit(24, 2)
  const { refreshToken } = await signIn()
  pass(2 * hour - 1)
  const answer = await refresh(refreshToken)
  t.equal(answer.statusCode, 200)
  t.equal(lifeOf(answer), 2 * hour)
  pass(2 * hour)
  t.match((await refresh(cookieOf(answer, 'refresh_token')!)).json(), { statusCode: 401, error: 'session_ended' })
})

t.test('ends a session a fixed time after the sign-in, regardless of its use', async (t) => {
  await limit(3, 2)
  let { refreshToken } = await signIn()
  for (const left of [2, 2, 2, 1.5, 1]) {
    const answer = await refresh(refreshToken)
    t.equal(answer.statusCode, 200)
    t.equal(lifeOf(answer), left * hour)
    refreshToken = cookieOf(answer, 'refresh_token')!
    pass(hour / 2)
  }
  const last = await refresh(refreshToken)
  t.equal(lifeOf(last), hour / 2)
  pass(hour / 2)
  t.match((await refresh(cookieOf(last, 'refresh_token')!)).json(), { statusCode: 401, error: 'session_ended' })
})

t.test('applies a shorter limit to existing sessions at their next refresh', async (t) => {
  for (const [duration, idle] of [
    [1, 24],
    [24, 1],
  ] as const) {
    await limit(24, 24)
    const { accessToken, refreshToken } = await signIn()
    pass(2 * hour)
    await limit(duration, idle)
    t.match((await refresh(refreshToken)).json(), { statusCode: 401, error: 'session_ended' }, `${duration}, ${idle}`)
    const row = ctx.db.selectFrom('session').select('id').where('id', '=', sessionOf(accessToken))
    t.equal(await row.executeTakeFirst(), undefined, 'the session is deleted')
  }
})

t.test('applies a longer limit to live sessions from their next refresh', async (t) => {
  await limit(4, 2)
  const { refreshToken } = await signIn()
  pass(hour)
  await limit(24, 12)
  t.equal(lifeOf(await refresh(refreshToken)), 12 * hour)
})

t.test('rejects all tabs that refresh together once the limit is reached', async (t) => {
  const thefts = () => log.lines.filter(({ message }) => String(message).startsWith('refresh token reused')).length
  const before = thefts()
  await limit(24, 24)
  const { refreshToken } = await signIn()
  pass(2 * hour)
  await limit(2, 24)
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [401, 401, 401, 401, 401],
  )
  t.equal(thefts(), before, 'this is not a theft')
})

t.test('ends only this session on sign-out, at once', async (t) => {
  const [one, other] = [await signIn(), await signIn()]
  const answer = await app.inject({ method: 'POST', url: '/api/auth/signOut', cookies: { access_token: one.accessToken } })
  t.equal(answer.statusCode, 200)
  t.same(answer.json(), {})
  t.match(answer.cookies, [
    { name: 'access_token', value: '', expires: new Date(0), path: '/' },
    { name: 'refresh_token', value: '', expires: new Date(0), path: '/api/auth/token' },
  ])
  t.equal((await me(one.accessToken)).statusCode, 401)
  t.equal((await refresh(one.refreshToken)).statusCode, 401)
  t.equal((await me(other.accessToken)).statusCode, 200)
  t.equal((await app.inject({ method: 'POST', url: '/api/auth/signOut' })).statusCode, 200, 'a visitor is already signed out')
})

t.test('applies demotion and deletion at the next call', async (t) => {
  await signUp(app, 'bob')
  const { accessToken, refreshToken } = await signIn('bob')
  const forAdmins = () => app.inject({ url: '/api/for-admins', cookies: { access_token: accessToken } })
  const bob = ctx.db.updateTable('user').where('username', '=', 'bob')
  t.equal((await forAdmins()).statusCode, 403)
  await bob.set({ isAdmin: true }).execute()
  t.equal((await forAdmins()).statusCode, 200)
  await bob.set({ isAdmin: false }).execute()
  t.match((await forAdmins()).json(), { statusCode: 403, error: 'forbidden' })
  await ctx.db.deleteFrom('user').where('username', '=', 'bob').execute()
  t.equal((await me(accessToken)).statusCode, 401)
  t.equal((await forAdmins()).statusCode, 401)
  t.equal((await refresh(refreshToken)).statusCode, 401)
})

t.test('records the last use of a session, to the minute', async (t) => {
  const { accessToken } = await signIn()
  const start = clock.now
  const lastUsed = async () => {
    const { lastUsedAt } = await ctx.db
      .selectFrom('session')
      .select('lastUsedAt')
      .where('id', '=', sessionOf(accessToken))
      .executeTakeFirstOrThrow()
    return lastUsedAt
  }
  pass(59)
  await me(accessToken)
  pass(1)
  t.same(await lastUsed(), start)
  await me(accessToken)
  for (let tries = 0; tries < 100 && (await lastUsed()).getTime() === start.getTime(); tries++)
    await new Promise((done) => setTimeout(done, 20))
  t.same(await lastUsed(), clock.now)
})

t.test('records the device of a session', async (t) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/signIn',
    payload: { username: 'alice', password },
    headers: { 'user-agent': `Firefox ${'x'.repeat(1000)}` },
    remoteAddress: '192.0.2.7',
  })
  const row = ctx.db.selectFrom('session').selectAll().where('id', '=', sessionOf(answer.json().accessToken))
  const { address, userAgent } = await row.executeTakeFirstOrThrow()
  t.equal(address, '192.0.2.7')
  t.match(userAgent, /^Firefox x{504}$/)
})
