import t from 'tap'
import { signInAttemptsPerAccount, signInAttemptsPerAddress, signUpAttempts } from '../../src/auth/limits.ts'
import { hashesPerUser } from '../../src/http/hash-attempts.ts'
import { consumeAttempt } from '../../src/http/rate-limit.ts'
import { testApp } from '../support/app/app.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'

// Two replicas on one database.
const one = await testApp(t)
const other = await testApp(t, { database: one.database, env: { trustProxy: ['10.0.0.0/8'] } })
const { ctx } = one
for (const name of ['alice', 'bob', 'carol', 'dave', 'erin', 'frank']) await signUp(one.app, name)
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

interface From {
  app?: typeof one.app
  address?: string
  headers?: Record<string, string>
}
const signIn = (username: string, password: string, { app = one.app, address = '192.0.2.1', headers = {} }: From = {}) =>
  app.inject({ method: 'POST', url: '/api/auth/signIn', payload: { username, password }, remoteAddress: address, headers })
const idOf = async (username: string) =>
  (await ctx.db.selectFrom('user').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
const statuses = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode).sort()
const use = async (count: number, ...[limit, key]: [typeof signUpAttempts, string]) => {
  for (let tries = 0; tries < count; tries++) await consumeAttempt(ctx, limit, key)
}

t.test('locks an account at every replica after ten wrong passwords, even for the right one', async (t) => {
  const answers = []
  for (let n = 0; n < 10; n++) answers.push(await signIn('alice', `wrong ${n}`, { app: n % 2 ? one.app : other.app }))
  t.same(statuses(answers), Array(10).fill(401))
  for (const { app } of [one, other]) {
    const refused = await signIn('ALICE', password, { app })
    t.equal(refused.statusCode, 429)
    const { retryAfter, ...body } = refused.json()
    t.match(body, { statusCode: 429, error: 'too_many_requests', message: String })
    t.ok(retryAfter > 500 && retryAfter <= 600)
    t.equal(refused.headers['retry-after'], String(retryAfter))
    t.same(refused.cookies, [])
  }
  t.equal((await signIn('bob', password)).statusCode, 200, 'another account from there is not limited')
  t.equal((await signIn('alice', password, { address: '192.0.2.2' })).statusCode, 200, 'the account is not limited from elsewhere')
})

t.test('limits an account that does not exist in the same way', async (t) => {
  const answers = []
  for (let n = 0; n < 11; n++) answers.push(await signIn('nobody', 'whatever it is'))
  t.same(statuses(answers), [...Array(10).fill(401), 429])
})

t.test('counts parallel attempts', async (t) => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => signIn('carol', 'wrong', { app: n % 2 ? one.app : other.app })))
  t.same(statuses(answers), [...Array(10).fill(401), ...Array(20).fill(429)])
})

t.test('refunds the attempts after a successful sign-in', async (t) => {
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 9; n++) t.equal((await signIn('dave', 'wrong')).statusCode, 401)
    t.equal((await signIn('dave', password)).statusCode, 200)
  }
  const points = await ctx.db.selectFrom('rateLimit').select(['key', 'points']).execute()
  t.same(Object.fromEntries(points.map(({ key, points }) => [key.split(':')[0], points])), {
    'hash-address': 30,
    'sign-in-address': 27,
    'sign-in-address-network': 27,
    'sign-in-network': 27,
    'sign-in-account': 27,
  })
})

t.test('limits one address across all accounts', async (t) => {
  await use(99, { ...signInAttemptsPerAddress, ...signInAttemptsPerAddress.address }, '192.0.2.1')
  t.equal((await signIn('erin', password)).statusCode, 200)
  t.equal((await signIn('erin', 'wrong')).statusCode, 401)
  t.equal((await signIn('frank', password)).statusCode, 429)
  t.equal((await signIn('frank', password, { address: '192.0.2.2' })).statusCode, 200)
})

t.test('limits one account across all addresses', async (t) => {
  await use(99, signInAttemptsPerAccount, await idOf('frank'))
  t.equal((await signIn('frank', 'wrong', { address: '198.51.100.1' })).statusCode, 401)
  t.equal((await signIn('frank', password, { address: '198.51.100.2' })).statusCode, 429)
})

t.test('ignores X-Forwarded-For unless the proxy is trusted', async (t) => {
  const forged = (n: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${n}` } })
  const untrusted = []
  for (let n = 0; n < 11; n++) untrusted.push(await signIn('erin', 'wrong', forged(n)))
  t.same(statuses(untrusted), [...Array(10).fill(401), 429])
  const outside = await signIn('erin', 'wrong', { app: other.app, ...forged(12) })
  t.equal(outside.statusCode, 429, 'an address outside TRUST_PROXY is not a proxy')
  const trusted = []
  for (let n = 0; n < 11; n++) trusted.push(await signIn('erin', 'wrong', { app: other.app, address: '10.1.2.3', ...forged(n) }))
  t.same(statuses(trusted), Array(11).fill(401))
})

t.test('counts a whole IPv6 /64 as one address', async (t) => {
  const answers = []
  for (let n = 0; n < 11; n++) answers.push(await signIn('erin', 'wrong', { address: `2001:db8::${n + 1}` }))
  t.same(statuses(answers), [...Array(10).fill(401), 429])
  t.equal((await signIn('erin', 'wrong', { address: '2001:db8:0:1::1' })).statusCode, 401)
})

t.test('limits the accounts created from one address', async (t) => {
  await use(99, signUpAttempts, '192.0.2.1')
  const register = (name: string, remoteAddress: string) =>
    one.app.inject({
      method: 'POST',
      url: '/api/auth/signUp',
      remoteAddress,
      payload: { username: name, email: `${name}@example.com`, password },
    })
  t.equal((await register('gina', '192.0.2.1')).statusCode, 201)
  const refused = await register('hugo', '192.0.2.1')
  t.equal(refused.statusCode, 429)
  t.ok(Number(refused.headers['retry-after']) > 3000)
  t.equal((await register('hugo', '192.0.2.2')).statusCode, 201)
})

t.test('locks an account for one /48 only after a hundred wrong passwords from it', async (t) => {
  const answers = []
  for (let network = 0; network < 10; network++) {
    for (let n = 0; n < 10; n++) answers.push(await signIn('alice', 'wrong', { address: `2001:db8:0:${network}${n}00::1` }))
  }
  t.same([...new Set(statuses(answers))], [401, 429])
  t.equal(answers.filter(({ statusCode }) => statusCode === 401).length, 40, 'a /48 has 40 attempts')
  const there = await signIn('alice', password, { address: '2001:db8:0:ffff::1' })
  t.equal(there.statusCode, 429)
  t.ok(Number(there.headers['retry-after']) > 0)
  t.equal((await signIn('alice', password, { address: '2001:db8:1::1' })).statusCode, 200, 'another network')
  t.equal((await signIn('alice', password)).statusCode, 200, 'IPv4')
})

t.test('allows an IPv6 /56 fewer attempts than ten /64', async (t) => {
  const answers = []
  for (let n = 0; n < 40; n++) answers.push(await signIn('alice', 'wrong', { address: `2001:db8:0:${(n % 16).toString(16)}::1` }))
  t.equal(answers.filter(({ statusCode }) => statusCode === 401).length, 30)
  t.equal((await signIn('alice', password, { address: '2001:db8:0:100::1' })).statusCode, 200, 'the next /56')
})

t.test('limits a whole IPv4 /24 for one account', async (t) => {
  const answers = []
  for (let n = 0; n < 50; n++) answers.push(await signIn('alice', 'wrong', { address: `198.51.100.${n}` }))
  t.equal(answers.filter(({ statusCode }) => statusCode === 401).length, 40)
  t.equal((await signIn('bob', password, { address: '198.51.100.1' })).statusCode, 200)
})

t.test('shares one counter between username and email address', async (t) => {
  for (let n = 0; n < 5; n++) t.equal((await signIn('alice', 'wrong')).statusCode, 401)
  for (let n = 0; n < 5; n++) t.equal((await signIn('ALICE@example.com', 'wrong')).statusCode, 401)
  t.equal((await signIn('alice', password)).statusCode, 429)
  t.equal((await signIn('alice@example.com', password)).statusCode, 429)
})

t.test('gives a previously used device its own counter, so it passes the account lockout', async (t) => {
  const device = (await signIn('alice', password)).cookies.find(({ name }) => name === 'known_device')!
  t.match(device, { httpOnly: true, sameSite: 'Strict', path: '/api/auth', maxAge: 400 * 86_400 })
  const headers = headersOf({ cookies: [device] })
  await use(100, signInAttemptsPerAccount, await idOf('alice'))
  t.equal((await signIn('alice', password, { address: '192.0.2.9' })).statusCode, 429)
  t.equal((await signIn('alice', password, { address: '192.0.2.9', headers })).statusCode, 200)
  await use(100, signInAttemptsPerAccount, await idOf('bob'))
  t.equal((await signIn('bob', password, { headers })).statusCode, 429, 'the device is known to its user only')
  const forged = { cookie: `known_device=${device.value.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}` }
  t.equal((await signIn('alice', password, { headers: forged })).statusCode, 429, 'its cookie is signed')
  for (let n = 0; n < 10; n++) t.equal((await signIn('alice', 'wrong', { headers })).statusCode, 401)
  t.equal((await signIn('alice', password, { headers })).statusCode, 429, 'ten wrong passwords lock it too')
})

t.test('still recognizes a device after it signs out and in again', async (t) => {
  const first = await signIn('alice', password)
  const signOut = { method: 'POST', url: '/api/auth/signOut', headers: headersOf(first) } as const
  t.notOk((await one.app.inject(signOut)).cookies.some(({ name }) => name === 'known_device'))
  const again = await signIn('alice', password, { headers: headersOf(first) })
  const markOf = ({ cookies }: typeof first) => cookies.find(({ name }) => name === 'known_device')?.value
  t.equal(markOf(again), markOf(first))
})

t.test('limits the share passwords hashed for one account without delaying sign-ins', async (t) => {
  const headers = await signUp(one.app, 'judy')
  const share = () => one.app.inject({ method: 'POST', url: '/api/shares', headers, payload: { security: { password: 'abcd' } } })
  await use(98, hashesPerUser, `share ${await idOf('judy')}`)
  const answers = [await share(), await share(), await share()]
  t.same(statuses(answers), [201, 201, 429])
  t.ok(Number(answers[2]!.headers['retry-after']) > 500)
  t.equal((await signIn('alice', password)).statusCode, 200)
})

t.test('keeps sign-ins fast during 280 concurrent share passwords', async (t) => {
  const headers = await signUp(one.app, 'ivan')
  const shares = Array.from({ length: 280 }, () =>
    one.app.inject({ method: 'POST', url: '/api/shares', headers, payload: { security: { password: 'abcd' } } }),
  )
  for (const name of ['alice', 'bob']) t.equal((await signIn(name, password)).statusCode, 200)
  const refused = (await Promise.all(shares)).filter(({ statusCode }) => statusCode !== 201)
  t.ok(refused.length >= 180)
  t.ok(refused.every(({ statusCode, headers }) => (statusCode === 429 || statusCode === 503) && Number(headers['retry-after']) > 0))
})
