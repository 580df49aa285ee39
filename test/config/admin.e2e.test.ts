import type { Page } from 'playwright'
import { PNG } from 'pngjs'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { still } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const exact = { exact: true }
const admin = await (await still(t, browser, url)).newPage()
const stranger = await (await visitor(t, browser, url, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })).newPage()

t.test('shows the introduction to the first administrator, once', async (t) => {
  await admin.goto('/auth/signUp')
  await admin.getByLabel('Username').fill('ada')
  await admin.getByLabel('Email address').fill('ada@example.test')
  await admin.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await admin.getByRole('button', { name: 'Sign up' }).click()
  await step(t, 'What should we call your site?')
  await admin.getByLabel('Application name', exact).fill('Puffin')
  await admin.getByRole('button', { name: 'Continue' }).click()
  await step(t, "What's the address of your site?")
  t.equal(await admin.getByLabel('Address', exact).inputValue(), url, 'the address is suggested')
  await admin.getByRole('button', { name: 'Continue' }).click()
  await step(t, 'Who is it for?')
  await admin.getByRole('group', { name: 'Who can upload?' }).getByLabel('Everyone').check()
  await admin.getByRole('button', { name: 'Continue' }).click()
  await step(t, 'Set up email?')
  await admin.getByRole('switch', { name: 'Send emails' }).click()
  await admin.getByRole('button', { name: 'Finish' }).click()
  await admin.getByText('“Send emails” needs this.').waitFor()
  await admin.getByLabel('Host', exact).and(admin.locator(':focus')).waitFor() // the field that is missing
  await accessible(t, admin, 'a refused step')
  await admin.getByRole('switch', { name: 'Send emails' }).click()
  await admin.getByRole('button', { name: 'Finish' }).click()
  await admin.getByRole('heading', { name: 'Puffin is ready' }).waitFor()
  await accessible(t, admin, 'the end of the introduction')

  await admin.goto('/admin/intro')
  await admin.waitForURL('**/admin')
  await admin.goto('/')
  await admin.waitForURL('**/upload')
  await stranger.goto('/upload')
  await stranger.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  t.match(await stranger.title(), /Puffin/)
})

t.test('shows a new name, limit and logo in another browser', async (t) => {
  await admin.goto('/admin/config/general')
  await admin.getByLabel('Application name', exact).fill('Guillemot')
  await admin.getByRole('link', { name: 'Share', exact: true }).click()
  const size = admin.getByLabel('Maximum share size', exact)
  await size.fill('5')
  await admin.getByRole('combobox', { name: 'Maximum share size: Unit' }).focus()
  for (const key of ['Enter', 'ArrowUp', 'ArrowUp', 'Enter']) await admin.keyboard.press(key) // from TB to MB
  await size.fill('5')
  await save('2 unsaved changes')
  await admin.getByRole('link', { name: 'General' }).click()
  const file = admin.locator('input[type=file]')
  await file.setInputFiles(png(300, 200))
  await admin.getByText('The logo must be square.').waitFor()
  await file.setInputFiles(png(256, 256))
  await admin.getByRole('button', { name: 'Use this logo' }).click()
  const reset = admin.getByRole('button', { name: 'Use the default logo' })
  await reset.waitFor()

  await stranger.goto('/upload')
  await stranger.getByText('Up to 5 MB in one share').waitFor()
  t.equal(await stranger.locator('.brand').textContent(), 'Guillemot')
  const logo = stranger.locator('.brand img')
  t.match(await logo.getAttribute('src'), /^\/api\/logo\/192\.png\?v=/)
  t.equal(
    await stranger.evaluate("document.querySelector('.brand img').decode().then(() => document.querySelector('.brand img').naturalWidth)"),
    192,
  )
  await admin.getByRole('link', { name: 'Administration' }).click()
  await admin.locator('.brand', { hasText: 'Guillemot' }).waitFor()
  t.equal(await admin.locator('.brand img').getAttribute('src'), await logo.getAttribute('src'), 'also here, without a reload')

  await admin.goto('/admin/config/general')
  await reset.click()
  await reset.waitFor({ state: 'detached' })
  await stranger.reload()
  t.equal(await stranger.locator('.brand img').getAttribute('src'), '/favicon.svg')
})

t.test('changes nothing for a rejected value and names it beside its field, on any tab', async (t) => {
  await admin.goto('/admin/config/share')
  await admin.getByLabel('Zip compression', exact).fill('12')
  await admin.getByRole('link', { name: 'General' }).click()
  await admin.getByLabel('Application name', exact).fill('Auk')
  await admin.getByRole('button', { name: 'Save changes' }).click()
  await admin.getByText('Must be at most 9').waitFor()
  t.equal(new URL(admin.url()).pathname, '/admin/config/share')
  await admin.getByLabel('Zip compression', exact).and(admin.locator(':focus')).waitFor()
  await admin.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })") // the bar covers no field
  await accessible(t, admin, 'a refused setting')
  await stranger.reload()
  t.equal(await stranger.locator('.brand').textContent(), 'Guillemot')
  await admin.getByRole('button', { name: 'Reset to default: Zip compression' }).click()
  await save('1 unsaved change')
  await stranger.reload()
  t.equal(await stranger.locator('.brand').textContent(), 'Auk')
})

t.test('asks before it discards unsaved values', async (t) => {
  await admin.goto('/admin')
  await admin.getByRole('link', { name: 'Configuration' }).click()
  await admin.getByLabel('Application name', exact).fill('Lost')
  const dialog = admin.getByRole('dialog', { name: 'Leave without saving?' })
  await admin.getByRole('link', { name: 'Administration' }).click()
  await dialog.waitFor()
  await accessible(t, admin, 'the question before leaving')
  await dialog.getByRole('button', { name: 'Stay here' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await admin.evaluate('history.back()')
  await dialog.waitFor()
  t.equal(new URL(admin.url()).pathname, '/admin/config/general')
  await dialog.getByRole('button', { name: 'Stay here' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await admin.getByLabel('Application name', exact).inputValue(), 'Lost')
  const asked = admin.waitForEvent('dialog')
  const closing = admin.close({ runBeforeUnload: true })
  await (await asked).dismiss()
  await closing
  await admin.getByRole('link', { name: 'Administration' }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await admin.getByRole('heading', { name: 'Administration' }).waitFor()
})

async function step(t: Parameters<typeof accessible>[0], title: string): Promise<void> {
  await admin.getByRole('heading', { name: title }).waitFor()
  await accessible(t, admin, title)
  await fitsWidth(t, admin, title)
}

async function save(count: string): Promise<void> {
  await admin.getByRole('status').filter({ hasText: count }).waitFor({ state: 'attached' })
  await admin.getByRole('button', { name: 'Save changes' }).click()
  await admin.locator('.save-bar').waitFor({ state: 'detached' })
}

function png(width: number, height: number): Parameters<ReturnType<Page['locator']>['setInputFiles']>[0] {
  const image = new PNG({ width, height })
  image.data.fill(0x80)
  return { name: 'logo.png', mimeType: 'image/png', buffer: PNG.sync.write(image) }
}
