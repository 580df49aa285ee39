import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { member, still } from '../support/accounts.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser.ts'
import { createShare, digestOf, download, finished, localFiles, pick } from '../support/journeys.ts'
import { startServer } from '../support/server.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice', { acceptDownloads: true })
const visitor = await (await still(t, browser, url, { acceptDownloads: true })).newPage()

/** Makes a share of small files behind the page's back. */
async function share(id: string, files: Record<string, string>, more: object = {}): Promise<void> {
  const { request } = context
  const post = async (path: string, data?: object) => {
    const answer = await request.post(`/api/shares${path}`, { data })
    if (!answer.ok()) throw new Error(await answer.text())
    return answer.json()
  }
  await post('', { id, expiration: '7-days', ...more })
  for (const [name, content] of Object.entries(files)) {
    const { id: fileId } = await post(`/${id}/files`, { name, size: content.length })
    const headers = { 'content-type': 'application/octet-stream' }
    await request.put(`/api/shares/${id}/files/${fileId}/parts/1`, { data: Buffer.from(content), headers })
    await post(`/${id}/files/${fileId}/complete`)
  }
  await post(`/${id}/complete`)
}

async function edit(id: string): Promise<void> {
  await page.goto(`/share/${id}/edit`)
  await page.getByRole('heading', { name: /^Edit/ }).waitFor()
}

async function save(): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Visitors see what you change here when you save it').waitFor()
}

const button = (name: string) => page.getByRole('button', { name, exact: true })

/** The names of the files that a page of a share lists. */
async function listed(page: Page): Promise<string[]> {
  await page.getByRole('table').waitFor()
  return page.locator('.file-link').allInnerTexts()
}

t.test('a visitor sees the old state until the new one is saved: added, removed, renamed', async (t) => {
  await share('trip', { 'old.txt': 'old', 'stays.txt': 'stays', 'photos/a.txt': 'a' }, { name: 'Trip' })
  await visitor.goto('/share/trip')
  t.same(await listed(visitor), ['photos', 'old.txt', 'stays.txt'])
  t.equal(await visitor.getByRole('link', { name: 'Edit', exact: true }).count(), 0, 'they cannot edit it')

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
  await field.fill('../b.txt')
  await page.keyboard.press('Enter')
  await page.getByText('This file name is not allowed').waitFor()
  await accessible(t, page, 'a name that is refused')
  await field.fill('photos/b.txt')
  await page.keyboard.press('Enter')
  await page.getByText('was a.txt').waitFor()
  const [added] = localFiles(t, { 'added.bin': 200_000 })
  await pick(page, [added!])
  await page.getByText('New · 200 kB').waitFor()
  await page.getByText('Visitors still see the share as it was').waitFor()
  await accessible(t, page, 'a share with changes')

  await visitor.reload()
  t.same(await listed(visitor), ['photos', 'old.txt', 'stays.txt'])
  await page.reload()
  await page.getByText('was a.txt').waitFor()
  await button('Keep old.txt').waitFor()
  await page.getByText('New · 200 kB').waitFor()
  await save()
  await visitor.reload()
  t.same(await listed(visitor), ['photos', 'added.bin', 'stays.txt'])
  const zip = digestsInZip(await download(visitor, 'Download all'))
  t.same(Object.keys(zip).sort(), ['added.bin', 'photos/b.txt', 'stays.txt'])
  t.equal(zip['added.bin'], added!.digest)
})

t.test('what is not saved stays for later, and can be discarded', async (t) => {
  await share('kept', { 'a.txt': 'a', 'b.txt': 'b' })
  await edit('kept')
  await button('Remove a.txt').click()
  await button('Keep a.txt').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Another name')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.getByRole('link', { name: 'My shares' }).click()
  await dialog.waitFor()
  await accessible(t, page, 'the question before leaving')
  await dialog.getByRole('button', { name: 'Stay here' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Another name')
  await page.getByRole('link', { name: 'My shares' }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('row').filter({ hasText: 'kept' }).getByText('Being edited').waitFor()
  await page.goto('/share/kept')
  t.same(await listed(page), ['a.txt', 'b.txt'], 'its owner sees what visitors see')
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await button('Keep a.txt').waitFor()
  await button('Discard changes').click()
  const asked = page.getByRole('dialog', { name: 'Discard your changes?' })
  await asked.waitFor()
  await accessible(t, page, 'the question before discarding')
  await asked.getByRole('button', { name: 'Discard changes' }).click()
  await button('Remove a.txt').waitFor()
  await page.getByText('Visitors see what you change here when you save it').waitFor()
  t.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('row').filter({ hasText: 'kept' }).waitFor()
  t.equal(await page.getByRole('row').filter({ hasText: 'kept' }).getByText('Being edited').count(), 0)
})

t.test('details: refused ones are named at their field; a new password locks visitors out', async (t) => {
  await share('words', { 'a.txt': 'a' }, { name: 'Old name' })
  await visitor.goto('/share/words')
  t.same(await listed(visitor), ['a.txt'])
  await edit('words')
  await page.getByLabel('Name', { exact: true }).fill('New name')
  await page.getByLabel('Description').fill('Two\nlines')
  await page.getByRole('textbox', { name: 'Password' }).fill('ab')
  await button('Change the expiration').click()
  await page.getByLabel('Number of units until it expires').and(page.locator(':focus')).fill('')
  await button('Save').click()
  await page.getByText('This field is required').waitFor()
  await page.getByText('Must be at least 3 characters').waitFor()
  await accessible(t, page, 'refused details')
  await page.getByRole('textbox', { name: 'Password' }).fill('first secret')
  await page.getByLabel('Never expires').check()
  await page.getByLabel('Maximum views').fill('9')
  await save()
  await page.getByText('Protected by a password').waitFor()
  await page.getByText('It does not expire').waitFor()

  await visitor.reload()
  await visitor.getByLabel('Password').fill('first secret')
  await visitor.getByRole('button', { name: 'Open' }).click()
  await visitor.getByRole('heading', { name: 'New name' }).waitFor()
  await button('Change the password').click()
  await page.getByRole('textbox', { name: 'Password' }).and(page.locator(':focus')).fill('second secret')
  await save()
  await visitor.reload()
  await visitor.getByLabel('Password').fill('first secret')
  await visitor.getByRole('button', { name: 'Open' }).click()
  await visitor.getByText('Invalid password').waitFor()
  await button('Remove the password').click()
  await page.getByText('It will be removed when you save').waitFor()
  await save()
  await visitor.reload()
  t.same(await listed(visitor), ['a.txt'])

  const admin = context.request
  const limit = (value: number) => admin.patch('/api/configs/admin', { data: [{ key: 'share.maxExpiration', value }] })
  await edit('words')
  await limit(24)
  await button('Change the expiration').click()
  await button('Save').click()
  await page.getByText('Expiration exceeds maximum expiration date').waitFor()
  await limit(0)
})

t.test('files that were interrupted go on from the last part when they are added again', async (t) => {
  await share('big', { 'a.txt': 'a' })
  await edit('big')
  const sent: string[] = []
  let held = true
  await page.route('**/api/shares/big/files/*/parts/*', async (route) => {
    const part = route.request().url().split('/').at(-1)!
    if (route.request().method() === 'PUT') sent.push(part)
    if (held && part !== '1') return // never answered
    await route.continue()
  })
  const [file, other] = localFiles(t, { 'big.bin': 40_000_000, 'other.txt': 10 })
  const arrived = page.waitForResponse('**/parts/1')
  await pick(page, [file!])
  await arrived
  await accessible(t, page, 'files on their way')
  t.ok(await button('Save').isDisabled(), 'it is saved when they have arrived')
  await button('Pause').click()
  await page.getByRole('heading', { name: 'Paused' }).waitFor()
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByText('First add the interrupted file again').waitFor()
  held = false
  sent.length = 0
  await pick(page, [file!, other!])
  await page.getByText('New · 10 B').waitFor()
  await page.getByText('New · 40 MB').waitFor()
  t.notOk(sent.filter((part) => part === '1').length > 1, 'what had arrived is not sent again')
  await save()
  await visitor.goto('/share/big')
  t.equal(await digestOf(await download(visitor, 'Download big.bin')), file!.digest)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

t.test('who may not edit it is told why', async (t) => {
  await share('mine', { 'a.txt': 'a' })
  const bob = await member(t, browser, url, 'bob')
  await bob.page.goto('/share/mine/edit')
  await bob.page.getByRole('heading', { name: 'This share belongs to somebody else' }).waitFor()
  await accessible(t, bob.page, 'a share of somebody else')
  await bob.page.goto('/share/nothing/edit')
  await bob.page.getByRole('heading', { name: 'Share not found' }).waitFor()
  await bob.context.request.post('/api/shares', { data: { id: 'unborn', expiration: '1-day' } })
  await bob.page.goto('/share/unborn/edit')
  await bob.page.getByRole('heading', { name: 'This share is not ready yet' }).waitFor()
  await visitor.goto('/share/mine/edit')
  await visitor.getByRole('heading', { name: 'Welcome back' }).waitFor()
  t.match(visitor.url(), /redirect=%2Fshare%2Fmine%2Fedit/)
})

t.test('on a phone, in the dark, without an account', async (t) => {
  await context.request.patch('/api/configs/admin', { data: [{ key: 'share.allowUnauthenticatedShares', value: true }] })
  const phone = await phonePage(t)
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
  await phone.getByText('Visitors see what you change here when you save it').waitFor()
  await phone.getByRole('link', { name: 'View' }).click()
  t.same(await listed(phone), [long, 'b.txt'], 'the page of the share is up to date')
})

async function phonePage(t: Test): Promise<Page> {
  const viewport = { width: 360, height: 740 }
  return (await still(t, browser, url, { viewport, isMobile: true, hasTouch: true, colorScheme: 'dark' })).newPage()
}
