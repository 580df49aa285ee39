import { connect } from 'node:net'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { listen } from '../support/listening.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { set, sharing } from '../support/sharing.ts'

const { app } = await testApp(t)
const https = await testApp(t, { env: { appUrl: 'https://share.example.com' } })
const admin = await signUp(app, 'admin')
const [file] = await sharing(app, admin).share('open', { 'a.txt': 'hello' })
const hsts = 'max-age=31536000'

t.test('forbids caching, sniffing and embedding in every response', async (t) => {
  for (const [method, url, status] of [
    ['GET', '/api/users/me', 200],
    ['GET', '/api/shares', 200],
    ['GET', '/api/auth/sessions', 200],
    ['POST', '/api/auth/signIn', 400],
    ['GET', '/api/nothing/of/the/kind', 404],
    ['PUT', '/api/users/me', 405],
    ['GET', '/api/oauth/auth/github', 302],
    ['GET', '/api/version', 200],
  ] as const) {
    const answer = await app.inject({ method, url, headers: admin, ...(method === 'POST' && { payload: {} }) })
    t.equal(answer.statusCode, status, url)
    t.match(answer.headers, {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    t.notOk('strict-transport-security' in answer.headers, 'no HSTS on a site without https')
  }
})

t.test('keeps the caching rules of file downloads', async (t) => {
  for (const headers of [{}, { range: 'bytes=0-1' }, { 'if-none-match': `"${file}"` }, { range: 'bytes=99-' }]) {
    const answer = await app.inject({ url: `/api/shares/open/files/${file}`, headers: { ...admin, ...headers } })
    const isError = answer.statusCode === 416
    t.equal(answer.headers['cache-control'], isError ? 'no-store' : 'private, no-cache, no-transform', `${answer.statusCode}`)
    t.match(answer.headers, { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' })
  }
})

t.test('sends HSTS when the address of the site is https', async (t) => {
  t.equal((await https.app.inject('/api/health')).headers['strict-transport-security'], hsts)
  const { app: other, ctx: otherCtx } = await testApp(t)
  await set(otherCtx, 'general.appUrl', 'https://share.example.com')
  for (let tries = 0; tries < 100; tries++) {
    const answer = await other.inject('/api/health')
    if (answer.headers['strict-transport-security'] === hsts) return t.pass('also where the setting says it')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return t.fail('the setting has no effect within 10 s')
})

t.test('sets protected session cookies beside the compatible ones over https', async (t) => {
  const person = { username: 'anna', email: 'anna@example.com', password }
  const signedUp = await https.app.inject({ method: 'POST', url: '/api/auth/signUp', payload: person })
  const { accessToken, refreshToken } = signedUp.json()
  t.match(signedUp.cookies, [
    { name: '__Host-access_token', value: accessToken, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
    { name: 'access_token', value: accessToken, path: '/', secure: true },
    { name: '__Secure-refresh_token', value: refreshToken, path: '/api/auth/token', secure: true, httpOnly: true, sameSite: 'Strict' },
    { name: 'refresh_token', value: refreshToken, path: '/api/auth/token', secure: true },
  ])
  t.notOk(
    signedUp.cookies.some(({ domain }) => domain),
    'no cookie has a Domain',
  )
  const me = async (cookies: Record<string, string>) => (await https.app.inject({ url: '/api/users/me', cookies })).statusCode
  t.equal(await me({ '__Host-access_token': accessToken }), 200)
  t.equal(await me({ access_token: accessToken }), 200, 'programs made for Pingvin Share send this name')
  t.equal(await me({ access_token: 'planted', '__Host-access_token': accessToken }), 200, 'the protected cookie takes precedence')
  const refresh = (cookies: Record<string, string>) => https.app.inject({ method: 'POST', url: '/api/auth/token', cookies })
  t.equal((await refresh({ '__Secure-refresh_token': refreshToken, refresh_token: 'planted' })).statusCode, 200)
  const out = await https.app.inject({ method: 'POST', url: '/api/auth/signOut', headers: headersOf(signedUp) })
  t.match(
    out.cookies.map(({ name, value, secure }) => [name, value, secure]),
    ['__Host-access_token', 'access_token', '__Secure-refresh_token', 'refresh_token'].map((name) => [name, '', true]),
  )
  t.equal(out.headers['clear-site-data'], '"cache"')
  t.equal(await me({ '__Host-access_token': accessToken }), 401)
})

t.test('responds with 405 and the allowed methods when a path exists for other methods', async (t) => {
  for (const [method, url, allow] of [
    ['PUT', '/api/users/me', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/api/auth/signIn', 'POST'],
    ['DELETE', '/api/shares/open/files/1/parts/2', 'PUT'],
    ['OPTIONS', '/api/configs/admin', 'GET, HEAD, PATCH'],
  ] as const) {
    const answer = await app.inject({ method, url, headers: { ...admin, accept: '*/*' } })
    t.equal(answer.statusCode, 405, `${method} ${url}`)
    t.equal(answer.headers.allow, allow)
    t.match(answer.json(), { error: 'method_not_allowed' })
  }
  t.equal((await app.inject({ method: 'PUT', url: '/api/nope' })).statusCode, 404)
})

t.test('rejects a request with two Host headers', async (t) => {
  const port = await listen(app)
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n'),
    )
    let received = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
  })
  t.match(answer, /^HTTP\/1.1 400 [\s\S]*"error":"malformed_request"/)
})
