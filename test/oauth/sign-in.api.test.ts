import { createHash } from 'node:crypto'
import t from 'tap'
import { setupCode } from '../../src/auth/setup-code.ts'
import { storeSetting } from '../../src/config/queries.ts'
import { signInStartsPerAddress } from '../../src/oauth/limits.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { callsOf } from '../support/calls.ts'
import { browserOf, clientId, clientSecret, cookiesOf, errorIn, oddProvider, switchOn } from '../support/oauth/social.ts'
import { signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas on one database, and an OpenID Connect server with scripted responses.
const log = keptLog()
const { app, ctx, database } = await testApp(t, { log })
const { app: other } = await testApp(t, { database, log })
const odd = await oddProvider(t)
const root = await signUp(app, 'root')
const settings = settingsCalls(app, root)
await switchOn(app, root, 'oidc', { discoveryUri: odd.discoveryUri })

let people = 0
/** A user with no account yet. */
const newPerson = (more: Record<string, unknown> = {}) => {
  const name = `person_${people++}`
  odd.claims = { sub: `subject of ${name}`, email: `${name}@example.com`, email_verified: true, preferred_username: name, ...more }
  return { name, email: `${name}@example.com` }
}
t.beforeEach(async () => {
  await ctx.db.deleteFrom('rateLimit').execute()
  Object.assign(odd, { userinfo: {}, token: {}, refusal: null })
})
const users = async () => (await ctx.db.selectFrom('user').select('id').execute()).length

t.test('lists the available providers', async (t) => {
  const visitor = callsOf(app)
  t.same((await visitor('GET oauth/available')).json(), ['oidc'])
  t.same(refusal(await visitor('GET oauth/status')), [401, 'unauthorized'])
  t.same(refusal(await visitor('GET oauth/auth/github')), [403, 'provider_disabled'])
  t.same(refusal(await visitor('GET oauth/auth/nobody')), [404, 'not_found'])
  const page = await browserOf(app).go('/api/oauth/auth/github')
  t.equal(
    page.headers.location,
    '/error?error=provider_disabled&redirect=%2Fauth%2FsignIn&params=github',
    'the user sees the error on a page',
  )
})

t.test('redirects to the provider with state, nonce and PKCE, hidden from pages', async (t) => {
  const answer = await app.inject({ url: '/api/oauth/auth/oidc', headers: { host: 'files.example.org' } })
  t.equal(answer.statusCode, 302)
  t.equal(answer.headers['cache-control'], 'no-store')
  const address = new URL(String(answer.headers.location))
  t.equal(address.origin + address.pathname, `${odd.issuer}/authorize`)
  const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(address.searchParams)
  t.same(rest, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://files.example.org/api/oauth/callback/oidc',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  })
  t.equal(challenge?.length, 43)
  t.ok(nonce!.length >= 22)
  const [verifier] = answer.cookies
  t.match(verifier, { name: /^oauth_oidc_[\w-]{22}$/, httpOnly: true, sameSite: 'Lax', maxAge: 600, path: '/' })
  t.equal(createHash('sha256').update(verifier!.value).digest('base64url'), challenge)
  t.notOk(Buffer.from(state!, 'base64url').includes(nonce!), 'the state reveals nothing')
  const again = new URL(await browserOf(app).start('oidc'))
  for (const field of ['state', 'nonce', 'code_challenge']) t.not(again.searchParams.get(field), address.searchParams.get(field))
})

t.test('binds the cookies to this host over https', async (t) => {
  const { app: secure } = await testApp(t, { database, env: { trustProxy: ['127.0.0.1'], appUrl: 'https://files.example.org' } })
  const answer = await secure.inject({
    url: '/api/oauth/auth/oidc',
    headers: { 'x-forwarded-proto': 'https' },
    remoteAddress: '127.0.0.1',
  })
  t.match(new URL(String(answer.headers.location)).searchParams.get('redirect_uri'), 'https://files.example.org/api/oauth/callback/oidc')
  for (const cookie of answer.cookies) {
    t.match(cookie, { name: /^__Host-oauth_oidc_/, secure: true, httpOnly: true, path: '/' })
    t.notOk(cookie.domain)
  }
})

t.test('creates an account for a new user and signs them in; reuses it next time', async (t) => {
  const { name, email } = newPerson()
  const browser = browserOf(app)
  t.equal(await browser.signIn('oidc'), '/')
  const me = await browser.me()
  t.match(me, { username: name, email, isAdmin: false, hasPassword: false, totpVerified: false })
  t.same(await browser.status(), { oidc: { provider: 'oidc', providerUsername: name } })
  t.same(
    Object.keys(browser.cookies).sort(),
    ['access_token', 'known_device', 'oauth_sign_out', 'refresh_token'],
    'no data of the attempt is left',
  )
  odd.claims = { ...odd.claims, email: 'renamed@example.com', preferred_username: 'renamed' }
  const later = browserOf(app)
  await later.signIn('oidc')
  t.equal((await later.me()).id, me.id, 'regardless of other changes there')
  const events = log.lines.filter(({ details }) => (details as { userId?: string }).userId === me.id).map(({ details }) => details)
  t.match(events, [{ event: 'user_created', how: 'social_login', by: null }])
})

t.test('returns to the requested page through the sign-in page, and only within this site', async (t) => {
  newPerson()
  t.equal(await browserOf(app).signIn('oidc', '/account/shares?page=2'), '/auth/signIn?redirect=%2Faccount%2Fshares%3Fpage%3D2')
  for (const evil of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/x\r\nset-cookie: a=b']) {
    const location = await browserOf(app).signIn('oidc', evil)
    t.match(location, /^\/auth\/signIn\?redirect=[^/:]*$/, evil)
    t.equal(new URL(location, 'http://files.example.org').origin, 'http://files.example.org')
  }
  t.equal(await browserOf(app).signIn('oidc', `/${'x'.repeat(1500)}`), '/', 'too long to keep')
})

t.test('finishes at one replica what began at another', async (t) => {
  const { name } = newPerson()
  const browser = browserOf(app)
  const back = await browser.answered(await browser.start('oidc'))
  t.equal((await browser.go(back, {}, other)).headers.location, '/')
  t.equal((await browser.me()).username, name)
})

t.test('applies new credentials to the next request, at every replica', async (t) => {
  await settings.set({ key: 'oauth.oidc-clientId', value: 'another' })
  const begun = await other.inject('/api/oauth/auth/oidc')
  t.equal(new URL(String(begun.headers.location)).searchParams.get('client_id'), 'another')
  await settings.set({ key: 'oauth.oidc-enabled', value: false })
  t.same(refusal(await other.inject('/api/oauth/auth/oidc')), [403, 'provider_disabled'])
  await settings.set({ key: 'oauth.oidc-clientId', value: clientId }, { key: 'oauth.oidc-enabled', value: true })
})

t.test('rejects an attempt that began before a provider was turned off', async (t) => {
  newPerson()
  const browser = browserOf(app)
  const back = await browser.answered(await browser.start('oidc'))
  await settings.set({ key: 'oauth.oidc-enabled', value: false })
  t.equal(errorIn(String((await browser.go(back)).headers.location)), 'provider_disabled')
  await settings.set({ key: 'oauth.oidc-enabled', value: true })
})

t.test('cleans usernames and never assigns another user’s name', async (t) => {
  const nameOf = async (more: Record<string, unknown>) => {
    newPerson(more)
    const browser = browserOf(app)
    await browser.signIn('oidc')
    return (await browser.me()).username as string
  }
  t.equal(await nameOf({ preferred_username: 'Zoë Müller-Łódź <script>' }), 'Zoe.Mullerodz.script')
  t.equal(await nameOf({ preferred_username: 'ann@corp.example' }), 'ann')
  t.match(await nameOf({ preferred_username: 'ANN' }), /^ANN\d{4}$/, 'taken, in any letter case')
  t.match(await nameOf({ preferred_username: '李四' }), /^person_\d+$/, 'invalid letters: derived from the address')
  t.match(await nameOf({ preferred_username: null, email: '李四@example.com' }), /^user\d{4}$/)
  t.equal((await nameOf({ preferred_username: 'x'.repeat(300) })).length, 32)
  t.equal(await nameOf({ preferred_username: null, nickname: 'nick.name' }), 'nick.name')
  await settings.set({ key: 'oauth.oidc-usernameClaim', value: 'employee' })
  t.equal(await nameOf({ employee: 'e_4711' }), 'e_4711')
  await settings.set({ key: 'oauth.oidc-usernameClaim', value: '' })
})

t.test('creates no account, not even a partial one, when registration is off', async (t) => {
  await settings.set({ key: 'oauth.allowRegistration', value: false })
  newPerson()
  const before = await users()
  const location = await browserOf(app).signIn('oidc', '/account')
  t.equal(location, `/error?${new URLSearchParams({ error: 'no_user', redirect: '/auth/signIn?redirect=%2Faccount', params: 'oidc' })}`)
  t.equal(await users(), before)
  t.equal((await ctx.db.selectFrom('socialLink').select('id').where('subject', '=', String(odd.claims.sub)).execute()).length, 0)
  await settings.set({ key: 'oauth.allowRegistration', value: true })
})

t.test('makes the first account the administrator’s, and requires the setup code', async (t) => {
  const fresh = await testApp(t)
  for (const [key, value] of Object.entries({ enabled: true, clientId, discoveryUri: odd.discoveryUri })) {
    await storeSetting(fresh.ctx.db, `oauth.oidc-${key}`, value, new Date())
  }
  await storeSetting(fresh.ctx.db, 'oauth.oidc-clientSecret', fresh.ctx.sealer.seal(clientSecret), new Date())
  await storeSetting(fresh.ctx.db, 'oauth.allowRegistration', false, new Date())
  newPerson()
  const browser = browserOf(fresh.app)
  for (const code of ['', 'AAAA-AAAA-AAAA']) {
    browser.setupCode = code
    t.equal(errorIn(await browser.signIn('oidc')), 'setup_code_required')
  }
  browser.setupCode = setupCode(fresh.ctx.sealer)
  t.equal(await browser.signIn('oidc'), '/')
  t.ok((await browser.me()).isAdmin)
  newPerson()
  t.equal(errorIn(await browserOf(fresh.app).signIn('oidc')), 'no_user', 'only the first account needs no permission')
})

t.test('keeps administrators and creates none, regardless of the claims', async (t) => {
  const browser = browserOf(app, cookiesOf(root))
  newPerson({ roles: undefined, groups: null })
  t.equal(await browser.signIn('oidc'), '/account')
  const again = browserOf(app)
  await again.signIn('oidc')
  t.match(await again.me(), { username: 'root', isAdmin: true })
  newPerson({ roles: ['admin'], isAdmin: true })
  const guest = browserOf(app)
  await guest.signIn('oidc')
  t.equal((await guest.me()).isAdmin, false)
})

t.test('limits an anonymous browser to 300 sign-in attempts in 10 minutes', async (t) => {
  const limiter = ctx.limiters(signInStartsPerAddress)
  await limiter.penalty('192.0.2.9', signInStartsPerAddress.attempts)
  const browser = browserOf(app)
  browser.address = '192.0.2.9'
  t.equal(errorIn(await browser.start('oidc')), 'too_many_requests')
})
