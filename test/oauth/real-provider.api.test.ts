import { exportJWK, generateKeyPair } from 'jose'
import t, { type Test } from 'tap'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { callsOf } from '../support/calls.ts'
import { consentAs, oidcServer } from '../support/oauth/oidc-server.ts'
import { browserOf, clientId, clientSecret, errorIn, switchOn } from '../support/oauth/social.ts'
import { signUp } from '../support/people/people.ts'

// oidc-provider, a certified OpenID Connect server.
const log = keptLog()
const { app, ctx } = await testApp(t, { log })
const root = await signUp(app, 'root')
const settings = settingsCalls(app, root)
const site = 'http://localhost:80'
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())
const deleteUsers = () => ctx.db.deleteFrom('user').where('username', '<>', 'root').execute()
t.afterEach(deleteUsers)

/** A provider that the installation signs in with from now on. */
async function provider(t: Test, options: Parameters<typeof oidcServer>[2] = {}, secret = clientSecret) {
  const idp = await oidcServer(t, site, options)
  await switchOn(app, root, 'oidc', { discoveryUri: idp.discoveryUri, clientSecret: secret })
  return { ...idp, tokenCalls: () => idp.requests.filter(({ path }) => path === '/token') }
}
type Idp = Awaited<ReturnType<typeof provider>>

const signIn = async (idp: Idp, name: string, redirect?: string) => {
  const browser = browserOf(app)
  const back = await consentAs(name, await browser.start('oidc', redirect), idp.issuer)
  return { browser, location: String((await browser.go(back)).headers.location) }
}

t.test('signs in from two tabs at once, in either order', async (t) => {
  const idp = await provider(t)
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const browser = browserOf(app)
    const pages = ['/account', '/upload']
    const starts = [await browser.start('oidc', pages[0]), await browser.start('oidc', pages[1])]
    const callbacks = await Promise.all(starts.map((start) => consentAs('ann', start, idp.issuer)))
    for (const tab of order) {
      const { location } = (await browser.go(callbacks[tab]!)).headers
      t.equal(location, `/auth/signIn?${new URLSearchParams({ redirect: pages[tab]! })}`)
      t.match(await browser.me(), { username: 'ann' })
    }
    t.same(
      Object.keys(browser.cookies).filter((name) => /^oauth_oidc/.test(name)),
      [],
      'no attempt is left',
    )
  }
})

t.test('a used, foreign or malformed callback spoils no other attempt and keeps the page to return to', async (t) => {
  const idp = await provider(t)
  const browser = browserOf(app)
  const foreign = await consentAs('bob', await browserOf(app).start('oidc', '/foreign'), idp.issuer)
  const used = await consentAs('bob', await browser.start('oidc', '/used'), idp.issuer)
  t.equal((await browser.go(used)).headers.location, '/auth/signIn?redirect=%2Fused')
  browser.cookies = { ...browser.cookies }
  delete browser.cookies.access_token
  const mine = await consentAs('bob', await browser.start('oidc', '/mine'), idp.issuer)
  const state = new URLSearchParams(mine.split('?')[1]).get('state')!
  for (const [name, callback, back] of [
    ['used', used, '/auth/signIn?redirect=%2Fused'],
    ['foreign', foreign, '/auth/signIn?redirect=%2Fforeign'],
    ['forged', '/api/oauth/callback/oidc?code=x&state=y', '/auth/signIn'],
    ['without a state', '/api/oauth/callback/oidc?code=x', '/auth/signIn'],
    ['with two codes', '/api/oauth/callback/oidc?code=a&code=b', '/auth/signIn'],
    ['with two codes and my state', `/api/oauth/callback/oidc?code=a&code=b&state=${state}`, '/auth/signIn?redirect=%2Fmine'],
    ['with an endless error', `/api/oauth/callback/oidc?error=${'e'.repeat(300)}`, '/auth/signIn'],
  ] as const) {
    const answer = await browser.go(callback)
    const query = new URLSearchParams(String(answer.headers.location).split('?')[1])
    t.same([answer.statusCode, query.get('error'), query.get('redirect')], [302, 'invalid_token', back], name)
  }
  t.equal((await browser.go(mine)).headers.location, '/auth/signIn?redirect=%2Fmine', 'my own attempt still works')
})

t.test('a browser stores at most eight attempts and drops the oldest', async (t) => {
  const idp = await provider(t)
  const browser = browserOf(app)
  const starts: string[] = []
  for (let tab = 0; tab < 10; tab++) starts.push(await browser.start('oidc'))
  t.equal(Object.keys(browser.cookies).length, 8)
  t.equal(errorIn(String((await browser.go(await consentAs('ann', starts[0]!, idp.issuer))).headers.location)), 'invalid_token')
  t.equal((await browser.go(await consentAs('ann', starts[9]!, idp.issuer))).headers.location, '/')
})

t.test('finds out how the provider wants the secret, and remembers it', async (t) => {
  for (const [method, calls] of [
    ['client_secret_basic', [200, 200]],
    ['client_secret_post', [401, 200, 200]],
  ] as const) {
    const idp = await provider(t, { client: { token_endpoint_auth_method: method }, rejectsBasic: method === 'client_secret_post' })
    for (const name of ['ann', 'bob']) t.equal((await signIn(idp, name)).location, '/', method)
    t.same(
      idp.tokenCalls().map(({ status }) => status),
      calls,
      method,
    )
    t.equal((await callsOf(app, root)('POST oauth/test/oidc')).statusCode, 200)
    await deleteUsers()
  }
  const idp = await provider(t, { client: { token_endpoint_auth_method: 'client_secret_post' } }, 'wrong')
  t.equal(errorIn((await signIn(idp, 'ann')).location), 'provider_misconfigured')
  t.equal(idp.tokenCalls().length, 2, 'each way once')
  await settings.set({ key: 'oauth.oidc-clientSecret', value: clientSecret })
  t.equal((await signIn(idp, 'ann')).location, '/')
})

t.test('signs in as a public client without a secret', async (t) => {
  const idp = await provider(t, { client: { token_endpoint_auth_method: 'none', client_secret: undefined } }, '')
  t.equal((await signIn(idp, 'carol')).location, '/')
  t.match(idp.tokenCalls(), [{ authorization: undefined, status: 200 }])
  t.same(idp.tokenFields, [['client_id', 'code', 'code_verifier', 'grant_type', 'redirect_uri']], 'not even an empty secret')
  t.equal((await callsOf(app, root)('POST oauth/test/oidc')).statusCode, 200)
  const answer = await settings.patch([
    { key: 'oauth.github-clientId', value: clientId },
    { key: 'oauth.github-enabled', value: true },
  ])
  t.match(answer.json(), { error: 'config_invalid', key: 'oauth.github-enabled', reason: 'incomplete' }, 'only OpenID Connect')
})

t.test('merges the claims of id_token and userinfo', async (t) => {
  const split = {
    conformIdTokenClaims: false,
    async findAccount(_: unknown, id: string) {
      const inToken = { sub: id, email: `${id}@idp.example`, name: 'Dave Full Name' }
      const inUserinfo = { sub: id, preferred_username: `${id}.short`, email_verified: true }
      return { accountId: id, claims: async (use: string) => (use === 'id_token' ? inToken : inUserinfo) }
    },
  }
  const idp = await provider(t, { settings: split })
  t.equal((await signIn(idp, 'dave')).location, '/')
  const links = await ctx.db.selectFrom('socialLink').selectAll().where('username', '=', 'dave.short').execute()
  t.match(links, [{ username: 'dave.short', emailKey: 'dave@idp.example' }], 'both the username and the verified address')
})

t.test('does not take the verification of another address for the id_token’s', async (t) => {
  const swapped = {
    conformIdTokenClaims: false,
    async findAccount(_: unknown, id: string) {
      const inToken = { sub: id, email: `${id}@idp.example` }
      const inUserinfo = { sub: id, preferred_username: id, email: 'other@idp.example', email_verified: true }
      return { accountId: id, claims: async (use: string) => (use === 'id_token' ? inToken : inUserinfo) }
    },
  }
  const idp = await provider(t, { settings: swapped })
  t.equal((await signIn(idp, 'erin')).location, '/')
  t.match(await ctx.db.selectFrom('socialLink').selectAll().where('username', '=', 'erin').execute(), [{ emailKey: null }])
})

t.test('reads signed userinfo, and says when it is encrypted', async (t) => {
  const features = { jwtUserinfo: { enabled: true }, encryption: { enabled: true } }
  const idp = await provider(t, { client: { userinfo_signed_response_alg: 'RS256' }, settings: { features } })
  const { browser, location } = await signIn(idp, 'frank')
  t.equal(location, '/')
  t.match(await browser.me(), { username: 'frank', email: 'frank@idp.example' })
  const { publicKey } = await generateKeyPair('RSA-OAEP')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), use: 'enc', alg: 'RSA-OAEP' }] }
  const encrypting = await provider(t, {
    client: {
      jwks,
      userinfo_signed_response_alg: 'RS256',
      userinfo_encrypted_response_alg: 'RSA-OAEP',
      userinfo_encrypted_response_enc: 'A128CBC-HS256',
    },
    settings: { features },
  })
  log.lines.length = 0
  t.equal(errorIn((await signIn(encrypting, 'gina')).location), 'cannot_get_user_info')
  t.match(JSON.stringify(log.lines), 'userinfo is encrypted')
})
