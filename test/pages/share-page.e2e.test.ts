import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { member } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context } = await member(t, browser, url, 'alice')
await createShareRow(context, 'iceland', { 'photo.txt': 'x' }, { name: 'Iceland' })

/** Returns the positions of the parts of a share, in CSS pixels. */
async function placesOf(page: Page) {
  const parts = page.locator(
    'h1, .facts, .actions > a, .actions > button, .files, thead th, tbody tr, .file-link, .file-size, .row-actions > *',
  )
  const places = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
  return places.map((place) => place && Object.values(place).map(Math.round))
}

/** Keeps the application from loading until the function that it returns is called. */
async function holdApplication(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route(/assets\/main-.*js/, async (route) => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

t.test('shows a share and its files before hydration, and enters it with one call that counts one view', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  const viewsBefore = (await (await context.request.get('/api/shares/iceland/from-owner')).json()).views
  const entered: string[] = []
  const read: string[] = []
  page.on('request', (request) => request.method() === 'POST' && entered.push(new URL(request.url()).pathname))
  page.on('request', (request) => request.url().endsWith('/api/shares/iceland') && read.push(request.url()))
  const held = Promise.withResolvers<void>()
  await page.route(/assets\/(antd|application)-/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/share/iceland', { waitUntil: 'commit' })
  await page.getByRole('banner').waitFor()
  await eventually(async () => entered.length > 0, 'the page has entered the share')
  t.ok(await page.getByRole('button', { name: 'Show link' }).isDisabled(), 'the application has not loaded yet')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download', exact: true }).click()
  t.equal(readFileSync(await (await download).path(), 'utf8'), 'x', 'but the files can be downloaded')
  const before = await placesOf(page)
  held.resolve()
  await page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
  t.same(await placesOf(page), before, 'hydration moves nothing')
  t.same(entered, ['/api/shares/iceland/token'])
  t.same(read, [], 'prerendered data is not requested again')
  t.equal(
    (await (await context.request.get('/api/shares/iceland/from-owner')).json()).views,
    viewsBefore + 1,
    'a visitor counts once after downloading a file first',
  )
  await page.context().close()
})

t.test('hydrates without layout shifts, and keeps elements and focus in any language, width and color scheme', async (t) => {
  await createShareRow(
    context,
    'north',
    { 'b.jpg': 'x', 'c.bin': 'yy', 'fjord/d.txt': 'z' },
    { name: 'The north', description: 'Look at b first.' },
  )
  for (const [language, width, path, colorScheme] of [
    ['en-US', 1280, '/share/north', 'light'],
    ['ar-EG', 360, '/share/north', 'dark'],
    ['de-DE', 768, '/share/north?folder=fjord', 'light'],
    ['en-US', 1280, '/share/north?preview=nothing', 'dark'],
  ] as const) {
    const visiting = await visitor(t, browser, url, { colorScheme, viewport: { width, height: 800 } })
    await visiting.addCookies([{ name: 'language', value: language, url }])
    const page = await visiting.newPage()
    const release = await holdApplication(page)
    await page.goto(path, { waitUntil: 'commit' })
    await page.locator('.file-link').first().waitFor()
    await eventually(
      () => page.evaluate("[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet)"),
      'the page has its styles',
    )
    await page.locator('.file-link').first().focus()
    await page.evaluate("for (const element of document.querySelectorAll('main *')) element.isFirst = true")
    const before = await placesOf(page)
    const icon = page.locator(`.avatar .icon-${colorScheme === 'dark' ? 'moon' : 'sun'}`)
    t.ok(await icon.isVisible(), 'the menu shows the color scheme of the system')
    release()
    await page.locator('.actions > button:enabled').waitFor()
    t.same(await placesOf(page), before, `${language}, ${width}`)
    t.ok(await icon.isVisible())
    t.equal(await page.locator('.avatar .icon:visible').count(), 1)
    t.equal(await page.evaluate("document.activeElement === document.querySelector('.file-link')"), true, 'the focus stays')
    const others = await page.evaluate("[...document.querySelectorAll('main *')].filter(({ isFirst }) => !isFirst).map((e) => e.outerHTML)")
    t.same(
      others,
      (others as string[]).filter((html) => html.startsWith('<p class="print-only"')),
      'nothing was rendered again',
    )
    await visiting.close()
  }
})

t.test('shows a share and opens its files and folders without JavaScript', async (t) => {
  const page = await (await visitor(t, browser, url, { javaScriptEnabled: false })).newPage()
  await page.goto('/share/north')
  t.ok(await page.getByRole('button', { name: 'Show link' }).isDisabled())
  await page.getByRole('link', { name: 'fjord', exact: true }).click()
  await page.getByRole('link', { name: 'd.txt', exact: true }).waitFor()
  await page.getByRole('link', { name: 'All files' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'c.bin', exact: true }).click()
  t.equal(readFileSync(await (await download).path(), 'utf8'), 'yy')
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await page.context().close()
})

t.test('shows the password form without a rejected call', async (t) => {
  await createShareRow(context, 'locked', { 'secret.txt': 'x' }, { name: 'Locked', security: { password: 'open it' } })
  const page = await (await visitor(t, browser, url)).newPage()
  const refused: string[] = []
  page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
  await page.goto('/share/locked')
  await page.locator('input[type=password]').fill('open it')
  await page.keyboard.press('Enter')
  await page.getByText('secret.txt').waitFor()
  t.same(refused, [])
  await page.context().close()
})

t.test('counts one view when a file is downloaded before the page has entered the share, also after a reload', async (t) => {
  await createShareRow(context, 'quick', { 'photo.bin': 'x' }, { name: 'Quick' })
  const page = await (await visitor(t, browser, url)).newPage()
  const release = await holdApplication(page)
  await page.goto('/share/quick', { waitUntil: 'commit' })
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'photo.bin', exact: true }).click()
  await (await download).path()
  release()
  const works = () => page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
  await works()
  await page.reload()
  await works()
  t.equal((await (await context.request.get('/api/shares/quick/from-owner')).json()).views, 1)
  await page.context().close()
})

t.test('finds a folder with any name, before and after hydration', async (t) => {
  await createShareRow(context, 'odd', { 'a%41b/x.bin': 'x', 'top.bin': 'y' }, { name: 'Odd' })
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/odd')
  await page.getByRole('link', { name: 'a%41b', exact: true }).click()
  await page.getByText('x.bin').waitFor()
  await page.reload()
  await page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
  t.ok(await page.getByText('x.bin').isVisible())
  t.equal(await page.getByText('top.bin').count(), 0)
  await page.context().close()
})

t.test('keeps the page, with a notice, when a part of the application does not load', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await page.route('**/assets/SharePage-*.js', (route) => route.abort())
  await page.goto('/share/iceland')
  await page.getByText('Reloading it usually helps.').waitFor()
  t.ok(await page.getByRole('link', { name: 'Download', exact: true }).isVisible())
  await page.context().close()
})

t.test('hides a share that is removed or locked while the application loads', async (t) => {
  for (const [id, end] of [
    ['short', () => context.request.delete('/api/shares/short')],
    ['shut', () => context.request.patch('/api/shares/shut', { data: { password: 'open it' } })],
  ] as const) {
    await createShareRow(context, id, { 'photo.txt': 'x' }, { name: id })
    const page = await (await visitor(t, browser, url)).newPage()
    const release = await holdApplication(page)
    await page.goto(`/share/${id}`, { waitUntil: 'commit' })
    await page.getByText('photo.txt').waitFor()
    t.equal((await end()).status(), 200)
    release()
    await (id === 'short' ? page.getByRole('heading', { name: 'Share not found' }) : page.locator('input[type=password]')).waitFor()
    t.equal(await page.getByText('photo.txt').count(), 0)
    await page.context().close()
  }
})

t.test('stores a language only when the visitor chooses it', async (t) => {
  const visiting = await visitor(t, browser, url)
  const page = await visiting.newPage()
  const stored = async () => (await visiting.cookies()).find(({ name }) => name === 'language')?.value
  await page.goto('/share/iceland')
  await page.getByRole('button', { name: 'Language and colors' }).click()
  t.equal(await stored(), undefined)
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await page
    .getByRole('link', { name: 'Alle herunterladen' })
    .or(page.getByRole('link', { name: 'Herunterladen' }))
    .first()
    .waitFor()
  t.equal(await stored(), 'de-DE')
  await visiting.close()
})

t.test('stores the language of a user in the account', async (t) => {
  const page = await context.newPage()
  await page.goto('/share/iceland')
  await page.getByRole('button', { name: 'Menu of alice' }).click()
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await page.getByRole('link', { name: 'Herunterladen' }).first().waitFor()
  const { language } = await (await context.request.get('/api/users/me')).json()
  t.equal(language, 'de-DE')
  await page.close()
})

t.test('shows the exact time of a relative one on focus', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/iceland')
  await page.locator('time[title]').focus()
  t.match(await page.locator('time').textContent(), /^in [67] days$/) // 6 if the tests before took over a minute
  t.match(await page.evaluate("getComputedStyle(document.activeElement, '::after').content"), /20\d\d at .* Coordinated Universal Time/)
  await page.context().close()
})
