import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, digestOf, download, finished, localFiles, makeLink, pick, showMore } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const parts = '**/api/shares/*/files/*/parts/*'

/** A user with an account. */
async function owner(t: Test, name: string): Promise<Page> {
  const page = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
  await arrive(page, name)
  return page
}

t.test('lets the sender choose a link after the password, and the owner delete the received share', async (t) => {
  const page = await owner(t, 'bert')
  const path = await makeLink(page, 'locked', {
    password: 'open sesame',
    maxUseCount: 2,
    maxShareSize: '1000',
    allowedTypes: ['.txt'],
    fields: { email: 'optional' },
  })
  const sender = await (await visitor(t, browser, url)).newPage()
  await sender.goto(path)
  await sender.getByRole('heading', { name: 'This upload link has a password' }).waitFor()
  await sender.getByLabel('Password').fill('guess')
  await sender.getByRole('button', { name: 'Open' }).click()
  await sender.getByText('Invalid password').waitFor()
  await sender.getByLabel('Password').fill('open sesame')
  await sender.getByRole('button', { name: 'Open' }).click()
  await sender.getByRole('heading', { name: 'Send files to bert' }).waitFor()
  await sender.getByText('2 uses left').waitFor()
  await pick(sender, localFiles(t, { 'a.txt': 100, 'b.exe': 10 }))
  await sender.getByText('“b.exe” was left out. This link accepts only .txt').waitFor()
  await sender.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await pick(sender, localFiles(t, { 'large.txt': 1_000 }))
  await sender.getByText('Your files exceed the maximum share size of 1 kB').waitFor()
  t.ok(await sender.getByRole('button', { name: 'Send', exact: true }).isDisabled())
  await sender.getByRole('button', { name: 'Remove large.txt' }).click()
  await showMore(sender)
  await sender.getByLabel('Link', { exact: true }).fill('from-sender')
  await accessible(t, sender, 'the form of the sender')
  await sender.getByLabel('Your email address').fill('"sender"@example.test') // valid for browsers, invalid for the server
  const refused = sender.waitForResponse((answer) => answer.url().endsWith('/api/shares') && answer.status() === 400)
  await sender.getByRole('button', { name: 'Send', exact: true }).click()
  await refused
  await sender.getByText('Invalid email address').waitFor()
  await sender.getByLabel('Your email address').fill('')
  await sender.getByRole('button', { name: 'Send', exact: true }).click()
  t.equal(await finished(sender), '/share/from-sender')
  await sender.getByRole('link', { name: 'Send more files' }).click()
  await sender.getByText('1 use left').waitFor()

  await page.goto('/account/reverseShares')
  await page.getByRole('button', { name: 'Delete the files from Someone' }).click()
  await page.getByText('Nothing received yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Delete the files from Someone' }).click()
  await page.getByText('Nothing received yet.').waitFor()
  await sender.goto('/share/from-sender')
  await sender.getByText('Share not found').waitFor()
})

t.test("keeps a signed-in user's later shares private after sending through a link", async (t) => {
  const page = await owner(t, 'carla')
  const path = await makeLink(page, 'for-carla', { maxUseCount: 5 })
  const dora = await owner(t, 'dora')
  await dora.goto(path)
  await pick(dora, localFiles(t, { 'unsent.txt': 10 }))
  await dora.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await dora.getByRole('link', { name: 'Upload', exact: true }).click()
  await dora.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  await pick(dora, localFiles(t, { 'own.txt': 10 }))
  await dora.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await dora.getByRole('button', { name: 'Upload and share' }).click()
  await finished(dora)
  await page.goto('/account/reverseShares')
  await page.getByText('Nothing received yet.').waitFor()
  t.match(await (await page.request.get('/api/reverseShares')).json(), [{ remainingUses: 5, shares: [] }])
})

t.test('resumes an upload after a reload, although it consumed the last use', async (t) => {
  const page = await owner(t, 'emil')
  const path = await makeLink(page, 'once', { simplified: true })
  const sender = await (await visitor(t, browser, url)).newPage()
  let held = true
  await sender.route(parts, async (route) => {
    if (held && !route.request().url().endsWith('/1')) return // never responds
    await route.continue()
  })
  const files = localFiles(t, { 'big.bin': 20_000_000 })
  await sender.goto(path)
  await pick(sender, files)
  const arrived = sender.waitForResponse('**/parts/1')
  await sender.getByRole('button', { name: 'Send', exact: true }).click()
  await arrived
  sender.once('dialog', (dialog) => dialog.accept())
  await sender.reload()
  await sender.getByRole('heading', { name: 'Your upload was interrupted' }).waitFor()
  await accessible(t, sender, 'an interrupted upload at a link that is used up')
  held = false
  await pick(sender, files)
  await sender.getByRole('heading', { name: 'Thank you!' }).waitFor()
  await page.goto('/account/reverseShares')
  await page.getByRole('link', { name: 'big.bin' }).click()
  t.equal(await digestOf(await download(page, 'Download big.bin')), files[0]!.digest)
})
