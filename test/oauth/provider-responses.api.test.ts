import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, generateKeyPair, SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { callsOf } from '../support/calls.ts'
import { browserOf, clientId, clientSecret, errorIn, oddProvider, switchOn } from '../support/oauth/social.ts'
import { signUp } from '../support/people/people.ts'

// Invalid responses from a provider, and users with missing claims.
const log = keptLog()
const { app, ctx } = await testApp(t, { log })
const odd = await oddProvider(t)
const root = await signUp(app, 'root')
const settings = settingsCalls(app, root)
await switchOn(app, root, 'oidc', { discoveryUri: odd.discoveryUri })

let people = 0
const newPerson = (more: Record<string, unknown> = {}) => {
  const name = `person_${people++}`
  odd.claims = { sub: `subject of ${name}`, email: `${name}@example.com`, email_verified: true, preferred_username: name, ...more }
  return name
}
const counted = async () => {
  const of = async (table: 'user' | 'session' | 'socialLink') => (await ctx.db.selectFrom(table).select('id').execute()).length
  return { users: await of('user'), sessions: await of('session'), links: await of('socialLink') }
}
/** Signs in and expects failure: no user, no session, no link. */
const refused = async (t: Test, name: string) => {
  const before = await counted()
  const browser = browserOf(app)
  const error = errorIn(await browser.signIn('oidc'))
  t.same(await counted(), before, `${name}: no data is left`)
  t.same(Object.keys(browser.cookies), [], `${name}: the browser keeps no cookie`)
  return error
}
t.beforeEach(async () => {
  await ctx.db.deleteFrom('rateLimit').execute()
  Object.assign(odd, { userinfo: {}, token: {}, refusal: null })
})

t.test('rejects an id_token with a wrong issuer, audience, time or nonce', async (t) => {
  const { issuer } = odd
  const now = Math.floor(Date.now() / 1000)
  const wrong: Record<string, Record<string, unknown>> = {
    'the issuer with a slash at its end': { iss: `${issuer}/` },
    'another issuer': { iss: 'https://accounts.google.com' },
    'no issuer': { iss: undefined },
    'another audience': { aud: 'another client' },
    'more audiences, issued for another': { aud: [clientId, 'another client'], azp: 'another client' },
    'more audiences, issued for nobody': { aud: [clientId, 'another client'] },
    expired: { exp: now - 120, iat: now - 300 },
    'no expiry': { exp: undefined },
    'not valid yet': { nbf: now + 600 },
    'another nonce': { nonce: 'of another attempt' },
    'no nonce': { nonce: undefined },
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
    'a subject that is null': { sub: null },
    'a subject that is a number': { sub: 7 },
  }
  for (const [name, claims] of Object.entries(wrong)) {
    newPerson(claims)
    t.equal(await refused(t, name), 'invalid_token', name)
  }
  newPerson({ aud: [clientId, 'another client'], azp: clientId })
  t.equal(await browserOf(app).signIn('oidc'), '/', 'accepted with several audiences')
})

t.test('rejects a token whose issuer lacks the trailing slash of the provider’s issuer', async (t) => {
  const slashed = await oddProvider(t)
  slashed.description = { issuer: `${slashed.issuer}/` }
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: slashed.discoveryUri })
  slashed.claims = { sub: 'a', email: 'slash@example.com' }
  const browser = browserOf(app)
  t.equal(errorIn(await browser.signIn('oidc')), 'invalid_token')
  slashed.claims.iss = `${slashed.issuer}/`
  t.equal(await browser.signIn('oidc'), '/', 'an exact match is accepted')
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})

t.test('rejects an id_token without the issuer’s signature', async (t) => {
  const { privateKey } = await generateKeyPair('RS256')
  const now = Math.floor(Date.now() / 1000)
  const kid = odd.server.issuer.keys.toJSON()[0]!.kid
  const forgeries: Record<string, (claims: Record<string, unknown>) => Promise<string>> = {
    'a key of its own': (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey),
    'the client secret': (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(clientSecret)),
    nothing: async (claims) =>
      `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`,
    'a signature of something else': async () =>
      new CompactSign(Buffer.from('[]')).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey),
    'no token at all': async () => '',
  }
  for (const [name, forge] of Object.entries(forgeries)) {
    newPerson()
    const before = await counted()
    const browser = browserOf(app)
    const authorize = await browser.start('oidc')
    const nonce = new URL(authorize).searchParams.get('nonce')
    odd.token = { id_token: await forge({ iss: odd.issuer, aud: clientId, iat: now, exp: now + 600, nonce, ...odd.claims }) }
    t.equal(errorIn(String((await browser.go(await browser.answered(authorize))).headers.location)), 'invalid_token', name)
    t.same(await counted(), before)
  }
})

t.test('reports a missing or unverified address to the user', async (t) => {
  for (const email of [undefined, null, '', 'no address', 7, `${'x'.repeat(250)}@example.com`]) {
    newPerson({ email })
    t.equal(await refused(t, `${email}`), 'no_email', `${email}`)
  }
  for (const verified of [false, 'false']) {
    newPerson({ email_verified: verified })
    t.equal(await refused(t, `${verified}`), 'unverified_account')
  }
})

t.test('looks up null or missing claims at userinfo, which must describe the same person', async (t) => {
  const name = newPerson({ email: null, email_verified: null, preferred_username: null, name: null })
  odd.userinfo = { email: `${name}@example.com`, email_verified: true, nickname: `nick_${name}` }
  const browser = browserOf(app)
  t.equal(await browser.signIn('oidc'), '/')
  t.match(await browser.me(), { username: `nick_${name}`, email: `${name}@example.com` })

  newPerson({ email: undefined })
  odd.userinfo = { sub: 'somebody else', email: 'victim@example.com', email_verified: true }
  t.equal(await refused(t, 'userinfo of another user'), 'invalid_token')
  newPerson({ email: undefined })
  odd.userinfo = { sub: undefined, email: 'victim@example.com', email_verified: true }
  t.equal(await refused(t, 'userinfo without a user'), 'invalid_token')
})

t.test('signs in when userinfo fails, if the id_token is enough', async (t) => {
  const failure = [{ reply: { statusCode: 500, body: {} } }, { reply: { statusCode: 401, body: { error: 'invalid_token' } } }]
  for (const { reply } of failure) {
    odd.userinfoReply = reply
    log.lines.length = 0
    const name = newPerson({ preferred_username: undefined, name: `named_${people}` })
    const browser = browserOf(app)
    t.equal(await browser.signIn('oidc'), '/')
    t.match(await browser.me(), { username: `named_${people - 1}`, email: `${name}@example.com`, emailVerified: true })
    t.match(JSON.stringify(log.lines), `status ${reply.statusCode}`, 'the log says so')
    for (const missing of [{ email: undefined }, { email_verified: undefined }, { preferred_username: undefined }]) {
      newPerson(missing)
      t.equal(await refused(t, JSON.stringify(missing)), 'cannot_get_user_info', Object.keys(missing).join())
    }
  }
  odd.userinfoReply = null
  newPerson({ preferred_username: undefined, name: 'Jo' })
  odd.userinfo = { sub: 'somebody else' }
  t.equal(await refused(t, 'userinfo of another user'), 'invalid_token')
})

t.test('reports an error that the provider sends in place of a code', async (t) => {
  const textKeys: Record<string, string> = {
    access_denied: 'access_denied',
    server_error: 'provider_unavailable',
    temporarily_unavailable: 'provider_unavailable',
    invalid_scope: 'default',
    '<script>': 'default',
  }
  for (const [error, key] of Object.entries(textKeys)) {
    const browser = browserOf(app)
    const state = new URL(await browser.start('oidc', '/account')).searchParams.get('state')!
    const back = await browser.go(`/api/oauth/callback/oidc?${new URLSearchParams({ error, state })}`)
    const query = new URLSearchParams({ error: key, redirect: '/auth/signIn?redirect=%2Faccount', params: 'oidc' })
    t.equal(back.headers.location, `/error?${query}`, error)
    t.same(browser.cookies, {}, 'the attempt is over')
  }
  const stranger = await browserOf(app).go('/api/oauth/callback/oidc?error=access_denied')
  t.equal(errorIn(String(stranger.headers.location)), 'access_denied', 'some providers omit the state in that case')
  const silent = browserOf(app)
  const state = new URL(await silent.start('oidc')).searchParams.get('state')!
  t.equal(errorIn(String((await silent.go(`/api/oauth/callback/oidc?state=${state}`)).headers.location)), 'default')
})

t.test('handles an error from the token endpoint', async (t) => {
  const responses: [number, Record<string, unknown>, string][] = [
    [400, { error: 'invalid_grant' }, 'invalid_token'],
    [401, { error: 'invalid_client', error_description: 'wrong secret' }, 'provider_misconfigured'],
    [400, { error: 'unauthorized_client' }, 'provider_misconfigured'],
    [500, { error: 'boom' }, 'provider_unavailable'],
    [200, { error: 'bad_verification_code' }, 'invalid_token'],
    [200, {}, 'provider_unavailable'],
    [200, { access_token: 7 }, 'provider_unavailable'],
  ]
  for (const [statusCode, body, key] of responses) {
    newPerson()
    odd.refusal = { statusCode, body }
    t.equal(await refused(t, JSON.stringify(body)), key, JSON.stringify(body))
  }
  t.match(JSON.stringify(log.lines), 'wrong secret', 'the log has the provider’s message')
  t.notMatch(JSON.stringify(log.lines), clientSecret)
  t.notMatch(JSON.stringify(log.lines), Buffer.from(`${clientId}:`).toString('base64').slice(0, 10), 'and none of our secrets')
})

t.test('shows a friendly page when a provider is down, silent, endless, redirecting or not a provider', async (t) => {
  const endless = createServer((request, response) => {
    if (request.url!.startsWith('/moved')) return response.writeHead(302, { location: odd.discoveryUri }).end()
    if (request.url!.startsWith('/html')) return response.end('<!doctype html>')
    if (request.url!.startsWith('/empty')) return response.end('{}')
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }).listen(0, '127.0.0.1')
  await once(endless, 'listening')
  t.teardown(() => {
    endless.close()
    endless.closeAllConnections()
  })
  const { port } = endless.address() as AddressInfo
  const places = [
    `http://127.0.0.1:${port}/endless`,
    `http://127.0.0.1:${port}/moved`,
    `http://127.0.0.1:${port}/html`,
    `http://127.0.0.1:${port}/empty`,
  ]
  for (const place of [...places, 'http://127.0.0.1:1/closed', 'https://127.0.0.1:1/', 'http://no-such-host.invalid/x']) {
    await settings.set({ key: 'oauth.oidc-discoveryUri', value: place })
    const before = process.memoryUsage().rss
    const location = await browserOf(app).start('oidc')
    t.equal(location, '/error?error=provider_unavailable&redirect=%2Fauth%2FsignIn&params=oidc', place)
    t.ok(process.memoryUsage().rss - before < 100_000_000)
    t.equal((await callsOf(app)('GET oauth/available')).statusCode, 200, 'everything else still works')
  }
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})

t.test('rejects a discovery document with a wrong issuer or unsafe addresses', async (t) => {
  const astray: Record<string, unknown>[] = [
    { issuer: 'https://github.com' },
    { token_endpoint: 'file:///etc/passwd' },
    { jwks_uri: 'ftp://127.0.0.1/keys' },
    { authorization_endpoint: 'javascript:alert(1)' },
    { userinfo_endpoint: 'nonsense' },
    { end_session_endpoint: 'javascript:alert(1)' },
    { token_endpoint: undefined },
    { jwks_uri: null },
  ]
  for (const description of astray) {
    const provider = await oddProvider(t)
    provider.description = description
    await settings.set({ key: 'oauth.oidc-discoveryUri', value: provider.discoveryUri })
    t.equal(errorIn(await browserOf(app).start('oidc')), 'provider_unavailable', JSON.stringify(description))
  }
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})

t.test('handles a provider that becomes unavailable between click and callback', async (t) => {
  const leaving = await oddProvider({ teardown() {} })
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: leaving.discoveryUri })
  const browser = browserOf(app)
  const back = await browser.answered(await browser.start('oidc'))
  await leaving.server.stop()
  t.equal(errorIn(String((await browser.go(back)).headers.location)), 'provider_unavailable')
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})

t.test('finds a key that the provider has just started to use', async (t) => {
  const rotating = await oddProvider(t)
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: rotating.discoveryUri })
  rotating.claims = { sub: 'rotating', email: 'rotating@example.com' }
  t.equal(await browserOf(app).signIn('oidc'), '/')
  const kids = new Set<string>()
  rotating.server.service.on('beforeTokenSigning', ({ header }: { header: { kid: string } }) => kids.add(header.kid))
  await rotating.server.issuer.keys.generate('ES256')
  for (const _ of [1, 2]) t.equal(await browserOf(app).signIn('oidc'), '/')
  t.equal(kids.size, 2)
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})
