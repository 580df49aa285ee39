import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, openBrowser, visitor } from '../support/browser/browser.ts'
import {
  arrive,
  createShare,
  createShareRow,
  digestOf,
  download,
  finished,
  localFiles,
  openShare,
  pick,
  showMore,
  signUp,
} from '../support/browser/journeys.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const password = 'open sesame'

t.test('uploads on an empty installation, and a visitor downloads the same bytes', async (t) => {
  const files = localFiles(t, { 'film.mp4': 50_000_000, 'Grüße; 100% [neu] (1).txt': 12_345, 'nothing.bin': 0 })
  const owner = await (await visitor(t, browser, url)).newPage()
  await signUp(owner, 'alice')
  await accessible(t, owner, 'the empty upload page')
  await pick(owner, files.slice(0, 1))
  await owner.getByRole('heading', { name: '1 file chosen' }).waitFor() // otherwise the next files are dropped on the page that is being left
  await pick(owner, files.slice(1))
  await owner.getByRole('heading', { name: '3 files chosen' }).waitFor()
  await accessible(t, owner, 'the chosen files')
  await showMore(owner)
  await accessible(t, owner, 'the chosen files with all fields')
  await createShare(owner, { name: 'Iceland', password })
  await owner.getByRole('progressbar', { name: 'Upload progress' }).waitFor()
  await accessible(t, owner, 'the upload on its way')
  const path = await finished(owner)
  await accessible(t, owner, 'the finished upload')

  const stranger = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
  await stranger.goto(path)
  await stranger.getByRole('button', { name: 'Open' }).waitFor()
  await accessible(t, stranger, 'the password prompt')
  await stranger.getByLabel('Password').fill('guess')
  await stranger.getByRole('button', { name: 'Open' }).click()
  await stranger.getByText('Invalid password').waitFor()
  t.equal(await stranger.getByText('film.mp4').count(), 0, 'nothing is revealed before the password')
  await stranger.getByLabel('Password').fill(password)
  await stranger.getByRole('button', { name: 'Open' }).click()
  await stranger.getByRole('heading', { name: 'Iceland' }).waitFor()
  await accessible(t, stranger, 'the share')
  t.equal(await digestOf(await download(stranger, 'Download film.mp4')), files[0]!.digest)
  const zip = await download(stranger, 'Download all')
  t.same(digestsInZip(zip), Object.fromEntries(files.map(({ name, digest }) => [name, digest])))
})

t.test('opens a share as often as its owner allows', async (t) => {
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

t.test('closes the preview of a file with Back, and stays at the share', async (t) => {
  const context = await visitor(t, browser, url)
  const page = await context.newPage()
  await arrive(page, 'reading')
  await createShareRow(context, 'reading-list', { 'first.txt': 'The first one', 'second.txt': 'The second one' })
  await openShare(page, 'reading-list')
  await page.getByRole('link', { name: 'second.txt', exact: true }).click()
  await page.getByText('The second one').waitFor()
  await page.reload()
  await page.getByText('The second one').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'first.txt', exact: true }).click()
  await page.getByText('The first one').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  t.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/share/reading-list')
  await page.goBack()
  t.equal(new URL(page.url()).pathname, '/upload', 'closing with a key leaves no history entry')
})

t.test('shares the link with another app on a phone, and reports an expired session before starting', async (t) => {
  const context = await visitor(t, browser, url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  await context.addInitScript('navigator.share = async ({ url }) => { document.title = url }') // Chromium does not have it on Linux
  const page = await context.newPage()
  await arrive(page, 'travelling')
  await pick(page, localFiles(t, { 'harbour.jpg': 1000 }))
  t.equal(await page.evaluate('document.activeElement.id'), 'content', 'the focus is on the content')
  await context.request.post('/api/auth/signOut')
  await createShare(page, { name: 'The harbour' })
  const signIn = page.getByRole('alert').getByRole('link', { name: 'Sign in' })
  t.equal(await signIn.getAttribute('target'), '_blank', 'the entered values are kept')
  await context.request.post('/api/auth/signIn', { data: { username: 'travelling', password: 'correct horse battery' } })
  await page.getByRole('button', { name: 'Upload and share' }).click()
  const path = await finished(page)
  await accessible(t, page, 'the link on a phone')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await eventually(async () => (await page.title()).endsWith(path), 'the path is the title')
})
