import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { member } from '../support/people/accounts.ts'
import { png } from '../support/png.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice', { permissions: ['clipboard-read', 'clipboard-write'] })
const names = () => page.getByRole('rowheader').getByRole('link').allInnerTexts()
const shot = async (name: string) => {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Chooses an option of one of the select fields above the list. */
async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click()
  await page.locator('.ant-select-item').getByText(option, { exact: true }).click()
}

async function lists(...expected: string[]): Promise<void> {
  await eventually(async () => (await page.locator('tbody .share-name').allInnerTexts()).join() === expected.join(), `lists ${expected}`)
}

await createShareRow(context, 'zoo', { 'a.txt': 'aaa' }, { name: 'Zoo', expiration: '1-day' })
await createShareRow(context, 'ape', { 'a.txt': 'a' }, { name: 'Ape', security: { password: 'secret' }, expiration: '30-days' })
await createShareRow(context, 'mole', { 'a.txt': 'aa' }, { name: 'Mole', expiration: 'never' })

t.test('sorts and filters shares', async (t) => {
  await page.goto('/account/shares')
  await lists('Mole', 'Ape', 'Zoo')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await lists('Ape', 'Mole', 'Zoo')
  await page.getByRole('button', { name: 'Size', exact: true }).click()
  await lists('Zoo', 'Mole', 'Ape')
  await choose(page, 'Show', 'Password-protected')
  await lists('Ape')
  await choose(page, 'Show', 'Closed to visitors')
  await page.getByText('No shares match this filter.').waitFor()
  await choose(page, 'Show', 'All shares')
  await lists('Zoo', 'Mole', 'Ape')
  await accessible(t, page, 'the sorted list')
})

t.test('deletes a share without a question, and undoes it', async (t) => {
  await page.getByRole('button', { name: 'Delete Mole' }).click()
  await lists('Zoo', 'Ape')
  await page.getByText('The share was deleted').waitFor()
  await accessible(t, page, 'the notice with Undo')
  await shot('undo')
  t.equal((await context.request.get('/api/shares/mole/from-owner')).status(), 404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The share was restored').waitFor()
  await lists('Zoo', 'Mole', 'Ape')
})

t.test('copies, extends, deletes and restores selected shares', async (t) => {
  await page.getByRole('checkbox', { name: 'Select Zoo' }).check()
  await page.getByRole('checkbox', { name: 'Select all shares on this page' }).check()
  await page.getByText('3 shares selected').waitFor()
  await accessible(t, page, 'selected shares')
  await shot('selection')
  await page.getByRole('checkbox', { name: 'Select Ape' }).uncheck()
  await page.getByRole('button', { name: 'Copy links' }).click()
  await page.getByText('2 links were copied').waitFor()
  t.same(await page.evaluate('navigator.clipboard.readText()'), `${url}/share/zoo\n${url}/share/mole`)

  await page.getByRole('button', { name: 'Extend' }).click()
  const dialog = page.getByRole('dialog', { name: 'Extend 2 shares' })
  await dialog.getByText('90 days').click()
  await accessible(t, page, 'the dialog to extend shares')
  await shot('extend')
  await dialog.getByRole('button', { name: 'Extend' }).click()
  await page.getByText('The share was extended').waitFor()
  await page.getByText('in 90 days').or(page.getByText('in 2 months')).first().waitFor()

  await page.getByRole('checkbox', { name: 'Select all shares on this page' }).check()
  await page.getByRole('region', { name: 'Selected shares' }).getByRole('button', { name: 'Delete', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Delete 3 shares?' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Nothing shared yet' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await lists('Zoo', 'Mole', 'Ape')
})

t.test('shows the first pictures of a share, and no broken ones', async (t) => {
  const picture = png(60, 40, (x, y) => [x * 4, y * 6, 120, 255])
  const pictures = Object.fromEntries(['1.png', '2.png', '3.png', '4.png', '5.png'].map((name) => [name, picture]))
  await createShareRow(context, 'album', pictures, { name: 'Album', security: { password: 'secret' } })
  await createShareRow(context, 'broken', { 'broken.png': 'no picture' }, { name: 'Broken' })
  await page.reload()
  await lists('Broken', 'Album', 'Mole', 'Ape', 'Zoo')
  const visible = () =>
    page.evaluate<number>(
      "[...document.querySelectorAll('.share-pictures img')].filter((img) => img.checkVisibility() && img.naturalWidth > 0).length",
    )
  await eventually(async () => (await visible()) === 1, 'one picture in the list')
  await eventually(async () => (await page.locator('.share-pictures img').count()) === 4, 'the broken one is replaced')
  await shot('pictures')
  await page.getByRole('button', { name: 'Show as grid' }).click()
  await eventually(async () => (await visible()) === 4, 'four pictures on a card')
  await accessible(t, page, 'pictures on cards')
  await shot('pictures-grid')
  await page.getByRole('button', { name: 'Show as list' }).click()
  for (const id of ['album', 'broken']) await context.request.delete(`/api/shares/${id}`)
  await page.reload()
  await lists('Mole', 'Ape', 'Zoo')
})

t.test('shows shares as a grid, remembers it, and fits a phone', async (t) => {
  await page.getByRole('button', { name: 'Show as grid' }).click()
  await choose(page, 'Sort by', 'Name, A to Z')
  await lists('Ape', 'Mole', 'Zoo')
  await shot('grid')
  await accessible(t, page, 'the grid')
  await page.reload()
  await page.getByRole('button', { name: 'Show as list' }).waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('checkbox', { name: 'Select Zoo' }).check()
  await fitsWidth(t, page, 'a selection on a phone')
  await accessible(t, page, 'a selection on a phone')
  await shot('phone')
  t.equal((await names()).length, 3)
})
