import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database.
const clock = testClock()
const { app, database } = await testApp(t, { now: clock.now })
const { app: other } = await testApp(t, { database, now: clock.now })
const visitor = callsOf(app)
await signUp(app, 'root')
await signUp(app, 'alice')

const signIn = async (name: string, device: string, address: string) => {
  clock.pass(1)
  const answer = await visitor('POST auth/signIn', { username: name, password }, { headers: { 'user-agent': device }, address })
  return callsOf(other, headersOf(answer))
}
interface Shown {
  id: string
  device: string
  current: boolean
}

t.test('lists the user’s own sessions and marks the current one', async (t) => {
  const phone = await signIn('alice', 'Phone', '192.0.2.7')
  const laptop = await signIn('alice', 'Laptop', '2001:db8::1')
  const answer = await laptop('GET auth/sessions')
  t.equal(answer.statusCode, 200)
  const sessions = answer.json() as Shown[]
  t.match(sessions, [
    {
      device: 'Laptop',
      address: '2001:db8::1',
      current: true,
      createdAt: clock.now().toISOString(),
      lastUsedAt: clock.now().toISOString(),
    },
    { device: 'Phone', address: '192.0.2.7', current: false },
    { current: false },
  ])
  t.same(Object.keys(sessions[0]!).sort(), ['address', 'createdAt', 'current', 'device', 'expiresAt', 'id', 'lastUsedAt'])
  t.equal(((await phone('GET auth/sessions')).json() as Shown[]).find(({ current }) => current)!.device, 'Phone')
})

t.test('ends a session at every replica', async (t) => {
  const phone = await signIn('alice', 'Phone', '192.0.2.7')
  const laptop = await signIn('alice', 'Laptop', '192.0.2.8')
  const { id } = ((await phone('GET auth/sessions')).json() as Shown[]).find(({ current }) => current)!
  t.equal((await laptop(`DELETE auth/sessions/${id}`)).statusCode, 204)
  t.same(refusal(await phone('GET users/me')), [401, 'unauthorized'])
  t.same(refusal(await phone('GET users/me', undefined, { app })), [401, 'unauthorized'])
  t.same(refusal(await phone('POST auth/token')), [401, 'session_ended'])
  t.equal((await laptop('GET users/me')).statusCode, 200)
  t.same(refusal(await laptop(`DELETE auth/sessions/${id}`)), [404, 'not_found'])
})

t.test('refuses to end another user’s session and rejects an invalid id', async (t) => {
  const alice = await signIn('alice', 'Phone', '192.0.2.7')
  const root = await signIn('root', 'Laptop', '192.0.2.8')
  const { id } = ((await alice('GET auth/sessions')).json() as Shown[]).find(({ current }) => current)!
  t.same(refusal(await root(`DELETE auth/sessions/${id}`)), [404, 'not_found'])
  t.same(refusal(await root('DELETE auth/sessions/x')), [400, 'validation_failed'])
  t.equal((await alice('GET users/me')).statusCode, 200)
  for (const what of ['GET auth/sessions', 'DELETE auth/sessions', `DELETE auth/sessions/${id}`])
    t.same(refusal(await visitor(what)), [401, 'unauthorized'], what)
})

t.test('ends all sessions except the current one', async (t) => {
  const phone = await signIn('alice', 'Phone', '192.0.2.7')
  const laptop = await signIn('alice', 'Laptop', '192.0.2.8')
  const root = await signIn('root', 'Laptop', '192.0.2.8')
  t.equal((await laptop('DELETE auth/sessions')).statusCode, 204)
  t.same(refusal(await phone('GET users/me')), [401, 'unauthorized'])
  t.match((await laptop('GET auth/sessions')).json(), [{ device: 'Laptop', current: true }])
  t.equal((await laptop('GET auth/sessions')).json().length, 1)
  t.equal((await root('GET users/me')).statusCode, 200)
})

t.test('refuses session calls that come from another site', async (t) => {
  const alice = await signIn('alice', 'Phone', '192.0.2.7')
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const calls: [string, object?][] = [
    ['DELETE auth/sessions'],
    ['PATCH auth/password', { oldPassword: password, password: 'another password' }],
    ['POST auth/totp/enable', { password }],
    ['POST auth/totp/disable', { code: '123456', password }],
    ['POST auth/tokens', { name: 'evil', scopes: ['shares:read'] }],
    ['POST auth/passkeys/options', { password }],
    ['PATCH users/me', { email: 'evil@example.com' }],
    ['DELETE users/me'],
    ['POST auth/signIn', { username: 'root', password }],
    ['POST auth/signIn/totp', { totp: '123456', loginToken: 'x' }],
    ['POST auth/signIn/passkey/options'],
    ['POST auth/resetPassword', { token: 'x', password: 'another password' }],
    ['POST auth/resetPassword/alice@example.com'],
    ['POST users', { username: 'evil', email: 'evil@example.com', password }],
  ]
  for (const [what, body] of calls) t.same(refusal(await alice(what, body, { headers: evil })), [403, 'cross_site_request'], what)
  const form = await other.inject({
    method: 'POST',
    url: '/api/auth/signIn',
    payload: 'username=root&password=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  t.same(refusal(form), [415, 'unsupported_media_type'], 'also not by a form')
})
