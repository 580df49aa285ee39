import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { mailedLink, member } from '../support/people/accounts.ts'
import { password } from '../support/people/people.ts'
import { mailServer } from '../support/smtp.ts'

t.setTimeout(600_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const mail = await mailServer(t)
const browser = await openBrowser(t)
const admin = await member(t, browser, url, 'alice')
const save = async (values: Record<string, unknown>) => {
  const data = Object.entries(values).map(([key, value]) => ({ key, value }))
  const answer = await admin.context.request.patch('/api/configs/admin', { data })
  if (!answer.ok()) throw new Error(await answer.text())
}
await save({
  'general.appUrl': url,
  'smtp.enabled': true,
  'smtp.host': '127.0.0.1',
  'smtp.port': mail.port,
  'smtp.email': 'razorbill@example.com',
})
await save({ 'share.requireVerifiedEmail': true })
const pictures = process.env.PICTURES // a folder for screenshots to look at

t.test('asks a new user to verify the address, and verifies it by a button', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  const shot = async (name: string) => {
    await accessible(t, page, name)
    if (!pictures) return
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, animations: 'disabled' })
      }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  await page.goto('/auth/signUp')
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Email address').fill('bob@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await shot('sent')
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByText('Email address not verified').waitFor()
  await shot('upload')
  await page.goto('/account')
  await page.getByRole('button', { name: 'Send the link again' }).click()
  await page.getByText('We sent a new link to bob@example.com').waitFor()
  await shot('account')
  await admin.page.goto('/admin/users')
  await admin.page.getByText('Email not verified').waitFor()
  await accessible(t, admin.page, 'the users')
  await page.goto(await mailedLink(mail.received, 'bob@example.com'))
  await page.getByRole('button', { name: 'Verify email address' }).waitFor()
  await shot('verify')
  await fitsWidth(t, page, 'the page of the link')
  await page.getByRole('button', { name: 'Verify email address' }).click()
  await page.getByRole('heading', { name: 'Your email address is verified' }).waitFor()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page
    .getByRole('button', { name: /choose|select/i })
    .first()
    .waitFor()
  t.equal(await page.getByText('Email address not verified').count(), 0)
})

t.test('leads an administrator without a second factor to the account page', async (t) => {
  await save({ 'general.requireAdminSecondFactor': true })
  const { page } = admin
  await page.goto('/admin/users')
  await page.getByText('You need a second factor').waitFor()
  t.equal(new URL(page.url()).pathname, '/account')
  await accessible(t, page, 'the account page')
  if (pictures) await page.screenshot({ path: `${pictures}/factor.png` })
})
