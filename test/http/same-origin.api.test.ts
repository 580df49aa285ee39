import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'

const { app } = await testApp(t)
const behindProxy = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
const alice = await signUp(app, 'alice')
await signUp(behindProxy.app, 'root') // the first account needs a setup code behind a proxy
const signOut = (headers: Record<string, string | undefined>) =>
  app.inject({ method: 'POST', url: '/api/auth/signOut', headers: { host: 'share.example.com', ...headers } })
const stillIn = async () => (await app.inject({ url: '/api/users/me', headers: alice })).statusCode === 200

t.test('refuses a state-changing browser request from another site', async (t) => {
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://share.example.com' },
    { origin: 'https://evil.example' },
    { origin: 'https://share.example.com.evil.example' },
    { origin: 'https://share.example.com:8443' },
    { origin: 'null' },
    { origin: 'https://evil.example', authorization: 'Basic dXNlcjpwYXNz' },
  ]) {
    const answer = await signOut({ ...alice, ...headers })
    t.equal(answer.statusCode, 403, JSON.stringify(headers))
    t.match(answer.json(), { statusCode: 403, error: 'cross_site_request' })
    t.ok(await stillIn())
  }
})

t.test('refuses a sign-in or sign-up form of another site', async (t) => {
  for (const url of ['/api/auth/signIn', '/api/auth/signUp', '/api/auth/token']) {
    const answer = await app.inject({ method: 'POST', url, headers: { origin: 'https://evil.example' }, payload: {} })
    t.equal(answer.statusCode, 403, url)
  }
})

t.test('accepts our own pages, programs, bearer tokens and reads', async (t) => {
  const token = alice.cookie.split('access_token=')[1]!.split(';')[0]!
  t.equal((await app.inject({ url: '/api/users/me', headers: { ...alice, 'sec-fetch-site': 'cross-site' } })).statusCode, 200)
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'https://share.example.com' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://share.example.com' },
    {},
    { origin: 'https://evil.example', authorization: `Bearer ${token}` },
  ]) {
    t.equal((await signOut(headers)).statusCode, 200, JSON.stringify(headers))
  }
  t.notOk(await stillIn(), 'the bearer token was the credential')
})

t.test('sets Secure on cookies exactly when the request came by https, as reported by a trusted proxy', async (t) => {
  const bob = { username: 'bob', email: 'bob@example.com', password: 'correct horse battery' }
  const secure = async (to: typeof app, url: string, headers: Record<string, string>) => {
    const answer = await to.inject({ method: 'POST', url, headers, payload: bob })
    return [...new Set(answer.cookies.map((cookie) => cookie.secure ?? false))]
  }
  const https = { 'x-forwarded-proto': 'https' }
  t.same(await secure(app, '/api/auth/signUp', https), [false], 'no proxy is trusted')
  t.same(await secure(behindProxy.app, '/api/auth/signUp', https), [true])
  t.same(await secure(behindProxy.app, '/api/auth/signIn', { 'x-forwarded-proto': 'http' }), [false])
  t.same(await secure(behindProxy.app, '/api/auth/signOut', https), [true])
})
