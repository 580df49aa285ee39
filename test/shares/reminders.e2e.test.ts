import t from 'tap'
import { startServer } from '../support/app/server.ts'
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

await createShareRow(context, 'offer', { 'a.txt': 'aaa' }, { name: 'Offer', expiration: '1-day' })
await createShareRow(context, 'late', { 'a.txt': 'aaa' }, { name: 'Late', expiration: '1-day' })
await inDatabase(database, async (client) => {
  await client.query(`insert into setting (key, value) values ('smtp.enabled', 'true'), ('general.appUrl', '"https://files.example.com"')`)
  await client.query(`update share set expires_at = now() - interval '1 hour' where id = 'late'`)
})

t.test('extends a share on the page that a reminder leads to, after signing in', async (t) => {
  await guest.goto('/share/offer/extend')
  await guest.waitForURL('**/auth/signIn**')
  await page.goto('/share/offer/extend')
  const dialog = page.getByRole('dialog', { name: 'Extend 1 share' })
  await dialog.getByText('90 days').click()
  await accessible(t, page, 'the page that extends a share')
  await screenshots(page)('extend')
  await dialog.getByRole('button', { name: 'Extend' }).click()
  await page.getByText('The share was extended').waitFor()
  const { expiration } = await (await context.request.get('/api/shares/offer/from-owner')).json()
  t.ok(Date.parse(expiration) - Date.now() > 89 * 86_400_000)
})

t.test('lets a visitor ask the sender of an expired share to reopen it', async (t) => {
  await guest.setViewportSize({ width: 360, height: 740 })
  await guest.goto('/share/late')
  await guest.getByRole('heading', { name: 'This share has expired' }).waitFor()
  await fitsWidth(t, guest, 'the page of an expired share')
  await screenshots(guest)('ask')
  await guest.getByRole('button', { name: 'Ask the sender to reopen it' }).click()
  await guest.getByText('The sender gets an email.').waitFor()
  await accessible(t, guest, 'the page after asking')
})

t.test('explains that a link to turn emails off is not valid', async (t) => {
  await guest.goto('/notices/invalid.token')
  await guest.getByRole('heading', { name: 'Turn off these emails?' }).waitFor()
  await accessible(t, guest, 'the page that turns emails off')
  await screenshots(guest)('notices')
  await guest.getByRole('button', { name: 'Turn off' }).click()
  await guest.getByText('This link is not valid, or the share was deleted.').waitFor()
  await guest.goto('/notices/received/invalid.token')
  await guest.getByRole('button', { name: 'Turn off' }).click()
  await guest.getByText('This link is not valid, or the upload link was deleted.').waitFor()
})

t.test('offers emails about downloads on the edit page', async (t) => {
  await page.goto('/share/offer/edit')
  await page.getByRole('radiogroup', { name: 'Email about downloads' }).getByText('Every download').click()
  await page.getByLabel('Download limit').fill('3')
  await page.getByLabel('Delete the share after the last download').check()
  await accessible(t, page, 'the details of a share')
  await screenshots(page)('edit-details')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Your changes are live.').waitFor()
  const saved = await (await context.request.get('/api/shares/offer/from-owner')).json()
  t.match(saved, { notify: 'every', maxDownloads: 3, deleteAfterDownloads: true })
})
