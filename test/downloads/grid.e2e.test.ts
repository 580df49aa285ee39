import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow, openShare } from '../support/browser/journeys.ts'
import { member } from '../support/people/accounts.ts'
import { png } from '../support/png.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context } = await member(t, browser, url, 'alice')
const picture = png(60, 40, (x, y) => [x * 4, y * 6, 120, 255])
const album = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index + 1}.png`, picture]))
await createShareRow(context, 'album', { ...album(12), 'more/notes.txt': 'x' }, { name: 'Album' })

t.test('shows pictures as a grid and other files as a list, and remembers the choice', async (t) => {
  await createShareRow(context, 'papers', { 'a.txt': 'a', 'b.txt': 'b' })
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/papers')
  await page.getByRole('table').waitFor()
  await page.goto('/share/album')
  await page.locator('.file-grid').waitFor()
  t.equal(await page.getByRole('table').count(), 0)
  await eventually(() => page.evaluate<boolean>("document.querySelectorAll('.tile-frame img').length === 12"), 'every picture is shown')
  await accessible(t, page, 'the grid')
  await page.getByRole('button', { name: 'Show as list' }).click()
  await page.getByRole('table').waitFor()
  await page.reload()
  await page.getByRole('table').waitFor()
  t.equal(await page.locator('.file-grid').count(), 0)
  await page.getByRole('button', { name: 'Show as grid' }).click()
  await page.goto('/share/papers')
  await page.locator('.file-grid').waitFor()
  await page.context().close()
})

t.test('hydrates the grid without moving or rendering anything again', async (t) => {
  for (const width of [1280, 360]) {
    const page = await (await visitor(t, browser, url, { viewport: { width, height: 800 } })).newPage()
    const held = Promise.withResolvers<void>()
    await page.route(/assets\/main-.*js/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto('/share/album', { waitUntil: 'commit' })
    await page.locator('.file-grid li').first().waitFor()
    await eventually(
      () => page.evaluate<boolean>("getComputedStyle(document.querySelector('.file-grid')).display === 'grid'"),
      'the styles apply',
    )
    await page.evaluate("for (const element of document.querySelectorAll('main *')) element.isFirst = true")
    const places = () =>
      page.evaluate<string>("JSON.stringify([...document.querySelectorAll('.file-grid li')].map((tile) => tile.getBoundingClientRect()))")
    const before = await places()
    held.resolve()
    await page.locator('button:enabled', { hasText: 'Show link' }).waitFor()
    t.equal(await places(), before, `${width}`)
    t.equal(await page.evaluate("[...document.querySelectorAll('.file-grid *')].filter(({ isFirst }) => !isFirst).length"), 0)
    await fitsWidth(t, page, 'the grid')
    await page.context().close()
  }
})

t.test('opens the viewer from the grid, selects there, and shows folders', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await openShare(page, 'album')
  await page.getByRole('link', { name: '2.png', exact: true }).click()
  await page.getByRole('dialog').getByText('2 of 12').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: 'Select 3.png', exact: true }).check()
  await page.getByRole('link', { name: '5.png', exact: true }).click({ modifiers: ['Shift'] })
  await page.getByRole('region', { name: 'Selection' }).getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByRole('link', { name: /^more/ }).click()
  await page.getByText('notes.txt').waitFor()
  await page.context().close()
})

t.test('renders only the visible tiles of many, and keeps the focus', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  const { id, files, ...share } = await (await context.request.get('/api/shares/album')).json()
  const many = Array.from({ length: 5_000 }, (_, index) => ({ ...files[0], id: `${index}`, name: `${index}.png` }))
  await page.route('**/api/shares/album', (route) => route.fulfill({ json: { id, ...share, files: many } }))
  await page.route('**/share/album', async (route) => {
    const { 'sec-fetch-mode': _, ...headers } = route.request().headers()
    await route.fulfill({ response: await route.fetch({ headers }) }) // without the share in the page
  })
  await page.route('**/files/*', (route) => route.fulfill({ contentType: 'image/png', body: picture }))
  await page.goto('/share/album')
  const tiles = page.locator('.file-grid li')
  await eventually(
    async () => (await tiles.count()) > 0 && (await page.evaluate<number>('document.body.scrollHeight')) > 100_000,
    'the whole height is reserved',
  )
  t.ok((await tiles.count()) < 150, `${await tiles.count()} tiles`)
  await tiles.first().getByRole('link').focus()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.getByText('4999.png').waitFor()
  t.ok((await tiles.count()) < 150)
  t.equal(await page.evaluate("document.activeElement.closest('li')?.dataset.key"), '0', 'the focused tile is kept')
  t.equal(await tiles.last().getAttribute('aria-setsize'), '5000')
  await page.context().close()
})
