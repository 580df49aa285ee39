import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { oidcServer } from '../support/oauth/oidc-server.ts'
import { clientId, clientSecret } from '../support/oauth/social.ts'
import { fillCode, member, onAccount, setTotpUp, still } from '../support/people/accounts.ts'
import { password } from '../support/people/people.ts'
import { codeAt } from '../support/people/totp.ts'

t.setTimeout(600_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const idp = await oidcServer(t, url)
const browser = await openBrowser(t)
const admin = await member(t, browser, url, 'alice')
const set = async (values: Record<string, unknown>) => {
  const data = Object.entries(values).map(([name, value]) => ({ key: `oauth.${name}`, value }))
  const answer = await admin.context.request.patch('/api/configs/admin', { data })
  if (!answer.ok()) throw new Error(await answer.text())
}
const button = (page: Page) => page.getByRole('link', { name: 'Continue with OpenID Connect' })

/** The pages of the provider: name, any password, consent. */
async function atProvider(page: Page, name: string): Promise<void> {
  await page.waitForURL(`${idp.issuer}/**`)
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').filter({ hasText: 'Continue' }).click()
}

t.test('lets an administrator set up and test a provider', async (t) => {
  const { page } = admin
  await page.goto('/admin/config/oauth')
  const group = page.getByRole('group', { name: 'OpenID Connect' })
  await group.getByRole('heading', { name: 'OpenID Connect' }).click()
  await group.getByRole('textbox', { name: 'Discovery address' }).fill(idp.discoveryUri)
  await group.getByRole('textbox', { name: 'Client ID' }).fill(clientId)
  await group.getByRole('button', { name: 'Enter “Client secret”' }).click()
  await page.keyboard.type('wrong')
  const test = group.getByRole('button', { name: 'Test connection' })
  t.ok(await test.isDisabled(), 'unsaved settings are not tested')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await test.click()
  await group.getByText('It does not work yet:').waitFor()
  await accessible(t, page, 'a connection that fails')
  await set({ 'oidc-clientSecret': clientSecret, 'oidc-enabled': true })
  await page.reload()
  await test.click()
  await group.getByText('accepts the client ID and secret.').waitFor()
})

t.test('signs a new user in on the provider’s pages, opens the requested page, and signs out there too', async (t) => {
  const page = await (await still(t, browser, url)).newPage()
  await page.goto('/account')
  await button(page).waitFor()
  await accessible(t, page, 'the sign-in page with a provider')
  await button(page).click()
  await atProvider(page, 'ann')
  await onAccount(page)
  t.equal(await page.getByLabel('Email address').inputValue(), 'ann@idp.example')
  await page.getByRole('button', { name: 'Unlink OpenID Connect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('This is your only way to sign in.').waitFor()
  await page.getByRole('button', { name: 'Menu of ann' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`${idp.issuer}/session/end**`)
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${url}/`)
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
})

t.test('links an account, signs in with it and the second factor, and unlinks it', async (t) => {
  const { context, page } = await member(t, browser, url, 'bob')
  await page.goto('/account')
  await page.getByRole('button', { name: 'Link OpenID Connect' }).click()
  await atProvider(page, 'bob_elsewhere')
  await onAccount(page)
  await page.getByText('bob_elsewhere').waitFor()
  await accessible(t, page, 'the account page with a linked account')
  const { secret } = await setTotpUp(page, async () => {})
  await set({ ignoreTotp: false })
  await context.clearCookies({ domain: '127.0.0.1', name: 'access_token' })
  await context.clearCookies({ domain: '127.0.0.1', name: 'refresh_token' })
  await page.evaluate('localStorage.clear()')
  await page.goto('/auth/signIn?redirect=/account')
  await button(page).click() // the provider still has bob’s session
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await fillCode(page, codeAt(secret, new Date(), 1))
  await onAccount(page)
  await set({ ignoreTotp: true })
  await page.getByRole('button', { name: 'Unlink OpenID Connect' }).click()
  await accessible(t, page, 'the question before an account is unlinked')
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByRole('button', { name: 'Link OpenID Connect' }).waitFor()
})

t.test('reports a canceled sign-in and leads back', async (t) => {
  const page = await (await still(t, browser, url, { viewport: { width: 360, height: 780 } })).newPage()
  await page.goto('/auth/signIn?redirect=/account')
  await button(page).waitFor()
  await fitsWidth(t, page, 'the sign-in page with a provider')
  await button(page).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByText('You canceled the authentication process, please try again.').waitFor()
  await accessible(t, page, 'the error page')
  await fitsWidth(t, page, 'the error page')
  await page.getByRole('link', { name: 'Back' }).click()
  await page.waitForURL(`${url}/auth/signIn?redirect=%2Faccount`)
})

t.test('shows a separate text and a way back for every error', async (t) => {
  const page = await (await still(t, browser, url)).newPage()
  const keys = [
    'access_denied',
    'expired_token',
    'invalid_token',
    'no_user',
    'no_email',
    'already_linked',
    'not_linked',
    'unverified_account',
  ]
  const more = [
    'discord_guild_permission_denied',
    'cannot_get_user_info',
    'provider_taken',
    'provider_unavailable',
    'provider_misconfigured',
  ]
  const texts = new Set<string>()
  await page.goto('/error?error=not_found')
  for (const key of [
    ...keys,
    ...more,
    'provider_disabled',
    'default',
    'confirmation_required',
    'cross_site_request',
    'too_many_requests',
  ]) {
    const before = await page.locator('.scene p').textContent()
    await page.evaluate(`history.replaceState(null, '', '/error?error=${key}&redirect=/auth/signIn&params=github')`)
    await eventually(async () => (await page.locator('.scene p').textContent()) !== before, 'the text changes')
    texts.add((await page.locator('.scene p').textContent())!)
    t.equal(await page.getByRole('link', { name: 'Back' }).getAttribute('href'), '/auth/signIn')
  }
  t.equal(texts.size, 18)
  t.ok(
    [...texts].every((text) => !/[{}]|undefined|error\./.test(text)),
    [...texts].join('\n'),
  )
  await page.goto('/error?error=<b>x&redirect=https://evil.example&params=<i>evil')
  await page.getByText('An unknown error occurred').waitFor()
  t.equal(await page.getByRole('link', { name: 'Back' }).getAttribute('href'), '/')
})

t.test('asks for no password on any page when password sign-in is off', async (t) => {
  await set({ disablePassword: true })
  const page = await (await still(t, browser, url)).newPage()
  await page.goto('/auth/signUp')
  await button(page).waitFor()
  t.equal(new URL(page.url()).pathname, '/auth/signIn')
  t.equal(await page.getByRole('textbox').count(), 0)
  await accessible(t, page, 'the sign-in page without a form')
  await admin.page.goto('/account')
  await onAccount(admin.page)
  t.equal(await admin.page.getByRole('heading', { name: 'Password', exact: true }).count(), 0)
  await set({ disablePassword: false })
  const answer = await page.request.post(`${url}/api/auth/signIn`, { data: { username: 'alice', password } })
  t.ok(answer.ok())
})
