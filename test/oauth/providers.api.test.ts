import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { callsOf } from '../support/calls.ts'
import { publishedProviders, tenants } from '../support/oauth/published-providers.ts'
import { browserOf, clientId, cookiesOf, errorIn, switchOn } from '../support/oauth/social.ts'
import { signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

// GitHub, Google, Microsoft and Discord, simulated by a server that follows their documentation.
const world = await publishedProviders(t)
const { app, ctx } = await testApp(t, { identityProviders: world.providers })
const root = await signUp(app, 'root')
const settings = settingsCalls(app, root)
for (const provider of ['github', 'google', 'microsoft', 'discord'] as const) await switchOn(app, root, provider)
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())
t.afterEach(() => ctx.db.deleteFrom('user').where('username', '<>', 'root').execute())

const links = () => ctx.db.selectFrom('socialLink').select(['provider', 'issuer', 'subject', 'username', 'emailKey']).execute()

t.test('GitHub: uses the primary address, even when it is not public', async (t) => {
  t.same((await callsOf(app)('GET oauth/available')).json(), ['github', 'google', 'microsoft', 'discord'])
  const browser = browserOf(app)
  const authorize = new URL(await browser.start('github'))
  t.equal(authorize.searchParams.get('scope'), 'user:email')
  t.notOk(authorize.searchParams.has('nonce'))
  t.equal((await browser.go(await browser.answered(authorize.href))).headers.location, '/')
  t.match(await browser.me(), { username: 'octocat', email: 'octocat@github.example' })
  t.same(await links(), [
    { provider: 'github', issuer: 'https://github.com', subject: '583231', username: 'octocat', emailKey: 'octocat@github.example' },
  ])
  t.notOk([...world.userAgents].includes(undefined), 'GitHub refuses calls without User-Agent')
})

t.test('GitHub: rejects a missing or unverified primary address', async (t) => {
  const primary = world.githubEmails.pop()!
  t.equal(errorIn(await browserOf(app).signIn('github')), 'no_email')
  world.githubUser.email = 'public@github.example'
  t.equal(errorIn(await browserOf(app).signIn('github')), 'no_email', 'the public address is not known to be verified')
  world.githubEmails.push({ ...primary, verified: false })
  t.equal(errorIn(await browserOf(app).signIn('github')), 'unverified_account')
  world.githubEmails.pop()
  world.githubEmails.push(primary)
})

t.test('Google: signs a user in', async (t) => {
  const browser = browserOf(app)
  t.equal(await browser.signIn('google'), '/')
  t.match(await browser.me(), { username: 'Jane.Smith', email: 'jsmith@google.example' })
  const [link] = await links()
  t.match(link, { provider: 'google', issuer: world.url, subject: '10769150350006150715113082367', emailKey: 'jsmith@google.example' })
})

t.test('Microsoft: accepts only an issuer with the token’s valid tenant', async (t) => {
  const browser = browserOf(app)
  t.equal(await browser.signIn('microsoft'), '/')
  t.match(await browser.me(), { username: 'AbeLi', email: 'abeli@microsoft.example' })
  t.match((await links())[0], { issuer: `${world.url}/${tenants.contoso}/v2.0`, emailKey: null })
  for (const claims of [{ tid: tenants.consumers }, { tid: undefined }, { tid: 'x' }, { iss: `${world.url}/x/v2.0`, tid: 'x' }]) {
    const { tid } = world.microsoftClaims
    Object.assign(world.microsoftClaims, { iss: `${world.url}/${tid}/v2.0`, ...claims })
    t.equal(errorIn(await browserOf(app).signIn('microsoft')), 'invalid_token', JSON.stringify(claims))
    Object.assign(world.microsoftClaims, { tid, iss: undefined })
    delete world.microsoftClaims.iss
  }
})

t.test('Microsoft: a tenant set by its domain admits no other tenant', async (t) => {
  await settings.set({ key: 'oauth.microsoft-tenant', value: 'contoso.example' })
  const authorize = await browserOf(app).start('microsoft')
  t.match(authorize, `${world.url}/microsoft/contoso.example/authorize`)
  t.equal(await browserOf(app).signIn('microsoft'), '/')
  world.microsoftClaims.tid = tenants.consumers
  t.equal(errorIn(await browserOf(app).signIn('microsoft')), 'invalid_token')
  world.microsoftClaims.tid = tenants.contoso
  await settings.set({ key: 'oauth.microsoft-tenant', value: '' })
})

t.test('Microsoft: trusts an address only when the tenant owns its domain', async (t) => {
  const call = callsOf(app, root)
  await settings.set({ key: 'share.allowRegistration', value: true })
  const user = {
    username: 'abe',
    email: 'abeli@microsoft.example',
    passwordHash: null,
    usernameKey: 'abe',
    emailKey: 'abeli@microsoft.example',
  }
  await ctx.db.insertInto('user').values(user).execute()
  for (const claims of [{}, { xms_edov: false }, { xms_edov: 0 }, { email_verified: true }]) {
    Object.assign(world.microsoftClaims, claims)
    t.equal(errorIn(await browserOf(app).signIn('microsoft')), 'not_linked', JSON.stringify(claims))
  }
  world.microsoftClaims.xms_edov = true
  const browser = browserOf(app)
  t.equal(await browser.signIn('microsoft'), '/')
  t.equal((await browser.me()).username, 'abe')
  delete world.microsoftClaims.xms_edov
  delete world.microsoftClaims.email_verified
  t.equal((await call('GET users')).statusCode, 200)
})

t.test('Discord: signs a user in', async (t) => {
  const browser = browserOf(app)
  t.equal(new URL(await browser.start('discord')).searchParams.get('scope'), 'identify email')
  t.equal(await browser.signIn('discord'), '/')
  t.match(await browser.me(), { username: 'nelly', email: 'nelly@discord.example' })
  t.match((await links())[0], { issuer: 'https://discord.com', subject: '80351110224678912' })
  world.discordUser.verified = false
  t.equal(await browserOf(app).signIn('discord'), '/', 'a returning user is still accepted')
  Object.assign(world.discordUser, { id: '2', email: 'other@discord.example' })
  t.equal(errorIn(await browserOf(app).signIn('discord')), 'unverified_account')
  Object.assign(world.discordUser, { email: null })
  t.equal(errorIn(await browserOf(app).signIn('discord')), 'no_email')
  Object.assign(world.discordUser, { id: '80351110224678912', email: 'nelly@discord.example', verified: true })
})

t.test('Discord: admits only members of the server, at each sign-in and for links too', async (t) => {
  await settings.set({ key: 'oauth.discord-limitedGuild', value: '80351110224678913' })
  t.equal(new URL(await browserOf(app).start('discord')).searchParams.get('scope'), 'identify email guilds')
  t.equal(await browserOf(app).signIn('discord'), '/')
  const [guild] = world.discordGuilds.splice(0)
  t.equal(errorIn(await browserOf(app).signIn('discord')), 'discord_guild_permission_denied')
  t.equal(errorIn(await browserOf(app, cookiesOf(root)).signIn('discord')), 'discord_guild_permission_denied')
  world.discordGuilds.push(guild!)
  await settings.set({ key: 'oauth.discord-limitedGuild', value: '' })
})

t.test('not configured yet', async (t) => {
  const { id } = world.githubUser
  for (const wrong of [null, undefined, '', {}]) {
    Object.assign(world.githubUser, { id: wrong })
    t.equal(errorIn(await browserOf(app).signIn('github')), 'cannot_get_user_info')
  }
  world.githubUser.id = id
  const away = await testApp(t, {
    identityProviders: { ...world.providers, github: { ...world.providers.github, api: 'http://127.0.0.1:1' } },
  })
  await switchOn(away.app, await signUp(away.app, 'root'), 'github')
  t.equal(errorIn(await browserOf(away.app).signIn('github')), 'cannot_get_user_info')
})

t.test('accepts a code once, and only with the verifier of the browser that requested it', async (t) => {
  for (const provider of ['github', 'google', 'discord'] as const) {
    const browser = browserOf(app)
    const back = await browser.answered(await browser.start(provider))
    const { cookies } = browser
    t.equal((await browser.go(back)).headers.location, '/')
    t.equal(errorIn(String((await browser.go(back)).headers.location)), 'invalid_token', 'the attempt has ended')
    t.equal(
      errorIn(String((await browserOf(app, cookies).go(back)).headers.location)),
      'invalid_token',
      'a copy of its cookies does not help',
    )
    const other = browserOf(app)
    const second = await other.answered(await other.start(provider))
    other.cookies = Object.fromEntries(Object.keys(other.cookies).map((name) => [name, 'x'.repeat(43)]))
    t.equal(errorIn(String((await other.go(second)).headers.location)), 'invalid_token')
  }
})

t.test('tests the connection to a provider', async (t) => {
  const call = callsOf(app, root)
  for (const provider of ['github', 'google', 'microsoft', 'discord']) {
    const answer = await call(`POST oauth/test/${provider}` as 'POST x')
    t.same([answer.statusCode, answer.json()], [200, { redirectUri: `http://localhost:80/api/oauth/callback/${provider}` }], provider)
    await settings.set({ key: `oauth.${provider}-clientSecret`, value: 'wrong' })
    const failed = await call(`POST oauth/test/${provider}` as 'POST x')
    t.same(refusal(failed), [400, 'provider_failed'])
    t.match(failed.json().reason, /client.?secret/i, 'in the provider’s words')
    t.equal(errorIn(await browserOf(app).signIn(provider as 'github')), 'provider_misconfigured')
    await settings.set({ key: `oauth.${provider}-clientSecret`, value: 'a secret & more' })
  }
  const oidc = await call('POST oauth/test/oidc')
  t.same(refusal(oidc), [400, 'provider_failed'], 'not set yet')
  await settings.set(
    { key: 'oauth.oidc-clientId', value: clientId },
    { key: 'oauth.oidc-clientSecret', value: 'x' },
    { key: 'oauth.oidc-discoveryUri', value: `${world.url}/nothing` },
  )
  t.match((await call('POST oauth/test/oidc')).json().reason, `${world.url}/nothing responded with status 401`)
  t.same(refusal(await callsOf(app)('POST oauth/test/github')), [401, 'unauthorized'])
  t.same(refusal(await callsOf(app, await signUp(app, 'guest'))('POST oauth/test/github')), [403, 'forbidden'])
  t.same(refusal(await call('POST oauth/test/nobody')), [404, 'not_found'])
})
