import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { screenshots } from '../support/browser/screenshots.ts'
import { member } from '../support/people/accounts.ts'
import { inDatabase } from '../support/postgres.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url, database } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice')
const guest = await (await visitor(t, browser, url)).newPage()
const longName = 'Final drawings of the harbour wall with all corrections of the third round and the invoices'

const shot = screenshots(page)

/** Lets all shares have expired an hour ago. */
const expire = () =>
  inDatabase(database, async (client) => {
    await client.query(`update share set expires_at = now() - interval '1 hour'`)
  })

await createShareRow(context, 'offer', { 'a.txt': 'aaa' }, { name: 'Offer', expiration: '1-day' })
await createShareRow(context, 'plans', { 'a.txt': 'a' }, { name: longName, expiration: '1-day' })
await expire()

t.test('shows visitors that a share has expired, and no more', async (t) => {
  await guest.goto('/share/offer')
  await guest.getByRole('heading', { name: 'This share has expired' }).waitFor()
  t.equal(await guest.getByRole('button', { name: 'Reopen' }).count(), 0)
  t.notMatch(await guest.content(), /Offer/)
  await accessible(t, guest, 'the page of an expired share')
})

t.test('reopens an expired share on its page', async (t) => {
  await page.goto('/share/offer')
  await page.getByText('It will be deleted on').waitFor()
  await accessible(t, page, "the owner's page of an expired share")
  await shot('expired-share')
  await page.getByRole('button', { name: 'Reopen' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reopen 1 share' })
  await dialog.getByText('7 days').click()
  await dialog.getByRole('button', { name: 'Reopen' }).click()
  await page.getByRole('heading', { name: 'Offer' }).waitFor()
  await guest.goto('/share/offer')
  await guest.getByRole('heading', { name: 'Offer' }).waitFor()
})

t.test('lists expired shares, and reopens and deletes them there', async (t) => {
  await expire()
  await page.goto('/account/shares')
  await page.getByRole('heading', { name: 'Nothing shared yet' }).waitFor()
  await page.getByRole('button', { name: 'Show 2 expired shares' }).click()
  await page.getByText('Expired, will be deleted in 6 days').first().waitFor()
  await accessible(t, page, 'the list of expired shares')
  await fitsWidth(t, page, 'the list of expired shares')
  await shot('expired-list')
  await page.getByRole('button', { name: `Delete ${longName}` }).click()
  await page.getByText('The share was deleted').waitFor()
  await eventually(async () => (await page.locator('.share-name').count()) === 1, 'one is left')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The share was restored').waitFor()
  await page.getByRole('button', { name: `Reopen ${longName}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click()
  await page.getByText('The share was reopened').waitFor()
  await eventually(async () => (await page.locator('.share-name').allInnerTexts()).join() === 'Offer', 'the other is left')
  await page.getByRole('checkbox', { name: 'Select Offer' }).check()
  await page.getByRole('region', { name: 'Selected shares' }).getByRole('button', { name: 'Reopen' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click()
  await page.getByText('No shares match this filter.').waitFor()
})

t.test('deletes an expired share from its page', async () => {
  await expire()
  await page.goto('/share/offer/edit')
  await page.getByRole('button', { name: 'Delete now' }).click()
  await page.waitForURL('**/account/shares')
  await page.getByText('The share was deleted').waitFor()
  await guest.goto('/share/offer')
  await guest.getByRole('heading', { name: 'Share not found' }).waitFor()
})
