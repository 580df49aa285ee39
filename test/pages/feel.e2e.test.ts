import type { Route } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { createShareRow, showMore } from '../support/browser/journeys.ts'
import { member, still } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context, page } = await member(t, browser, url, 'alice')
await createShareRow(context, 'iceland', { 'photo.txt': 'x' }, { name: 'Iceland' })

t.test('prints a share dark on white, with its link and without controls', async (t) => {
  await page.goto('/share/iceland')
  await page.getByRole('heading', { name: 'Iceland' }).waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.getByText(`${url}/share/iceland`).waitFor() // by then the print styles are active
  t.equal(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'), 'rgb(255, 255, 255)')
  t.equal(await page.evaluate("getComputedStyle(document.querySelector('h1')).color"), 'rgb(22, 19, 31)')
  t.equal(await page.getByRole('button', { name: 'Show link' }).isVisible(), false)
  t.ok(await page.getByText('photo.txt').isVisible())
  await page.emulateMedia({ media: null, colorScheme: null })
})

t.test('closes dialogs with Escape, and restores the focus', async (t) => {
  await page.goto('/share/iceland')
  await page.getByRole('button', { name: 'Show link' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  t.equal(await page.evaluate('document.activeElement.innerText'), 'Show link')
})

t.test('shows five notices at the bottom right, queues the rest, and keeps a hovered one', async (t) => {
  await page.goto('/account')
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await page.evaluate(`{
    window.seen = new Set()
    window.most = 0
    new MutationObserver(() => {
      const shown = document.querySelectorAll('.ant-notification-notice')
      for (const notice of shown) seen.add(notice)
      most = Math.max(most, shown.length)
    }).observe(document.body, { childList: true, subtree: true })
    const save = [...document.querySelectorAll('button')].find((button) => button.innerText === 'Save')
    for (let time = 1; time <= 7; time++) setTimeout(() => save.form.requestSubmit(), time * 50)
  }`)
  const notices = page.locator('.ant-notification-notice').filter({ hasText: 'Saved' })
  await notices.nth(4).waitFor()
  const first = (await notices.first().elementHandle())!
  const box = (await first.boundingBox())!
  t.ok(box.x > 640 && box.x + box.width > 1200 && box.y > 200, 'at the bottom right')
  await first.hover()
  await page.waitForTimeout(4_500)
  t.ok(await first.isVisible(), 'longer than four seconds')
  await page.mouse.move(10, 10)
  await eventually(async () => (await notices.count()) === 0, 'all have closed')
  t.same(await page.evaluate('[seen.size, most]'), [7, 5])
})

t.test('uses font sizes in fields that keep an iPhone from zooming in', async (t) => {
  const phone = await still(t, browser, url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  await phone.addCookies(await context.cookies(url))
  const small = (page: typeof touched) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('input:not([type=file], [type=checkbox], [type=radio]), textarea, select')]
      .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.outerHTML)`)
  const touched = await phone.newPage()
  await touched.goto('/account')
  await touched.getByRole('heading', { name: 'My account' }).waitFor()
  t.same(await small(touched), [])
  await touched.goto('/share/iceland/edit')
  await touched.getByRole('heading', { name: /^Edit/ }).waitFor()
  t.same(await small(touched), [])
  await touched.goto('/upload')
  await touched.getByTestId('files').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await showMore(touched)
  t.ok((await touched.getByRole('textbox').count()) > 2)
  t.same(await small(touched), [])
})

t.test('respects reduced motion', async (t) => {
  await page.goto('/upload')
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  const longest = (what: 'animationDuration' | 'transitionDuration') =>
    page.evaluate<number>(`Math.max(...[...document.querySelectorAll('*')].flatMap((element) =>
      getComputedStyle(element).${what}.split(',').map((one) => parseFloat(one) * (one.includes('ms') ? 1 : 1000))))`)
  t.ok((await longest('animationDuration')) <= 1)
  t.equal(await longest('transitionDuration'), 0, 'even the shortest transition would make a color change visible step by step')
})

t.test('shows an error with a way to continue when the script of a page does not load', async (t) => {
  const lost = await context.newPage()
  await lost.route('**/assets/HomePage-*.js', (route) => route.abort())
  await lost.goto('/')
  await lost.getByRole('button', { name: 'Reload' }).waitFor()
  t.ok(await lost.getByRole('heading').isVisible())
  t.ok(await lost.getByRole('banner').isVisible(), 'with the header')
  await lost.close()
})

t.test('shows an error when the application does not load', async (t) => {
  const lost = await context.newPage()
  await lost.route('**/assets/application-*.js', (route) => route.abort())
  await lost.goto('/')
  await lost.getByText('Reloading it usually helps.').waitFor()
  t.ok(await lost.getByRole('banner').isVisible(), 'with the header')
  await lost.close()
})

t.test('runs no script with a changed byte', async (t) => {
  const lost = await (await still(t, browser, url)).newPage()
  const change = async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${await response.text()};window.wasChanged = true` })
  }
  const refused = (name: string) =>
    lost.waitForEvent('console', (message) => /integrity/.test(message.text()) && message.text().includes(name))
  await lost.route('**/assets/application-*', change)
  const application = refused('application-')
  await lost.goto('/')
  await lost.getByText('Reloading it usually helps.').waitFor()
  await application
  await lost.unrouteAll()
  await lost.route('**/assets/LinkDialog-*', change) // the page has no link to it
  await lost.goto('/share/iceland')
  const dialog = refused('LinkDialog-')
  await lost.getByRole('button', { name: 'Show link' }).click()
  await dialog
  t.equal(await lost.evaluate('window.wasChanged'), undefined)
  await lost.close()
})

t.test("shows the page without antd's styles when they do not load", async (t) => {
  const plain = await context.newPage()
  await plain.route(/assets\/(antd|application|form)-[\w-]{8}\.css/, (route) => route.abort())
  await plain.goto('/share/iceland')
  await plain.getByRole('heading', { name: 'Iceland' }).waitFor()
  await plain.locator('button:enabled', { hasText: 'Show link' }).waitFor() // enabled by the application after one more attempt
  t.ok(await plain.getByText('photo.txt').isVisible())
  await plain.close()
})
