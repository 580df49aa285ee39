import t from 'tap'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser.ts'
import { arrive, createShare, digestOf, download, finished, localFiles, pick, signUp } from '../support/journeys.ts'
import { startServer } from '../support/server.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(240_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const password = 'open sesame'

t.test('from an empty installation to a stranger who has the very same bytes', async (t) => {
  const files = localFiles(t, { 'film.mp4': 50_000_000, 'Grüße; 100% [neu] (1).txt': 12_345, 'nothing.bin': 0 })
  const owner = await (await visitor(t, browser, url)).newPage()
  await signUp(owner, 'alice')
  await accessible(t, owner, 'the empty upload page')
  await pick(owner, files.slice(0, 1))
  await pick(owner, files.slice(1))
  await owner.getByRole('heading', { name: '3 files chosen' }).waitFor()
  await accessible(t, owner, 'the chosen files')
  await owner.getByRole('button', { name: 'Create share' }).click()
  await owner.getByText('Password and visitor limit').click()
  await accessible(t, owner, 'the dialog of a new share')
  await owner.getByRole('button', { name: 'Cancel' }).click()
  await createShare(owner, { name: 'Iceland', password })
  await owner.getByRole('progressbar', { name: 'Upload progress' }).waitFor()
  await accessible(t, owner, 'the upload on its way')
  const path = await finished(owner)
  await accessible(t, owner, 'the finished upload')

  const stranger = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
  await stranger.goto(path)
  await accessible(t, stranger, 'the password prompt')
  await stranger.getByLabel('Password').fill('guess')
  await stranger.getByRole('button', { name: 'Open' }).click()
  await stranger.getByText('Invalid password').waitFor()
  t.equal(await stranger.getByText('film.mp4').count(), 0, 'nothing is told before the password')
  await stranger.getByLabel('Password').fill(password)
  await stranger.getByRole('button', { name: 'Open' }).click()
  await stranger.getByRole('heading', { name: 'Iceland' }).waitFor()
  await accessible(t, stranger, 'the share')
  t.equal(await digestOf(await download(stranger, 'Download film.mp4')), files[0]!.digest)
  const zip = await download(stranger, 'Download all')
  t.same(digestsInZip(zip), Object.fromEntries(files.map(({ name, digest }) => [name, digest])))
})

t.test('a share opens as often as its owner allows', async (t) => {
  const owner = await (await visitor(t, browser, url)).newPage()
  await arrive(owner, 'limiting')
  await pick(owner, localFiles(t, { 'once.txt': 100 }))
  await createShare(owner, { maxViews: 1 })
  const path = await finished(owner)
  const [first, second] = await Promise.all([visitor(t, browser, url), visitor(t, browser, url)])
  const pages = [await first.newPage(), await second.newPage()]
  await pages[0]!.goto(path)
  await pages[0]!.getByText('once.txt').first().waitFor()
  await pages[0]!.reload()
  await pages[0]!.getByText('once.txt').first().waitFor()
  await pages[1]!.goto(path)
  await pages[1]!.getByText('Visitor limit exceeded').waitFor()
  await accessible(t, pages[1]!, 'a share that is closed')
})

t.test('on a phone, in the dark', async (t) => {
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

t.test('what the dialog of a new share refuses', async (t) => {
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
  await page.getByRole('button', { name: 'Generate' }).click()
  await page.getByText('This link is already in use').waitFor({ state: 'detached' })
  await page.getByLabel('Number of units until it expires').fill('')
  await page.getByRole('button', { name: 'Upload and share' }).click()
  await page.getByText('This field is required').waitFor()
  await page.getByLabel('Never expires').check()
  await page.getByText('It does not expire.').waitFor()
  await page.getByRole('button', { name: 'Upload and share' }).click()
  t.match(await finished(page), /^\/share\/[\w-]{8,}$/)
})
