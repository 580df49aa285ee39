import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { screenshots } from '../support/browser/screenshots.ts'
import { member } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice', { permissions: ['clipboard-read', 'clipboard-write'] })
const guest = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
const shot = screenshots(page)
const longLabel = 'The quality assurance department of the harbour authority, third floor, room 312'
const links = page.getByRole('region', { name: 'Links' })
const rowOf = (name: string) => links.getByRole('listitem').filter({ hasText: name })

await createShareRow(context, 'offer', { 'a.txt': 'aaa', 'b.txt': 'b' }, { name: 'Offer', expiration: '7-days' })

t.test('adds a link with its own rules on the page of a share', async (t) => {
  await page.goto('/share/offer')
  await links.getByText('First link').waitFor()
  await links.getByRole('button', { name: 'Add a link' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a link' })
  await dialog.getByLabel('Label').fill('Bob')
  await dialog.getByLabel('Download limit').fill('1')
  await accessible(t, page, 'the dialog of a new link')
  await shot('link-dialog')
  await dialog.getByRole('button', { name: 'Add a link' }).click()
  const shown = page.getByRole('dialog', { name: 'Bob' })
  const link = await shown.getByRole('textbox', { name: 'Link' }).inputValue()
  t.match(link, /\/share\/[\w-]{12}$/)
  await shown.getByRole('button', { name: 'Close' }).click()
  await rowOf('Bob').getByText('Downloads: 0 of 1').waitFor()
  await rowOf('Bob').getByRole('button', { name: 'Copy Bob' }).click()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), link)
  await guest.goto(link)
  await guest.getByRole('heading', { name: 'Offer' }).waitFor()
  await guest.getByText('It can be downloaded 1 more time.').waitFor()
  t.equal(await guest.getByRole('heading', { name: 'Links' }).count(), 0, 'visitors see no other links')
})

t.test('turns a link off, renames, replaces and deletes it', async (t) => {
  await rowOf('Bob').getByRole('switch', { name: 'Visitors can use Bob' }).click()
  await rowOf('Bob').getByText('Turned off').waitFor()
  await guest.reload()
  await guest.getByRole('heading', { name: 'This link is turned off' }).waitFor()
  await accessible(t, guest, 'the page of a link that is turned off')
  await rowOf('Bob').getByRole('button', { name: 'Edit Bob' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit link' })
  await dialog.getByLabel('Label').fill(longLabel)
  await dialog.getByRole('textbox', { name: 'Password' }).fill('secret')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await rowOf(longLabel).getByText('Password-protected').waitFor()
  await accessible(t, page, 'the links of a share')
  await shot('links')
  await page.setViewportSize({ width: 360, height: 740 })
  await fitsWidth(t, page, 'the links of a share on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  const before = await rowOf(longLabel).getByText('/share/').textContent()
  await rowOf(longLabel).getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('dialog', { name: 'Replace this link?' }).getByRole('button', { name: 'Replace' }).click()
  await page.getByText('The link was replaced').waitFor()
  await guest.goto(`http://${before}`)
  await guest.getByRole('heading', { name: 'Share not found' }).waitFor()
  await rowOf(longLabel).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete this link?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The link was deleted').waitFor()
  await rowOf(longLabel).waitFor({ state: 'detached' })
  t.equal(await rowOf('First link').getByRole('button', { name: 'Delete First link' }).count(), 0)
})

t.test('shows the links of a share in My shares', async (t) => {
  await page.goto('/account/shares')
  await page.getByRole('button', { name: 'Information on Offer' }).click()
  await page.getByRole('dialog').getByText('First link').waitFor()
  await accessible(t, page, 'the information on a share')
  await shot('information')
})
