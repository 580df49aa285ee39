import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow, download } from '../support/browser/journeys.ts'
import { member } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context } = await member(t, browser, url, 'alice')
await createShareRow(context, 'trip', {
  'a.txt': 'a',
  'b.txt': 'bb',
  'c.txt': 'ccc',
  'd.txt': 'dddd',
  'photos/1.bin': 'one',
  'photos/deep/2.bin': 'two',
})

const namesIn = (zip: string) => execFileSync('unzip', ['-Z1', zip], { encoding: 'utf8' }).trim().split('\n').sort()
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
async function downloadSelected(page: Page): Promise<string> {
  const begun = page.waitForEvent('download')
  await bar(page).getByRole('button', { name: 'Download' }).click()
  return (await begun).path()
}

t.test('downloads selected files and folders as one zip', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/trip')
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
  await page.getByRole('row', { name: /b\.txt/ }).hover()
  await box('b.txt').check()
  await bar(page).getByText('1 selected').waitFor()
  await box('photos').check()
  await bar(page).getByText('3 selected').waitFor()
  await bar(page).getByText('8 B').waitFor()
  await accessible(t, page, 'a selection')
  t.same(namesIn(await downloadSelected(page)), ['b.txt', 'photos/1.bin', 'photos/deep/2.bin'])
  await page.getByRole('link', { name: 'photos', exact: true }).click({ modifiers: [] })
  await bar(page).getByText('b.txt').waitFor({ state: 'hidden' })
  await page.context().close()
})

t.test('selects a range with Shift, everything, and nothing', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/trip')
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
  await page.getByRole('checkbox', { name: 'Select a.txt', exact: true, disabled: false }).focus()
  await page.keyboard.press('Space')
  await box('c.txt').click({ modifiers: ['Shift'] })
  await bar(page).getByText('3 selected').waitFor()
  await bar(page).getByRole('button', { name: 'Select all' }).click()
  await bar(page).getByText('6 selected').waitFor()
  await box('photos').uncheck()
  await bar(page).getByText('4 selected').waitFor()
  await bar(page).getByRole('button', { name: 'Clear selection' }).click()
  await bar(page).waitFor({ state: 'hidden' })
  t.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
  await page.getByRole('link', { name: 'photos', exact: true }).click({ modifiers: ['Shift'] })
  await bar(page).getByText('2 selected').waitFor()
  await bar(page).getByRole('button', { name: 'Clear selection' }).click()
  await box('d.txt').check()
  t.equal(readFileSync(await downloadSelected(page), 'utf8'), 'dddd', 'one file is downloaded as it is')
  await page.context().close()
})

t.test('selects by tapping on a phone, also files of several folders', async (t) => {
  const phone = await visitor(t, browser, url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  const page = await phone.newPage()
  await page.goto('/share/trip')
  await page.getByRole('button', { name: 'Select', exact: true }).tap()
  await page.getByText('a.txt').tap()
  await bar(page).getByText('1 selected').waitFor()
  await page.goto('/share/trip') // a new page, a new selection
  await page.getByRole('link', { name: 'photos', exact: true }).tap()
  await page.getByRole('button', { name: 'Select', exact: true }).tap()
  await page.getByText('1.bin').tap()
  await page.getByRole('link', { name: 'All files' }).tap()
  await page.getByText('a.txt').tap()
  await bar(page).getByText('2 selected').waitFor()
  await fitsWidth(t, page, 'a selection on a phone')
  await accessible(t, page, 'a selection on a phone')
  t.same(namesIn(await downloadSelected(page)), ['a.txt', 'photos/1.bin'])
  await phone.close()
})

t.test('downloads one folder as a zip, without JavaScript too', async (t) => {
  const page = await (await visitor(t, browser, url, { javaScriptEnabled: false })).newPage()
  await page.goto('/share/trip')
  t.same(namesIn(await download(page, 'Download photos')), ['photos/1.bin', 'photos/deep/2.bin'])
  await page.context().close()
})

t.test('reports that selected files were removed meanwhile', async (t) => {
  await createShareRow(context, 'changing', { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/share/changing')
  for (const name of ['a.txt', 'b.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  const [first] = (await (await context.request.get('/api/shares/changing')).json()).files
  await context.request.delete(`/api/shares/changing/files/${first.id}`)
  await bar(page).getByRole('button', { name: 'Download' }).click()
  await bar(page).getByText('Some of the selected files were removed or replaced').waitFor()
  await page.context().close()
})

t.test('explains why a limited download of selected files is refused', async (t) => {
  await createShareRow(context, 'few', { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }, { security: { maxDownloads: 1 } })
  const page = await (await visitor(t, browser, url)).newPage()
  const other = await (await visitor(t, browser, url)).newPage()
  for (const opened of [page, other]) {
    await opened.goto('/share/few')
    for (const name of ['a.txt', 'b.txt']) await opened.getByRole('checkbox', { name: `Select ${name}` }).check()
  }
  t.same(namesIn(await downloadSelected(page)), ['a.txt', 'b.txt'])
  await bar(other).getByRole('button', { name: 'Download' }).click()
  await bar(other).getByText('Download limit reached').waitFor()
  await page.context().close()
  await other.context().close()
})
