import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, finished, localFiles, pick } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)

t.test('works on a phone, in dark mode', async (t) => {
  const phone = await visitor(t, browser, url, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
    colorScheme: 'dark',
  })
  const page = await phone.newPage()
  await arrive(page, 'phoning')
  await fitsWidth(t, page, 'the empty upload page')
  await accessible(t, page, 'the empty upload page on a phone')
  const long = 'a name that is much longer than a phone is wide, and then some more of it 2026-07-14 18.33.22.jpeg'
  await pick(page, localFiles(t, { [long]: 3_000, 'b.txt': 20 }))
  await fitsWidth(t, page, 'the chosen files')
  await page.getByRole('button', { name: 'Create share' }).click()
  await fitsWidth(t, page, 'the dialog of a new share')
  await accessible(t, page, 'the dialog of a new share on a phone')
  await page.getByRole('button', { name: 'Upload and share' }).click()
  const path = await finished(page)
  await fitsWidth(t, page, 'the finished upload')
  await accessible(t, page, 'the finished upload on a phone')
  await page.goto(path)
  await page.getByText('b.txt').first().waitFor()
  await fitsWidth(t, page, 'the share')
  await accessible(t, page, 'the share on a phone')
})

t.test('rejects invalid input in the dialog of a new share', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await arrive(page, 'mistaken')
  const files = localFiles(t, { 'a.txt': 10 })
  await pick(page, files)
  await createShare(page, { link: 'taken-link' })
  await finished(page)
  await page.getByRole('button', { name: 'Share more files' }).click()
  await pick(page, files)
  await page.getByRole('button', { name: 'Create share' }).click()
  const link = page.getByLabel('Link', { exact: true })
  await link.fill('a b')
  await page.getByText('Can only contain letters, numbers, underscores, and hyphens').waitFor()
  await link.fill('taken-link')
  await page.getByText('This link is already in use').waitFor()
  await page.getByRole('button', { name: 'New link' }).click()
  await page.getByText('This link is already in use').waitFor({ state: 'detached' })
  await page.getByLabel('Number of units until it expires').fill('')
  await page.getByRole('button', { name: 'Upload and share' }).click()
  await page.getByText('This field is required').waitFor()
  await page.getByLabel('Never expires').check()
  await page.getByText('It does not expire.').waitFor()
  await page.getByRole('button', { name: 'Upload and share' }).click()
  t.match(await finished(page), /^\/share\/[\w-]{8,}$/)
})

t.test('explains sharing without an account where it is allowed, and leaves nothing after canceling', async (t) => {
  const admin = await visitor(t, browser, url)
  await admin.request.post('/api/auth/signIn', { data: { username: 'phoning', password: 'correct horse battery' } })
  const nobody = await (await visitor(t, browser, url)).newPage()
  await nobody.goto('/upload')
  await nobody.getByRole('heading', { name: 'Welcome back' }).waitFor()
  t.match(nobody.url(), /redirect=%2Fupload/)
  const change = await admin.request.patch('/api/configs/admin', { data: [{ key: 'share.allowUnauthenticatedShares', value: true }] })
  t.ok(change.ok(), await change.text())

  await nobody.goto('/upload')
  const files = localFiles(t, { 'a.bin': 100, 'b.bin': 9_000_000 })
  await pick(nobody, files)
  await nobody.getByRole('button', { name: 'Create share' }).click()
  await nobody.getByText("You're not signed in").waitFor()
  await nobody.getByRole('button', { name: 'Cancel', exact: true }).click()
  await nobody.route('**/parts/2', () => {})
  await createShare(nobody, { link: 'given-up' })
  await nobody.getByText('1 of 2 files').waitFor()
  await nobody.getByRole('button', { name: 'Cancel upload' }).click()
  await nobody.getByRole('dialog').getByRole('button', { name: 'Cancel upload' }).click()
  await nobody.getByRole('heading', { name: '2 files chosen' }).waitFor()
  t.same(await (await nobody.request.get('/api/shares/isShareIdAvailable/given-up')).json(), { isAvailable: true })
  await nobody.unrouteAll({ behavior: 'ignoreErrors' })
  await createShare(nobody)
  t.match(await finished(nobody), /^\/share\//)
})
