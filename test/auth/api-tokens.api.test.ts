import t from 'tap'
import { apiTokensMax } from '../../src/auth/limits.ts'
import { hashToken } from '../../src/crypto/tokens.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { eventually } from '../support/app/worker.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { password, signUp } from '../support/people/people.ts'
import { refusal, set } from '../support/sharing.ts'

// Two replicas on one database.
const clock = testClock()
const log = keptLog()
const { app, ctx, database } = await testApp(t, { now: clock.now, log })
const { app: other } = await testApp(t, { database, now: clock.now })
const visitor = callsOf(app)
const admin = callsOf(app, await signUp(app, 'root'))
const alice = callsOf(app, await signUp(app, 'alice'))
const bob = callsOf(app, await signUp(app, 'bob'))

const make = async (call: typeof alice, scopes: string[], more = {}) =>
  (await call('POST auth/tokens', { name: 'script', scopes, ...more })).json()
const by = (token: string, at = other) => callsOf(at, { authorization: `Bearer ${token}` })

t.test('shows a token once and stores it as a hash', async (t) => {
  const answer = await alice('POST auth/tokens', { name: ' Backup script ', scopes: ['shares:read', 'shares:write'] })
  t.equal(answer.statusCode, 201)
  const { token, id, ...rest } = answer.json()
  t.match(token, /^rzb_[\w-]{43}$/)
  const shown = {
    name: 'Backup script',
    scopes: ['shares:read', 'shares:write'],
    createdAt: clock.now().toISOString(),
    expiresAt: null,
    lastUsedAt: null,
  }
  t.same(rest, shown)
  const list = await alice('GET auth/tokens')
  t.same(list.json(), [{ id, ...shown }])
  t.notOk(list.body.includes(token))
  t.match(await ctx.db.selectFrom('apiToken').selectAll().where('id', '=', id).executeTakeFirst(), { tokenHash: hashToken(token) })
  t.notOk(JSON.stringify(log.lines).includes(token))
  t.ok(log.lines.some(({ details }) => (details as { event?: string }).event === 'api_token_created'))
})

t.test('allows what its scopes allow, at every replica', async (t) => {
  const reader = by((await make(alice, ['shares:read'])).token)
  const writer = by((await make(alice, ['shares:write'])).token)
  t.equal((await reader('GET users/me')).json().username, 'alice')
  t.equal((await reader('GET shares')).statusCode, 200)
  t.same(refusal(await reader('POST shares', { expiration: '1-day' })), [403, 'forbidden'])
  t.match((await writer('GET shares')).json(), {
    statusCode: 403,
    error: 'forbidden',
    message: 'The API token lacks the right shares:read.',
  })
  t.equal((await writer('POST shares', { expiration: '1-day' })).statusCode, 201)
  for (const call of [reader, writer]) t.same(refusal(await call('GET users')), [403, 'forbidden'])
})

t.test('denies tokens access to the account’s sign-in methods', async (t) => {
  const everything = by((await make(admin, ['shares:read', 'shares:write', 'admin'])).token)
  const calls: [string, object?][] = [
    ['PATCH auth/password', { oldPassword: password, password: 'another password' }],
    ['GET auth/totp'],
    ['POST auth/totp/enable', { password }],
    ['POST auth/totp/verify', { code: '123456', password }],
    ['POST auth/totp/disable', { code: '123456', password }],
    ['POST auth/totp/recoveryCodes', { code: '123456', password }],
    ['GET auth/sessions'],
    ['DELETE auth/sessions'],
    ['DELETE auth/sessions/00000000-0000-4000-8000-000000000000'],
    ['GET auth/tokens'],
    ['POST auth/tokens', { name: 'more', scopes: ['admin'] }],
    ['DELETE auth/tokens/00000000-0000-4000-8000-000000000000'],
    ['GET auth/passkeys'],
    ['POST auth/passkeys/options', { password }],
    ['PATCH users/me', { email: 'thief@example.com' }],
    ['DELETE users/me'],
  ]
  for (const [what, body] of calls) t.same(refusal(await everything(what, body)), [403, 'forbidden'], what)
})

t.test('requires the scope and the current right for administration', async (t) => {
  t.same(refusal(await alice('POST auth/tokens', { name: 'x', scopes: ['admin'] })), [403, 'forbidden'])
  const misspelled = { name: 'x', scopes: ['shares:read'], expires: '2030-01-01T00:00:00Z' }
  t.same(refusal(await alice('POST auth/tokens', misspelled)), [400, 'validation_failed'])
  const { id } = (await alice('GET users/me')).json()
  await ctx.db.updateTable('user').set({ isAdmin: true }).where('id', '=', id).execute()
  const administering = by((await make(alice, ['admin'])).token)
  const reading = by((await make(alice, ['shares:read', 'shares:write'])).token)
  t.equal((await administering('GET users')).statusCode, 200)
  t.same(refusal(await reading('GET users')), [403, 'forbidden'])
  const share = (await bob('POST shares', { expiration: '1-day' })).json()
  t.not((await reading(`DELETE shares/${share.id}`)).statusCode, 200, 'an administrator without the scope is an ordinary user')
  await ctx.db.updateTable('user').set({ isAdmin: false }).where('id', '=', id).execute()
  t.same(refusal(await administering('GET users')), [403, 'forbidden'], 'the right was removed')
})

t.test('stops working when it is deleted, when it expires, or when its user is deleted', async (t) => {
  const { token, id } = await make(alice, ['shares:read'])
  t.equal((await by(token)('GET users/me')).statusCode, 200)
  t.same(refusal(await bob(`DELETE auth/tokens/${id}`)), [404, 'not_found'], 'another user’s token stays')
  t.equal((await alice(`DELETE auth/tokens/${id}`)).statusCode, 204)
  t.same(refusal(await by(token)('GET users/me')), [401, 'unauthorized'])
  t.same(refusal(await alice(`DELETE auth/tokens/${id}`)), [404, 'not_found'])
  t.same(refusal(await alice('DELETE auth/tokens/x')), [400, 'validation_failed'])
  const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString()
  const short = await make(alice, ['shares:read'], { expiresAt })
  t.equal(short.expiresAt, expiresAt)
  clock.pass(59)
  t.equal((await by(short.token)('GET users/me')).statusCode, 200)
  clock.pass(1)
  t.same(refusal(await by(short.token)('GET users/me')), [401, 'unauthorized'])
  t.ok(
    (await alice('GET auth/tokens')).json().some(({ id }: { id: string }) => id === short.id),
    'it is still listed',
  )
  const carol = callsOf(app, await signUp(app, 'carol'))
  const orphan = await make(carol, ['shares:read'])
  t.equal((await carol('DELETE users/me')).statusCode, 204)
  t.same(refusal(await by(orphan.token)('GET users/me')), [401, 'unauthorized'])
})

t.test('rejects an invalid token', async (t) => {
  const { token } = await make(alice, ['shares:read'])
  for (const wrong of ['rzb_', `${token}x`, token.slice(0, -1), token.toLowerCase(), 'rzb_x', `x${token}`]) {
    t.same(refusal(await by(wrong)('GET users/me')), [401, 'unauthorized'], wrong)
  }
  for (const headers of [{ cookie: `access_token=${token}` }, { authorization: `Basic ${token}` }, { authorization: token }] as Record<
    string,
    string
  >[]) {
    t.same(refusal(await visitor('GET users/me', undefined, { headers })), [401, 'unauthorized'], JSON.stringify(headers))
  }
  t.same(refusal(await visitor(`GET users/me?access_token=${token}`)), [401, 'unauthorized'], 'also rejected in the URL')
})

t.test('does not treat a caller with an invalid token as an anonymous visitor', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const answer = await visitor('POST shares', { id: 'guests', expiration: '1-day' })
  const cookie = String(answer.headers['set-cookie']).split(';')[0]!
  for (const authorization of ['Bearer rzb_ended', 'bearer x']) {
    const call = callsOf(app, { authorization, cookie })
    for (const what of [
      'POST shares',
      'POST shares/guests/files',
      'GET shares/guests/from-owner',
      'POST shares/guests/complete',
      'POST upload',
    ]) {
      t.same(refusal(await call(what, what.startsWith('POST') ? { name: 'a', size: 1 } : undefined)), [401, 'unauthorized'], what)
    }
  }
  await set(ctx, 'share.allowUnauthenticatedShares', false)
})

t.test('names the invalid fields', async (t) => {
  for (const [wrong, path] of [
    [{ name: '' }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['everything'] }, 'scopes.0'],
    [{ scopes: ['shares:read', 'shares:read'] }, 'scopes'],
    [{ scopes: 'shares:read' }, 'scopes'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: clock.now().toISOString() }, 'expiresAt'],
    [{ expiresAt: 0 }, 'expiresAt'],
  ] as const) {
    const answer = await alice('POST auth/tokens', { name: 'x', scopes: ['shares:read'], ...wrong })
    t.match(answer.json(), { statusCode: 400, error: 'validation_failed', issues: [{ path }] }, JSON.stringify(wrong))
  }
  t.same(refusal(await visitor('POST auth/tokens', { name: 'x', scopes: ['shares:read'] })), [401, 'unauthorized'])
})

t.test('records the last use, to the minute', async (t) => {
  const { token, id } = await make(bob, ['shares:read'])
  const lastUsed = async () => (await bob('GET auth/tokens')).json().find((one: { id: string }) => one.id === id).lastUsedAt
  const first = clock.now().toISOString()
  await by(token)('GET users/me')
  await eventually(async () => (await lastUsed()) === first, 'the first use is noted')
  clock.pass(60)
  await by(token)('GET users/me')
  await eventually(async () => (await lastUsed()) === clock.now().toISOString(), 'one a minute later too')
  t.not(first, clock.now().toISOString())
})

t.test('allows a hundred tokens per account', async (t) => {
  const { id: userId } = (await bob('GET users/me')).json()
  const row = (n: number) => ({ userId, name: 'filler', tokenHash: `filler ${n}`, scopes: 'shares:read' })
  await ctx.db
    .insertInto('apiToken')
    .values(Array.from({ length: apiTokensMax }, (_, n) => row(n)))
    .execute()
  t.match((await bob('POST auth/tokens', { name: 'x', scopes: ['shares:read'] })).json(), { error: 'too_many_api_tokens', max: 100 })
})
