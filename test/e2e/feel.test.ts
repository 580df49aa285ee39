import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import t from 'tap'
import { member, still } from '../support/accounts.ts'
import { openBrowser, visitor } from '../support/browser.ts'
import { makeShare } from '../support/journeys.ts'
import { startServer } from '../support/server.ts'
import { eventually } from '../support/worker.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context, page } = await member(t, browser, url, 'alice')
await makeShare(context, 'iceland', { 'photo.txt': 'x' }, { name: 'Iceland' })

t.test('a share on paper: dark on white, its link, and nothing to click', async (t) => {
  await page.goto('/share/iceland')
  await page.getByRole('heading', { name: 'Iceland' }).waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.getByText(`${url}/share/iceland`).waitFor() // by then the page is drawn for paper
  t.equal(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'), 'rgb(255, 255, 255)')
  t.equal(await page.evaluate("getComputedStyle(document.querySelector('h1')).color"), 'rgb(22, 19, 31)')
  t.equal(await page.getByRole('button', { name: 'Show link' }).isVisible(), false)
  t.ok(await page.getByText('photo.txt').isVisible())
  await page.emulateMedia({ media: null, colorScheme: null })
})

t.test('dialogs close by Escape, and the keyboard is back where it was', async (t) => {
  await page.goto('/share/iceland')
  await page.getByRole('button', { name: 'Show link' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  t.equal(await page.evaluate('document.activeElement.innerText'), 'Show link')
})

t.test('notices: five at once at the bottom right, the rest wait; one that is pointed at stays', async (t) => {
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
  await eventually(async () => (await notices.count()) === 0, 'all are gone')
  t.same(await page.evaluate('[seen.size, most]'), [7, 5])
})

t.test('no field of a phone is so small that an iPhone zooms in', async (t) => {
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
  await touched.getByRole('button', { name: 'Create share' }).click()
  await touched.getByText('Password and visitor limit').click()
  t.ok((await touched.getByRole('textbox').count()) > 2)
  t.same(await small(touched), [])
})

t.test('who wants less motion gets none', async (t) => {
  await page.goto('/upload')
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  const longest = (what: 'animationDuration' | 'transitionDuration') =>
    page.evaluate<number>(`Math.max(...[...document.querySelectorAll('*')].flatMap((element) =>
      getComputedStyle(element).${what}.split(',').map((one) => parseFloat(one) * (one.includes('ms') ? 1 : 1000))))`)
  t.ok((await longest('animationDuration')) <= 1)
  t.equal(await longest('transitionDuration'), 0, 'the shortest one makes a change of colours trickle down the page')
})

t.test('a page whose script does not come is told of, with the way on', async (t) => {
  const lost = await context.newPage()
  await lost.route('**/assets/HomePage-*.js', (route) => route.abort())
  await lost.goto('/')
  await lost.getByRole('button', { name: 'Load again' }).waitFor()
  t.ok(await lost.getByRole('heading').isVisible())
  t.ok(await lost.getByRole('banner').isVisible(), 'with the header')
  await lost.close()
})

t.test('where the application does not come the page says so', async (t) => {
  const lost = await context.newPage()
  await lost.route('**/assets/application-*.js', (route) => route.abort())
  await lost.goto('/')
  await lost.getByText('Loading it again usually helps.').waitFor()
  t.ok(await lost.getByRole('banner').isVisible(), 'with the header')
  await lost.close()
})

t.test("where antd's styles do not come the page is shown without them", async (t) => {
  const plain = await context.newPage()
  await plain.route(/assets\/(antd|application|form)-[\w-]{8}\.css/, (route) => route.abort())
  await plain.goto('/share/iceland')
  await plain.getByRole('heading', { name: 'Iceland' }).waitFor()
  await plain.locator('button:enabled', { hasText: 'Show link' }).waitFor() // by the application, after it has tried once more
  t.ok(await plain.getByText('photo.txt').isVisible())
  await plain.close()
})

t.test(
  'a share is seen, and its files can be had, before the application has come; meanwhile it is entered, by one call that counts one view',
  async (t) => {
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
    await eventually(async () => entered.length > 0, 'the share is entered')
    t.ok(await page.getByRole('button', { name: 'Show link' }).isDisabled(), 'the application is not there yet')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download', exact: true }).click()
    t.equal(readFileSync(await (await download).path(), 'utf8'), 'x', 'but the files are')
    const before = await placesOf(page)
    held.resolve()
    await page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
    t.same(await placesOf(page), before, 'and nothing moves when it comes')
    t.same(entered, ['/api/shares/iceland/token'])
    t.same(read, [], 'what the page came with is not asked for again')
    t.equal(
      (await (await context.request.get('/api/shares/iceland/from-owner')).json()).views,
      viewsBefore + 1,
      'who took a file first is no second visitor',
    )
    await page.context().close()
  },
)

t.test('what is seen first is what stays, in any language and width', async (t) => {
  await makeShare(
    context,
    'north',
    { 'b.jpg': 'x', 'c.bin': 'yy', 'fjord/d.txt': 'z' },
    { name: 'The north', description: 'Look at b first.' },
  )
  for (const [language, width, path] of [
    ['en-US', 1280, '/share/north'],
    ['ar-EG', 360, '/share/north'],
    ['de-DE', 768, '/share/north?folder=fjord'],
  ] as const) {
    const visiting = await visitor(t, browser, url)
    await visiting.addCookies([{ name: 'language', value: language, url }])
    const page = await visiting.newPage()
    await page.setViewportSize({ width, height: 800 })
    const lost = await visiting.newPage()
    await lost.setViewportSize({ width, height: 800 })
    await lost.route(/assets\/react-/, (route) => route.abort())
    await lost.goto(path)
    await lost.locator('main > p').waitFor()
    await lost.evaluate("document.querySelector('main > p').remove()")
    await page.goto(path)
    await page.locator('#content .file-table').waitFor()
    t.same(await placesOf(lost), await placesOf(page), `${language}, ${width}`)
    await visiting.close()
  }
})

t.test('who takes a file before the page has entered the share is one visitor, also after a reload', async (t) => {
  await makeShare(context, 'quick', { 'photo.bin': 'x' }, { name: 'Quick' })
  const page = await (await visitor(t, browser, url)).newPage()
  const held = Promise.withResolvers<void>()
  await page.route(/assets\/main-.*js/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/share/quick', { waitUntil: 'commit' })
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'photo.bin', exact: true }).click()
  await (await download).path()
  held.resolve()
  const works = () => page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
  await works()
  await page.reload()
  await works()
  t.equal((await (await context.request.get('/api/shares/quick/from-owner')).json()).views, 1)
  await page.context().close()
})

t.test('a folder is found whatever its name, before and after the application has come', async (t) => {
  await makeShare(context, 'odd', { 'a%41b/x.bin': 'x', 'top.bin': 'y' }, { name: 'Odd' })
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/odd')
  await page.getByRole('button', { name: 'a%41b' }).click()
  await page.getByText('x.bin').waitFor()
  await page.reload()
  await page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
  t.ok(await page.getByText('x.bin').isVisible())
  t.equal(await page.getByText('top.bin').count(), 0)
  await page.context().close()
})

t.test('where a part of the application does not come, what was seen first stays, and it is told', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await page.route('**/assets/SharePage-*.js', (route) => route.abort())
  await page.goto('/share/iceland')
  await page.getByText('Loading it again usually helps.').waitFor()
  t.ok(await page.getByRole('link', { name: 'Download', exact: true }).isVisible())
  await page.context().close()
})

t.test('a share that is removed or locked while the application is on its way is told of', async (t) => {
  for (const [id, end] of [
    ['short', () => context.request.delete('/api/shares/short')],
    ['shut', () => context.request.patch('/api/shares/shut', { data: { password: 'open it' } })],
  ] as const) {
    await makeShare(context, id, { 'photo.txt': 'x' }, { name: id })
    const page = await (await visitor(t, browser, url)).newPage()
    const held = Promise.withResolvers<void>()
    await page.route(/assets\/main-.*js/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`/share/${id}`, { waitUntil: 'commit' })
    await page.getByText('photo.txt').waitFor()
    t.equal((await end()).status(), 200)
    held.resolve()
    await (id === 'short' ? page.getByRole('heading', { name: 'Share not found' }) : page.locator('input[type=password]')).waitFor()
    t.equal(await page.getByText('photo.txt').count(), 0)
    await page.context().close()
  }
})

/** Where the parts of a share are, in CSS pixels. */
async function placesOf(page: Page) {
  const parts = page.locator(
    'h1, .facts, .actions > a, .actions > button, .files, thead th, tbody tr, .file-link, .file-size, .row-actions > *',
  )
  const places = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
  return places.map((place) => place && Object.values(place).map(Math.round))
}
