import { chromium } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, browserArgs, browserPath } from '../support/browser/browser.ts'
import { fillSignIn, member, onAccount, still } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
// Chromium treats http://127.0.0.1 as secure, so it needs the name of another host
const args = [...browserArgs, '--host-resolver-rules=MAP files.test 127.0.0.1']
const browser = await chromium.launch({ executablePath: browserPath(), args })
t.teardown(() => browser.close())
await member(t, browser, url, 'alice')
const site = url.replace('127.0.0.1', 'files.test')

t.test('explains why a sign-in over http is lost beside a session over https, and offers https', async (t) => {
  const context = await still(t, browser, site)
  await context.addCookies([{ name: 'access_token', value: 'of the site over https', domain: 'files.test', path: '/', secure: true }])
  const page = await context.newPage()
  await page.goto('/auth/signIn?redirect=/account')
  await fillSignIn(page, 'alice')
  await page.getByRole('heading', { name: "You're not signed in" }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Open over https' }).getAttribute('href'), 'https://files.test/account')
  await accessible(t, page, 'the page of a lost sign-in')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/lost-sign-in.png` })
  await context.clearCookies()
  await page.goto('/auth/signIn?redirect=/account')
  await fillSignIn(page, 'alice')
  await onAccount(page)
})
