import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { manyFiles, manyReverseShares, manyShares, manyUsers } from '../support/many.ts'
import { member } from '../support/people/accounts.ts'
import { inDatabase } from '../support/postgres.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url, database } = await startServer(t)
const browser = await openBrowser(t)
const { page } = await member(t, browser, url, 'alice')
await inDatabase(database, async (client) => {
  await manyShares(client, 'alice', 10_000)
  await manyFiles(client, 'alice', 'folders', 5_000, 300)
  await manyFiles(client, 'alice', 'flat', 5_000)
  await manyFiles(client, 'alice', 'prerendered', 500)
  await manyUsers(client, 1_000)
  await manyReverseShares(client, 'alice', 2_000, 6)
})
const shots = process.env.SHOTS

/** Asserts that the page has few elements for any length of the list, and fits a phone. */
async function light(t: Test, page: Page, name: string): Promise<void> {
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length")
  t.ok(elements < 3_000, `${name} takes ${elements} elements`)
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await fitsWidth(t, page, `${name} at ${width}`)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      if (shots) await page.screenshot({ path: `${shots}/${name.replaceAll(' ', '-')}-${width}-${colorScheme}.png` })
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** Replaces the page number of the list with another one. */
async function goTo(page: Page, number: number): Promise<void> {
  const field = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('textbox')
  await field.fill(String(number))
  await field.press('Enter')
}

t.test('shows ten thousand shares in pages, reachable by page number and by search', async (t) => {
  const sizes: number[] = []
  page.on('response', async (answer) => answer.url().includes('/api/shares?') && sizes.push((await answer.body()).length))
  await page.goto('/account/shares')
  await page.getByText('Trip 00001').waitFor()
  await light(t, page, 'own shares')
  await accessible(t, page, 'own shares')
  await goTo(page, 401)
  await page.getByText('Trip 10000').waitFor()
  t.equal(await page.evaluate('document.activeElement.value'), '401', 'the focus stays in place')
  await goTo(page, 1)
  await page.getByText('Trip 00001').waitFor()
  await page.getByRole('searchbox').fill('trip 09876')
  await page.getByText('Trip 09876').waitFor()
  t.equal(await page.getByRole('row').count(), 2)
  t.ok(Math.max(...sizes) < 20_000, `at most ${Math.max(...sizes)} bytes per response`)
  await page.getByRole('searchbox').fill('flat')
  await page.getByRole('button', { name: 'Information on The share flat' }).click()
  await page.getByRole('dialog').getByText('photo 1 of the island.jpg').waitFor()
  await page.getByText('and 4500 more').waitFor()
  await light(t, page, 'what is known of a large share')
})

t.test('shows long lists to an administrator', async (t) => {
  await page.goto('/admin/shares')
  await page.getByRole('row').nth(25).waitFor()
  await light(t, page, 'all shares')
  await page.getByRole('searchbox').fill('trip 09876')
  await page.getByText('Trip 09876').waitFor()
  await page.goto('/admin/users')
  await page.getByText('user.00001', { exact: true }).waitFor()
  await light(t, page, 'users')
  await goTo(page, 41)
  await page.getByText('user.01000', { exact: true }).waitFor()
})

t.test('shows two thousand reverse shares and their received shares', async (t) => {
  await page.goto('/account/reverseShares')
  await page.getByRole('heading', { name: 'Request 00001' }).waitFor()
  await light(t, page, 'reverse shares')
  const first = page.getByRole('listitem', { name: 'Request 00001' })
  t.equal(await first.getByText(/^Sender/).count(), 5)
  await first.getByRole('button', { name: 'Show 1 more' }).click()
  await first.getByText('Sender 6').waitFor()
  await goTo(page, 200)
  await page.getByRole('heading', { name: 'Request 02000' }).waitFor()
})

t.test('renders only the visible rows of five thousand files, and reaches the last row and any search result', async (t) => {
  await page.context().addCookies([{ name: 'file_view', value: 'list', url }]) // photos are shown in a grid otherwise
  await page.goto('/share/flat')
  const rows = page.getByRole('row')
  await page.getByText('photo 1 of the island.jpg').waitFor()
  await page.getByRole('searchbox', { name: 'Search files' }).waitFor() // all files are loaded
  t.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '5001')
  await light(t, page, 'a share of 5000 files')
  await accessible(t, page, 'a share of 5000 files')
  await page.setViewportSize({ width: 360, height: 800 })
  const nameWidth = async () => (await page.locator('.file-words').first().boundingBox())?.width ?? 0
  await eventually(async () => (await nameWidth()) > 130, 'a name has enough space on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('End')
  await page.getByText('photo 5000 of the island.jpg').waitFor()
  t.equal(await rows.last().getAttribute('aria-rowindex'), '5001')
  await light(t, page, 'the end of 5000 files')
  await page.getByRole('searchbox', { name: 'Search files' }).fill('PHOTO 4321')
  await page.getByText('photo 4321 of the island.jpg').waitFor()
  t.equal(await rows.count(), 2)
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No file matches your search.').waitFor()
})

t.test('moves through the list by keyboard, and keeps the focus when the row is scrolled out of view', async (t) => {
  await page.goto('/share/flat')
  await page.getByRole('searchbox', { name: 'Search files' }).waitFor() // all files are loaded
  await page.getByRole('link', { name: 'Download photo 1 of the island.jpg' }).focus()
  for (let row = 0; row < 40; row++) for (let stop = 0; stop < 4; stop++) await page.keyboard.press('Tab')
  const at = () => page.evaluate("document.activeElement.getAttribute('aria-label')")
  t.equal(await at(), 'Download photo 41 of the island.jpg')
  await page.evaluate('scrollTo(0, 200000)')
  await page.getByText('photo 3500 of the island.jpg').waitFor()
  t.equal(await at(), 'Download photo 41 of the island.jpg')
})

t.test('keeps the keyboard focus when virtual rows replace the first rows', async (t) => {
  const visiting = await page.context().newPage()
  const held = Promise.withResolvers<void>()
  await visiting.route(/assets\/main-.*js/, async (route) => {
    await held.promise
    await route.continue()
  })
  await visiting.goto('/share/prerendered', { waitUntil: 'commit' })
  const link = visiting.getByRole('link', { name: 'Download photo 30 of the island.jpg' })
  await link.waitFor()
  await visiting.evaluate('document.querySelector(\'[data-index="29"] [download]:last-child\').focus({ preventScroll: true })')
  await visiting.evaluate('window.focusedBefore = document.activeElement')
  held.resolve()
  await visiting.locator('.file-gap').first().waitFor()
  await visiting.locator('.row-actions button:enabled').first().waitFor()
  t.equal(await visiting.evaluate('document.activeElement === focusedBefore'), true)
  t.equal(await visiting.locator('tr[data-index="28"]').count(), 0, 'other rows out of view are removed')
  await visiting.close()
})

t.test('shows files in three hundred folders', async (t) => {
  await page.goto('/share/folders')
  await page.locator('.file-gap').waitFor()
  await light(t, page, 'a share of 300 folders')
  const last = page.getByRole('link', { name: 'Folder 300', exact: true })
  while (!(await last.isVisible())) await page.keyboard.press('End') // rows that are measured meanwhile move the end
  await last.click()
  await page.getByText('photo 299 of the island.jpg').waitFor()
  await page.getByRole('searchbox').fill('folder 7/photo 4806')
  await page.getByText('Folder 7/photo 4806 of the island.jpg').waitFor()
})

t.test('accepts five thousand files dropped at once, and edits five thousand', async (t) => {
  await page.goto('/upload')
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  await page.evaluate(`{
    const dataTransfer = new DataTransfer()
    for (let n = 1; n <= 5000; n++) dataTransfer.items.add(new File(['x'], 'dropped ' + n + '.jpg'))
    dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  }`)
  const list = page.getByRole('region', { name: 'Files', exact: true })
  await page.getByText('dropped 1.jpg').waitFor()
  await light(t, page, 'a choice of 5000 files')
  await list.focus()
  await page.keyboard.press('End')
  await page.getByText('dropped 5000.jpg').waitFor()
  await page.goto('/share/flat/edit')
  await list.focus()
  await light(t, page, 'editing 5000 files')
  await page.keyboard.press('End')
  await page.getByTitle('photo 5000 of the island.jpg').waitFor()
})
