import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright'
import type { Test } from 'tap'
import { eventually } from '../app/worker.ts'
import { visitor } from '../browser/browser.ts'
import { password } from './people.ts'
import { codeAt } from './totp.ts'

/** A user's browser without animations, which a busy machine draws slowly. */
export function still(t: Test, browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return visitor(t, browser, url, { reducedMotion: 'reduce', ...options })
}

/** A browser that is signed in to a new account, created through the API. */
export async function member(
  t: Test,
  browser: Browser,
  url: string,
  username: string,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await still(t, browser, url, options)
  const account = { username, email: `${username}@example.com`, password }
  const answer = await context.request.post('/api/auth/signUp', { data: account })
  if (!answer.ok()) throw new Error(`No account: ${await answer.text()}`)
  return { context, page: await context.newPage() }
}

/** Fills in the page that asks for name and password. */
export async function fillSignIn(page: Page, who: string, secret = password): Promise<void> {
  await page.getByLabel('Email address or username').fill(who)
  await page.getByRole('textbox', { name: 'Password' }).fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Enters the code of the second step, or a recovery code. */
export async function fillCode(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: /code/i }).fill(code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Waits for the user's account page. */
export async function onAccount(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'My account' }).waitFor()
}

/** Signs out from the menu, and waits for the sign-in page. */
export async function signOut(page: Page, username: string): Promise<void> {
  await page.getByRole('button', { name: `Menu of ${username}` }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
}

/**
 * Turns TOTP on in the UI. Returns its secret and the downloaded recovery codes. `onStep` inspects
 * each dialog.
 */
export async function setTotpUp(page: Page, onStep: (name: string) => Promise<void>) {
  await page.getByRole('button', { name: 'Turn on' }).click()
  const dialog = page.getByRole('dialog', { name: 'Two-factor sign-in' })
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(password)
  await onStep('the password before the second factor')
  await page.keyboard.press('Enter')
  const secret = ((await page.locator('.authenticator-secret code').textContent()) ?? '').replaceAll(' ', '')
  await onStep('the QR code of the second factor')
  await dialog.getByLabel('Code from the app').fill(codeAt(secret, new Date()))
  await page.keyboard.press('Enter')
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await codes.getByRole('listitem').first().waitFor()
  const shown = await codes.getByRole('listitem').allTextContents()
  await onStep('the recovery codes')
  const begun = page.waitForEvent('download')
  await codes.getByRole('link', { name: 'Download' }).click()
  const file = await readFile(await (await begun).path(), 'utf8')
  await codes.getByRole('button', { name: 'I have saved them' }).click()
  await codes.waitFor({ state: 'hidden' })
  return { secret, recoveryCodes: shown, file }
}

/**
 * A Chromium authenticator whose fingerprint always matches (Web Authentication Level 3, 11).
 * Returns the number of its passkeys.
 */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    count: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    /** Whether the user touches it when it asks. */
    touches: (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  }
}

/** The path of the link in the newest email to an address. */
export async function mailedLink(received: { to: string[]; text: string }[], to: string): Promise<string> {
  const find = () => received.findLast((mail) => mail.to.includes(to) && /https?:/.test(mail.text))
  await eventually(() => find() !== undefined, `an e-mail to ${to} arrives`)
  return new URL(/https?:\S+/.exec(find()!.text)![0]).pathname
}
