import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import {
  createShare,
  createShareRow,
  download,
  edit,
  enter,
  finished,
  listed,
  localFiles,
  pick,
  save,
} from '../support/browser/journeys.ts'
import { member, still } from '../support/people/accounts.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice', { acceptDownloads: true })
const visitor = await (await still(t, browser, url, { acceptDownloads: true })).newPage()

const button = (name: string) => page.getByRole('button', { name, exact: true })

t.test('shows a visitor the old state until additions, removals and renames are saved', async (t) => {
  await createShareRow(context, 'trip', { 'old.txt': 'old', 'stays.txt': 'stays', 'photos/a.txt': 'a' }, { name: 'Trip' })
  await visitor.goto('/share/trip')
  t.same(await listed(visitor), ['photos', 'old.txt', 'stays.txt'])
  t.equal(await visitor.getByRole('link', { name: 'Edit', exact: true }).count(), 0, 'visitors cannot edit it')

  await page.goto('/account/shares')
  await page.getByRole('link', { name: 'Edit Trip' }).click()
  await page.getByRole('heading', { name: 'Edit “Trip”' }).waitFor()
  await accessible(t, page, 'the page to edit a share')
  await button('Remove old.txt').click()
  await button('Keep old.txt').and(page.locator(':focus')).click()
  await button('Remove old.txt').and(page.locator(':focus')).click()
  await button('Keep old.txt').waitFor()
  await button('Rename photos/a.txt').click()
  const field = page.getByLabel('New name of photos/a.txt')
  await enter(field, '../b.txt')
  await page.getByText('This file name is not allowed').waitFor()
  await enter(field, 'photos/b.txt')
  await page.getByText('was a.txt').waitFor()
  const [added] = localFiles(t, { 'added.bin': 200_000 })
  await pick(page, [added!])
  await page.getByText('New · 200 kB').waitFor()
  await pick(page, localFiles(t, { 'stays.txt': 6 }))
  await page.getByText('New · 6 B').waitFor()
  await button('Remove stays (1).txt').click()
  await button('Remove stays (1).txt').waitFor({ state: 'detached' })
  await page.getByText('Visitors still see the share as it was').waitFor()
  await accessible(t, page, 'a share with changes')

  await visitor.reload()
  t.same(await listed(visitor), ['photos', 'old.txt', 'stays.txt'])
  await page.reload()
  await page.getByText('was a.txt').waitFor()
  await button('Keep old.txt').waitFor()
  await page.getByText('New · 200 kB').waitFor()
  await save(page)
  await visitor.reload()
  t.same(await listed(visitor), ['photos', 'added.bin', 'stays.txt'])
  const zip = digestsInZip(await download(visitor, 'Download all'))
  t.same(Object.keys(zip).sort(), ['added.bin', 'photos/b.txt', 'stays.txt'])
  t.equal(zip['added.bin'], added!.digest)
})

t.test('keeps unsaved changes for later and can discard them', async (t) => {
  await createShareRow(context, 'kept', { 'a.txt': 'a', 'b.txt': 'b' })
  await edit(page, 'kept')
  await button('Remove a.txt').click()
  await button('Keep a.txt').waitFor()
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('row').filter({ hasText: 'kept' }).getByText('Draft').waitFor()
  await edit(page, 'kept')
  await page.getByLabel('Title', { exact: true }).fill('Another name')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.getByRole('link', { name: 'My shares' }).click()
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Stay here' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'Another name')
  await page.getByRole('link', { name: 'My shares' }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('row').filter({ hasText: 'kept' }).getByText('Draft').waitFor()
  await page.goto('/share/kept')
  t.same(await listed(page), ['a.txt', 'b.txt'], 'the owner sees what visitors see')
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await button('Keep a.txt').waitFor()
  await button('Discard changes').click()
  const asked = page.getByRole('dialog', { name: 'Discard your changes?' })
  await asked.waitFor()
  await accessible(t, page, 'the question before discarding')
  await asked.getByRole('button', { name: 'Discard changes' }).click()
  await button('Remove a.txt').waitFor()
  await page.getByText('Changes go live when you save.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('row').filter({ hasText: 'kept' }).waitFor()
  t.equal(await page.getByRole('row').filter({ hasText: 'kept' }).getByText('Draft').count(), 0)
})

t.test('edits on a phone, in dark mode, without an account', async (t) => {
  await context.request.patch('/api/configs/admin', { data: [{ key: 'share.allowUnauthenticatedShares', value: true }] })
  const viewport = { width: 360, height: 740 }
  const phone = await (await still(t, browser, url, { viewport, isMobile: true, hasTouch: true, colorScheme: 'dark' })).newPage()
  await phone.goto('/upload')
  const long = 'a name that is much longer than a phone is wide, and then some more of it 2026-07-14 18.33.22.jpeg'
  await pick(phone, localFiles(t, { [long]: 3_000 }))
  await createShare(phone, { name: 'Guest' })
  await phone.goto(await finished(phone))
  await phone.getByRole('link', { name: 'Edit', exact: true }).click()
  await phone.getByRole('heading', { name: 'Edit “Guest”' }).waitFor()
  await fitsWidth(t, phone, 'the page to edit a share')
  await pick(phone, localFiles(t, { 'b.txt': 20 }))
  await phone.getByText('New · 20 B').waitFor()
  await phone.getByRole('button', { name: `Rename ${long}` }).click()
  await fitsWidth(t, phone, 'a share with changes')
  await accessible(t, phone, 'a share with changes on a phone')
  await phone.keyboard.press('Escape')
  await phone.getByRole('button', { name: 'Save', exact: true }).click()
  await phone.getByText('Changes go live when you save.').waitFor()
  await phone.getByRole('link', { name: 'View' }).click()
  t.same(await listed(phone), [long, 'b.txt'], 'the page of the share is up to date')
})
