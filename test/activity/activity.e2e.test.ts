import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { screenshots } from '../support/browser/screenshots.ts'
import { member } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice')
const guest = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
const other = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
const shot = screenshots(page)
const longName = 'Final drawings of the harbour wall with all corrections of the third round and the invoices.txt'

t.test('shows a download to the sender without a reload', async (t) => {
  await createShareRow(context, 'offer', { [longName]: 'aaa', 'b.txt': 'b' }, { name: 'Offer' })
  await page.goto('/share/offer')
  const activity = page.getByRole('region', { name: 'Activity' })
  await activity.getByText('No one has opened this share yet.').waitFor()
  await accessible(t, page, 'the page of a share without activity')
  await guest.goto('/share/offer')
  const download = guest.waitForEvent('download')
  await guest.getByRole('link', { name: `Download ${longName}` }).click()
  t.equal(await (await download).failure(), null)
  await activity.getByText(`Downloaded: ${longName}`).waitFor()
  await activity.getByText('Opened', { exact: true }).waitFor()
  await activity.getByText('Chrome on Linux').first().waitFor()
  await page.getByRole('region', { name: 'Links' }).getByText('Downloads: 1').waitFor()
  const zip = guest.waitForEvent('download')
  await guest.getByRole('link', { name: 'Download all' }).click()
  await (await zip).failure()
  await activity.getByText('Downloaded: all files as a ZIP').waitFor()
  await accessible(t, page, 'the activity of a share')
  await fitsWidth(t, page, 'the activity of a share')
  await shot('activity')
  const csv = page.waitForEvent('download')
  await activity.getByRole('link', { name: 'Download as CSV' }).click()
  t.equal((await csv).suggestedFilename(), 'activity-offer.csv')
})

t.test('explains to a visitor why a one-time download is refused', async (t) => {
  await createShareRow(context, 'once', { 'a.txt': 'aaa' }, { name: 'Once', security: { maxDownloads: 1 } })
  await other.goto('/share/once')
  await guest.goto('/share/once')
  await guest.getByText('It can be downloaded 1 more time.').waitFor()
  const download = guest.waitForEvent('download')
  await guest.getByRole('link', { name: 'Download', exact: true }).click()
  t.equal(await (await download).failure(), null)
  await other.getByRole('link', { name: 'Download', exact: true }).click()
  await other.getByRole('heading', { name: 'Download limit reached' }).waitFor()
  await accessible(t, other, 'the refusal of a download')
  await page.goto('/share/once')
  await page.getByRole('region', { name: 'Activity' }).getByText('Refused: Download limit reached').waitFor()
  await page.getByRole('region', { name: 'Links' }).getByText('Limit reached').waitFor()
})
