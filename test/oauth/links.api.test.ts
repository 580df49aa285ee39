import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { storeLink } from '../../src/oauth/sign-in.ts'
import { nameKey, userById } from '../../src/users/queries.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { letMailsWait, linkTokenTo, mailsTo } from '../support/mails.ts'
import { browserOf, cookiesOf, errorIn, oddProvider, switchOn } from '../support/oauth/social.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

// The mapping from external accounts to users. The clock runs with the provider's.
const clock = testClock(new Date().toISOString())
const log = keptLog()
const { app, ctx } = await testApp(t, { log, now: clock.now })
const odd = await oddProvider(t)
const root = await signUp(app, 'root')
const settings = settingsCalls(app, root)
await switchOn(app, root, 'oidc', { discoveryUri: odd.discoveryUri })
await letMailsWait(ctx)

let people = 0
const newName = () => `person_${people++}`
/** The user who signs in at the provider from now on. */
const atProvider = (name: string, more: Record<string, unknown> = {}) => {
  odd.claims = { sub: `subject of ${name}`, email: `${name}@example.com`, email_verified: true, preferred_username: name, ...more }
}
const bySocialLogin = async (name: string, more = {}) => {
  atProvider(name, more)
  const browser = browserOf(app)
  return { browser, location: await browser.signIn('oidc'), id: (await browser.me()).id as string | undefined }
}
const byPassword = async (name: string) => {
  const browser = browserOf(app, cookiesOf(await signUp(app, name)))
  return { browser, id: (await browser.me()).id as string }
}
/** A user added by an administrator, with no password yet and a pending invitation. */
const invited = async (name: string) => {
  const answer = await callsOf(app, root)('POST users', { username: name, email: `${name}@example.com` })
  return answer.json().id as string
}
const linkElsewhere = (userId: string, provider: string, email: string | null) =>
  ctx.db
    .insertInto('socialLink')
    .values({ userId, provider, issuer: `https://${provider}.example`, subject: userId, username: 'x', emailKey: email && nameKey(email) })
    .execute()
const linksTo = async (userId: string) =>
  (await ctx.db.selectFrom('socialLink').select('provider').where('userId', '=', userId).execute()).map(({ provider }) => provider)
t.beforeEach(async () => {
  await ctx.db.deleteFrom('rateLimit').execute()
  await settings.set({ key: 'oauth.ignoreTotp', value: '' })
})

t.test('takes over no account by an address alone', async (t) => {
  const cases: Record<string, (name: string) => Promise<string>> = {
    'that has a password': async (name) => (await byPassword(name)).id,
    'whose account elsewhere was not verified for it': async (name) => {
      const id = await invited(name)
      await linkElsewhere(id, 'microsoft', null)
      return id
    },
    'whose account elsewhere was verified for another address': async (name) => {
      const id = await invited(name)
      await linkElsewhere(id, 'google', `before.${name}@example.com`)
      return id
    },
    'one of whose accounts elsewhere was not verified for it': async (name) => {
      const id = await invited(name)
      await linkElsewhere(id, 'google', `${name}@example.com`)
      await linkElsewhere(id, 'github', null)
      return id
    },
    'that is entered by passkey': async (name) => {
      const userId = await invited(name)
      const passkey = { userId, credentialId: name, publicKey: '', counter: 0, rpId: 'x', backedUp: false, name: 'x' }
      await ctx.db.insertInto('passkey').values(passkey).execute()
      return userId
    },
    'that has an account with this provider': async (name) => {
      const id = await invited(name)
      await linkElsewhere(id, 'oidc', `${name}@example.com`)
      return id
    },
  }
  for (const [what, make] of Object.entries(cases)) {
    const name = newName()
    const id = await make(name)
    const before = await linksTo(id)
    const { location } = await bySocialLogin(name)
    t.equal(errorIn(location), 'not_linked', what)
    t.same(await linksTo(id), before)
    t.notMatch(location, name, 'the other user is not named')
  }
})

t.test('takes over no account by an address the provider does not call verified, even when public', async (t) => {
  for (const verified of [undefined, null, 'yes', 1, false]) {
    const name = newName()
    const id = await invited(name)
    const { location } = await bySocialLogin(name, { email_verified: verified })
    t.equal(errorIn(location), verified === false ? 'unverified_account' : 'not_linked', `${verified}`)
    t.same(await linksTo(id), [])
  }
})

t.test('signs an invited user in by a verified address, in any letter case', async (t) => {
  const name = newName()
  const id = await invited(name)
  await settings.set({ key: 'oauth.allowRegistration', value: false })
  const came = await bySocialLogin(name, { email: `${name.toUpperCase()}@Example.com`, email_verified: 'true' })
  await settings.set({ key: 'oauth.allowRegistration', value: true })
  t.equal(came.location, '/')
  t.equal(came.id, id)
  t.same(await linksTo(id), ['oidc'])
  t.ok(
    log.lines.some(
      ({ details }) => (details as { event?: string }).event === 'social_linked' && (details as { userId?: string }).userId === id,
    ),
  )
})

t.test('signs in a user who came by another provider with the same verified address', async (t) => {
  const name = newName()
  const id = await invited(name)
  await linkElsewhere(id, 'google', `${name}@example.com`)
  t.equal((await bySocialLogin(name)).id, id)
  t.same((await linksTo(id)).sort(), ['google', 'oidc'])
})

t.test('gives a user who changes to another person’s address no access to that person’s account', async (t) => {
  const [thief, victim] = [newName(), newName()]
  const { browser, id } = await bySocialLogin(thief)
  const moved = await callsOf(app, { cookie: (await headers(browser)).cookie })('PATCH users/me', { email: `${victim}@example.com` })
  t.equal(moved.statusCode, 200)
  const { location } = await bySocialLogin(victim)
  t.equal(errorIn(location), 'not_linked')
  t.same(await linksTo(id!), ['oidc'])
})

t.test('hides whether an unverified address has an account when registration is off', async (t) => {
  const known = newName()
  await byPassword(known)
  await settings.set({ key: 'oauth.allowRegistration', value: false })
  const tell = async (name: string) => errorIn((await bySocialLogin(name, { email_verified: undefined })).location)
  t.equal(await tell(known), 'no_user')
  t.equal(await tell(newName()), 'no_user')
  await settings.set({ key: 'oauth.allowRegistration', value: true })
})

t.test('links an external account, signs in with it, and unlinks it', async (t) => {
  const name = newName()
  const { browser, id } = await byPassword(name)
  t.same(await browser.status(), {})
  atProvider(`${name}_elsewhere`, { email_verified: false })
  t.equal(await browser.signIn('oidc'), '/account', 'regardless of its address')
  t.same(await browser.status(), { oidc: { provider: 'oidc', providerUsername: `${name}_elsewhere` } })
  t.equal((await bySocialLogin(`${name}_elsewhere`)).id, id)
  t.equal(await browser.signIn('oidc'), '/account', 'a second time changes nothing')
  t.same(await linksTo(id), ['oidc'])
  atProvider(newName())
  t.equal(errorIn(await browser.signIn('oidc')), 'provider_taken', 'a second account of the same provider')

  t.equal((await browser.post('oauth/unlink/oidc')).statusCode, 201)
  t.same(await linksTo(id), [])
  t.same(refusal(await browser.post('oauth/unlink/oidc')), [400, 'not_linked'])
  t.same(refusal(await browser.post('oauth/unlink/nobody')), [404, 'not_found'])
  atProvider(`${name}_elsewhere`)
  const own = await browserOf(app).signIn('oidc')
  t.equal(own, '/', 'it has a separate account now')
})

t.test('refuses to link another user’s external account, without naming that user', async (t) => {
  const name = newName()
  const owner = await bySocialLogin(name)
  const { browser, id } = await byPassword(newName())
  atProvider(name)
  const location = await browser.signIn('oidc')
  t.equal(location, '/error?error=already_linked&redirect=%2Faccount&params=oidc')
  t.same(await linksTo(id), [])
  t.same(await linksTo(owner.id!), ['oidc'])
})

t.test('requires the password to link from the account page when the sign-in is old', async (t) => {
  const name = newName()
  const member = await signUp(app, name)
  const call = callsOf(app, member)
  t.equal((await call('POST oauth/link/oidc')).statusCode, 200)
  t.same(refusal(await call('POST oauth/link/github')), [403, 'provider_disabled'])
  await ctx.db
    .updateTable('session')
    .set({ createdAt: new Date(clock.now().getTime() - 3600_000) })
    .where('userId', 'in', (query) => query.selectFrom('user').select('id').where('username', '=', name))
    .execute()
  t.same(refusal(await call('POST oauth/link/oidc')), [403, 'confirmation_required'])
  t.same(refusal(await call('POST oauth/link/oidc', { password: 'wrong' })), [403, 'wrong_password'])
  t.same(refusal(await call('POST oauth/unlink/oidc')), [403, 'confirmation_required'])
  const answer = await call('POST oauth/link/oidc', { password })
  atProvider(`${name}_there`)
  const linking = browserOf(app, { ...cookiesOf(member), ...cookiesOf(headersOf(answer)) })
  t.equal((await linking.go(await linking.answered(answer.json().url))).headers.location, '/account')
  t.same(refusal(await callsOf(app)('POST oauth/link/oidc')), [401, 'unauthorized'])
})

t.test('refuses API tokens for linking and unlinking', async (t) => {
  const call = callsOf(app, await signUp(app, newName()))
  const { token } = (await call('POST auth/tokens', { name: 'x', scopes: ['shares:write'] })).json()
  const byToken = callsOf(app, { authorization: `Bearer ${token}` })
  for (const what of ['POST oauth/link/oidc', 'POST oauth/unlink/oidc', 'GET oauth/status']) {
    t.same(refusal(await byToken(what)), [403, 'forbidden'], what)
  }
})

t.test('keeps the last sign-in method', async (t) => {
  const { browser, id } = await bySocialLogin(newName())
  t.same(refusal(await browser.post('oauth/unlink/oidc')), [400, 'last_way_in'])
  t.same(await linksTo(id!), ['oidc'])
  await linkElsewhere(id!, 'github', null)
  t.same(refusal(await browser.post('oauth/unlink/oidc')), [400, 'last_way_in'], 'a provider that is turned off is not a sign-in method')
  await switchOn(app, root, 'github')
  t.equal((await browser.post('oauth/unlink/oidc')).statusCode, 201)
  await settings.set({ key: 'oauth.github-enabled', value: false })

  const passkey = { userId: id!, credentialId: id!, publicKey: '', counter: 0, rpId: 'x', backedUp: false, name: 'x' }
  const { id: passkeyId } = await ctx.db.insertInto('passkey').values(passkey).returning('id').executeTakeFirstOrThrow()
  t.equal((await browser.post('oauth/unlink/github')).statusCode, 201, 'a passkey is a sign-in method')
  const remove = await app.inject({ method: 'DELETE', url: `/api/auth/passkeys/${passkeyId}`, headers: await headers(browser) })
  t.same(refusal(remove), [400, 'last_way_in'], 'the passkey is then the last method, and stays')
})

t.test('keeps one link when two tabs unlink the last two at once', async (t) => {
  const { browser, id } = await bySocialLogin(newName())
  await linkElsewhere(id!, 'github', null)
  await settings.set({ key: 'oauth.github-enabled', value: true })
  const answers = await Promise.all(['oidc', 'github'].map((name) => browser.post(`oauth/unlink/${name}`)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 400])
  t.equal((await linksTo(id!)).length, 1)
  await settings.set({ key: 'oauth.github-enabled', value: false })
})

t.test('requires the second factor unless the setting skips it', async (t) => {
  const name = newName()
  const { browser, id } = await byPassword(name)
  atProvider(name)
  await browser.signIn('oidc')
  const { secret } = await switchTotpOn(callsOf(app, await headers(browser)), clock.now()) // signs all browsers out
  const skipped = browserOf(app)
  t.equal(await skipped.signIn('oidc'), '/')
  t.equal((await skipped.me()).id, id)

  await settings.set({ key: 'oauth.ignoreTotp', value: false })
  const asked = browserOf(app)
  const location = await asked.signIn('oidc', '/account/shares')
  t.match(location, /^\/auth\/totp\/[\w-]{43}\?redirect=%2Faccount%2Fshares$/)
  t.notOk('access_token' in asked.cookies)
  t.equal((await asked.me()).statusCode, 401)
  clock.pass(60)
  const loginToken = new URL(location, 'http://x').pathname.split('/').at(-1)
  t.equal((await asked.post('auth/signIn/totp', { loginToken, totp: codeAt(secret, clock.now()) })).statusCode, 200)
})

t.test('creates a new account for the external account of a deleted user', async (t) => {
  const name = newName()
  const { id } = await bySocialLogin(name)
  await callsOf(app, root)(`DELETE users/${id}` as 'DELETE x')
  const again = await bySocialLogin(name)
  t.equal(again.location, '/')
  t.not(again.id, id)
})

t.test('refuses every call with a password when password sign-in is off, and keeps the rest working', async (t) => {
  const name = newName()
  const { browser } = await byPassword(name)
  atProvider(name)
  await browser.signIn('oidc')
  const visitor = callsOf(app)
  await visitor(`POST auth/resetPassword/${name}@example.com` as 'POST x')
  await settings.set({ key: 'oauth.disablePassword', value: true })
  const off = [403, 'password_sign_in_disabled']
  const call = callsOf(app, await headers(browser))
  t.same(refusal(await visitor('POST auth/signIn', { username: name, password })), off)
  t.same(
    refusal(await visitor('POST auth/signIn', { username: name, password: 'wrong' })),
    off,
    'the response does not show whether it was right',
  )
  t.same(refusal(await visitor('POST auth/signUp', { username: 'new', email: 'new@example.com', password })), off)
  t.same(refusal(await visitor(`POST auth/resetPassword/${name}@example.com` as 'POST x')), off)
  t.same(
    refusal(
      await visitor('POST auth/resetPassword', { token: await linkTokenTo(ctx, `${name}@example.com`), password: 'another password' }),
    ),
    off,
  )
  t.same(refusal(await call('PATCH auth/password', { oldPassword: password, password: 'another password' })), off)
  t.same(refusal(await call('POST oauth/unlink/oidc')), [400, 'last_way_in'], 'an unusable password is not a sign-in method')
  t.equal((await bySocialLogin(name)).location, '/')
  t.equal((await call('POST oauth/link/oidc', { password })).statusCode, 200, 'it still confirms the user’s identity')

  const guest = newName()
  await invited(guest)
  const mail = (await mailsTo(ctx, `${guest}@example.com`)).at(-1)!
  t.match(mail, /\/auth\/signIn\b/)
  t.notMatch(mail, /resetPassword/, 'an invitation leads to the available sign-in methods')
  await settings.set({ key: 'oauth.disablePassword', value: false })
  t.equal((await visitor('POST auth/signIn', { username: name, password })).statusCode, 200)
})

t.test('allows passwords again by the environment, regardless of the stored setting', async (t) => {
  const rescued = await testApp(t, { env: { settings: { 'oauth.disablePassword': false } } })
  await signUp(rescued.app, 'admin')
  await storeSetting(rescued.ctx.db, 'oauth.disablePassword', true, new Date())
  t.equal((await callsOf(rescued.app)('POST auth/signIn', { username: 'admin', password })).statusCode, 200)
})

async function headers(browser: ReturnType<typeof browserOf>) {
  return {
    cookie: Object.entries(browser.cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
}

t.test('verifies the address of a new account by email if the provider does not vouch for it', async (t) => {
  await settings.set({ key: 'share.requireVerifiedEmail', value: true })
  const isVerified = async ({ browser }: Awaited<ReturnType<typeof bySocialLogin>>) => (await browser.me()).emailVerified
  const vouched = newName()
  t.equal(await isVerified(await bySocialLogin(vouched)), true)
  t.same(await mailsTo(ctx, `${vouched}@example.com`), [])
  const unknown = newName()
  t.equal(await isVerified(await bySocialLogin(unknown, { email_verified: undefined })), false)
  t.match(await mailsTo(ctx, `${unknown}@example.com`), [/\/auth\/verifyEmail\/[\w-]{43}/])
  await settings.set({ key: 'share.requireVerifiedEmail', value: false })
})

t.test('verifies the address of an account by linking a provider that vouches for it', async (t) => {
  const name = newName()
  const { id } = await byPassword(name)
  const emailVerified = async () => (await userById(ctx.db, id))?.emailVerified
  await ctx.db.updateTable('user').set({ emailVerified: false }).where('id', '=', id).execute()
  const identity = { provider: 'oidc', issuer: 'https://id.example', subject: name, username: name, idToken: null } as const
  await storeLink(ctx, id, { ...identity, email: `other_${name}@example.com`, emailVerified: true })
  t.equal(await emailVerified(), false, 'another address')
  await storeLink(ctx, id, { ...identity, provider: 'google', email: `${name}@example.com`, emailVerified: true })
  t.equal(await emailVerified(), true)
})
