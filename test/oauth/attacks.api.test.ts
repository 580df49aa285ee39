import { EncryptJWT } from 'jose'
import t from 'tap'
import { createSealer } from '../../src/crypto/sealed.ts'
import { hashToken } from '../../src/crypto/tokens.ts'
import { testApp } from '../support/app/app.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { testClock } from '../support/calls.ts'
import { publishedProviders } from '../support/oauth/published-providers.ts'
import { browserOf, cookiesOf, errorIn, oddProvider, switchOn } from '../support/oauth/social.ts'
import { signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

// Two replicas. The attacker has a browser, accounts everywhere, and can make others open any
// address.
const clock = testClock(new Date().toISOString())
const world = await publishedProviders(t)
const odd = await oddProvider(t)
const { app, ctx, database } = await testApp(t, { identityProviders: world.providers, now: clock.now })
const { app: other } = await testApp(t, { database, identityProviders: world.providers, now: clock.now })
const root = await signUp(app, 'root')
await switchOn(app, root, 'oidc', { discoveryUri: odd.discoveryUri })
await switchOn(app, root, 'github')
await switchOn(app, root, 'discord')
let people = 0
const atProvider = (name = `person_${people++}`) => {
  odd.claims = { sub: `subject of ${name}`, email: `${name}@example.com`, email_verified: true, preferred_username: name }
  return name
}
const member = async (name = `member_${people++}`) => browserOf(app, cookiesOf(await signUp(app, name)))
const linkCount = async () => (await ctx.db.selectFrom('socialLink').select('id').execute()).length
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

t.test('login CSRF: the attacker’s callback signs no other browser in', async (t) => {
  atProvider()
  const attacker = browserOf(app)
  const back = await attacker.answered(await attacker.start('oidc'))
  const victim = browserOf(app)
  t.equal(errorIn(String((await victim.go(back)).headers.location)), 'invalid_token', 'a browser without an attempt')
  t.same(victim.cookies, {})
  const busy = browserOf(app)
  await busy.start('oidc')
  t.equal(errorIn(String((await busy.go(back)).headers.location)), 'invalid_token', 'or one with a different attempt')
  const user = await member()
  const before = await linkCount()
  await user.start('oidc')
  t.equal(errorIn(String((await user.go(back)).headers.location)), 'invalid_token')
  t.equal(await linkCount(), before, 'it is not linked to an account either')
})

t.test('rejects a state that the server did not create', async (t) => {
  atProvider()
  const claims = { provider: 'oidc', nonce: 'n', redirect: null, link: null }
  const foreign = createSealer('another secret key, which has 32 characters or more')
  const seal = (key: Buffer, expiresIn: number) =>
    new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(Math.floor(clock.now().getTime() / 1000) + expiresIn)
      .encrypt(key)
  const own = new URL(await browserOf(app).start('oidc')).searchParams.get('state')!
  const states = [
    'x',
    own.slice(0, -2),
    `${own.slice(0, -3)}xxx`,
    await seal(foreign.key('social login attempts'), 600),
    await seal(ctx.sealer.key('access tokens'), 600),
    cookiesOf(root).access_token!,
  ]
  for (const state of states) {
    const browser = browserOf(app, { [`oauth_oidc_${hashToken(state).slice(0, 22)}`]: 'x' })
    const back = await browser.go(`/api/oauth/callback/oidc?${new URLSearchParams({ code: 'x', state })}`)
    t.equal(errorIn(String(back.headers.location)), 'invalid_token')
  }
  t.equal(errorIn(String((await browserOf(app).go(`/api/oauth/callback/oidc?state=a&state=b`)).headers.location)), 'invalid_token')
})

t.test('accepts an attempt for ten minutes', async (t) => {
  atProvider()
  const browser = browserOf(app)
  const authorize = await browser.start('oidc')
  const back = await browser.answered(authorize)
  clock.pass(601)
  t.equal(errorIn(String((await browser.go(back, {}, other)).headers.location)), 'expired_token')
})

t.test('mix-up: rejects one provider’s response as another’s', async (t) => {
  const browser = browserOf(app)
  const back = await browser.answered(await browser.start('github'))
  t.equal(errorIn(String((await browser.go(back.replace('/github?', '/discord?'))).headers.location)), 'invalid_token')
  const both = browserOf(app)
  const first = await both.answered(await both.start('github'))
  for (const [name, value] of Object.entries(both.cookies)) both.cookies[name.replace('github', 'discord')] = value
  const asked = world.asked.length
  t.equal(errorIn(String((await both.go(first.replace('/github?', '/discord?'))).headers.location)), 'invalid_token')
  t.equal(world.asked.length, asked, 'the code is shown to no one')
})

t.test('mix-up: rejects a response with another issuer, or without a required one (RFC 9207)', async (t) => {
  atProvider()
  const answer = async (more: string) => {
    const browser = browserOf(app)
    return String((await browser.go((await browser.answered(await browser.start('oidc'))) + more)).headers.location)
  }
  t.equal(errorIn(await answer('&iss=https%3A%2F%2Fevil.example')), 'invalid_token')
  t.equal(errorIn(await answer(`&iss=${encodeURIComponent(`${odd.issuer}/`)}`)), 'invalid_token')
  t.equal(await answer(`&iss=${encodeURIComponent(odd.issuer)}`), '/')
  const strict = await oddProvider(t)
  strict.description = { authorization_response_iss_parameter_supported: true }
  strict.claims = { sub: 'strict', email: 'strict@example.com' }
  const settings = settingsCalls(app, root)
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: strict.discoveryUri })
  t.equal(errorIn(await answer('')), 'invalid_token')
  t.equal(await answer(`&iss=${encodeURIComponent(strict.issuer)}`), '/')
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})

t.test('refuses to link an account that another site made the browser sign in to', async (t) => {
  const user = await member()
  for (const site of ['cross-site', 'same-site']) {
    const call = { method: 'POST', headers: { cookie: `access_token=${user.cookies.access_token}`, 'sec-fetch-site': site } } as const
    for (const path of ['link', 'unlink']) {
      t.same(refusal(await app.inject({ ...call, url: `/api/oauth/${path}/oidc` })), [403, 'cross_site_request'])
    }
  }
  const led = await user.go('/api/oauth/auth/oidc')
  t.equal(led.headers.location, '/account', 'a URL alone starts no link')
  t.same(
    Object.keys(user.cookies).filter((name) => name.includes('oauth')),
    [],
  )
  const visitor = await browserOf(app).go('/api/oauth/auth/oidc', { 'sec-fetch-site': 'cross-site' })
  t.match(String(visitor.headers.location), odd.issuer, 'a link to sign in is allowed anywhere')
})

t.test('links to the session that started the request while it lives, and to no other', async (t) => {
  atProvider()
  const [asking, watching] = [await member(), await member()]
  const back = await asking.answered(await asking.start('oidc'))
  const before = await linkCount()
  const swapped = browserOf(app, { ...asking.cookies, access_token: watching.cookies.access_token! })
  t.equal(errorIn(String((await swapped.go(back)).headers.location)), 'invalid_token', 'another user has signed in meanwhile')

  const late = await member()
  const answer = await late.answered(await late.start('oidc'))
  await late.post('auth/signOut')
  t.equal(errorIn(String((await late.go(answer)).headers.location)), 'expired_token', 'the session has ended')
  t.equal(await linkCount(), before)

  const slow = await member()
  const third = await slow.answered(await slow.start('oidc'))
  delete slow.cookies.access_token
  t.equal((await slow.go(third)).headers.location, '/account', 'an access token may expire during the flow')
  t.equal(await linkCount(), before + 1)
})

t.test('creates one account from racing callbacks of a new user', async (t) => {
  atProvider()
  const users = async () => (await ctx.db.selectFrom('user').select('id').execute()).length
  const before = await users()
  const browsers = [0, 1, 2, 3, 4, 5].map(() => browserOf(app))
  const answers: string[] = []
  for (const browser of browsers) answers.push(await browser.answered(await browser.start('oidc')))
  const ends = await Promise.all(browsers.map((browser, n) => browser.go(answers[n]!, {}, n % 2 ? app : other)))
  t.same(new Set(ends.map(({ headers }) => headers.location)), new Set(['/']))
  t.equal(await users(), before + 1)
  const ids = await Promise.all(browsers.map(async (browser) => (await browser.me()).id))
  t.equal(new Set(ids).size, 1)
})

t.test('gives racing users of one name different names', async (t) => {
  const browsers = [0, 1, 2, 3].map(() => browserOf(app))
  const answers: string[] = []
  for (const browser of browsers) answers.push(await browser.answered(await browser.start('oidc')))
  odd.next = browsers.map((_, n) => ({
    sub: `namesake ${n}`,
    email: `namesake${n}@example.com`,
    preferred_username: 'namesake',
    email_verified: true,
  }))
  const ends = await Promise.all(browsers.map((browser, n) => browser.go(answers[n]!, {}, n % 2 ? app : other)))
  t.same(new Set(ends.map(({ headers }) => headers.location)), new Set(['/']))
  const names: string[] = await Promise.all(browsers.map(async (browser) => (await browser.me()).username))
  t.equal(new Set(names).size, 4)
  t.ok(
    names.every((name) => /^namesake(\d{4})?$/.test(name)),
    names.join(' '),
  )
})

t.test('links one external account to only one of two users at once', async (t) => {
  atProvider()
  const users = [await member(), await member(), await member()]
  const answers: string[] = []
  for (const user of users) answers.push(await user.answered(await user.start('oidc')))
  const ends = await Promise.all(users.map((user, n) => user.go(answers[n]!, {}, n % 2 ? app : other)))
  const outcomes = ends.map(({ headers }) => errorIn(String(headers.location)) ?? headers.location).sort()
  t.same(outcomes, ['/account', 'already_linked', 'already_linked'])
  const links = await ctx.db.selectFrom('socialLink').select('userId').where('subject', '=', String(odd.claims.sub)).execute()
  t.equal(links.length, 1)
})

t.test('offers provider sign-out to users who came from it, by a cookie that pages cannot read', async (t) => {
  const name = atProvider()
  const browser = browserOf(app)
  const back = await browser.answered(await browser.start('oidc'))
  const answer = await browser.go(back)
  t.match(
    answer.cookies.find((cookie) => cookie.name === 'oauth_sign_out'),
    { httpOnly: true, sameSite: 'Strict', path: '/api/auth/signOut' },
  )
  const out = await browser.post('auth/signOut')
  const address = new URL(out.json().redirectURI)
  t.equal(address.origin + address.pathname, `${odd.issuer}/endsession`)
  t.equal(address.searchParams.get('post_logout_redirect_uri'), 'http://localhost:80/')
  t.equal(address.searchParams.get('client_id'), 'razorbill')
  t.match(address.searchParams.get('id_token_hint'), /^[\w-]+\.[\w-]+\.[\w-]+$/)
  t.equal(out.cookies.find((cookie) => cookie.name === 'oauth_sign_out')?.value, '', 'once')

  const again = browserOf(app)
  await again.signIn('oidc')
  const kept = again.cookies.oauth_sign_out!
  const byPassword = await member()
  byPassword.cookies.oauth_sign_out = kept
  t.same((await byPassword.post('auth/signOut')).json(), {}, `what ${name} left in this browser is not another’s`)
  t.same((await browserOf(app, { oauth_sign_out: kept }).post('auth/signOut')).json(), {}, 'or a visitor’s')

  const settings = settingsCalls(app, root)
  await settings.set({ key: 'oauth.oidc-signOut', value: false })
  t.same((await again.post('auth/signOut')).json(), {}, 'when it is turned off')
  await settings.set({ key: 'oauth.oidc-signOut', value: true })

  const mute = await oddProvider(t)
  mute.description = { end_session_endpoint: undefined }
  mute.claims = { sub: 'mute', email: 'mute@example.com' }
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: mute.discoveryUri })
  const quiet = browserOf(app)
  await quiet.signIn('oidc')
  t.same((await quiet.post('auth/signOut')).json(), {}, 'when the provider offers none')
  const stuck = browserOf(app)
  await stuck.signIn('oidc')
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: 'http://127.0.0.1:1/away' })
  t.same(
    [(await stuck.post('auth/signOut')).json(), (await stuck.me()).statusCode],
    [{}, 401],
    'an unavailable provider prevents no sign-out',
  )
  await settings.set({ key: 'oauth.oidc-discoveryUri', value: odd.discoveryUri })
})

t.test('omits an id_token too large for a cookie from the sign-out', async (t) => {
  atProvider()
  odd.claims.groups = Array.from({ length: 500 }, (_, n) => `group ${n}`)
  const browser = browserOf(app)
  t.equal(await browser.signIn('oidc'), '/')
  const address = new URL((await browser.post('auth/signOut')).json().redirectURI)
  t.notOk(address.searchParams.has('id_token_hint'))
  t.equal(address.searchParams.get('client_id'), 'razorbill')
})
