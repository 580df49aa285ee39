import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright'
import t, { type Test } from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, digestOf, download, finished, type LocalFile, localFiles, pick } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const parts = '**/api/shares/*/files/*/parts/*'
const MB = 1_000_000

async function uploader(t: Test, name: string): Promise<Page> {
  const page = await (await visitor(t, browser, url)).newPage()
  await arrive(page, name)
  return page
}

/** Limits the speed of uploads in bytes per second; -1 for no limit. */
async function limitUploads(session: CDPSession, uploadThroughput: number): Promise<void> {
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput })
}

/** Drops files of ten bytes on the page with the events of a browser. */
const drop = (page: Page, ...names: string[]) =>
  page.evaluate(`{
    const data = new DataTransfer()
    for (const name of ${JSON.stringify(names)}) data.items.add(new File(['0123456789'], name, { lastModified: 1 }))
    const init = { bubbles: true, cancelable: true, dataTransfer: data }
    document.body.dispatchEvent(new DragEvent('dragenter', init))
    document.body.dispatchEvent(new DragEvent('drop', init))
  }`)

const percentOf = async (page: Page) => Number(await page.getByRole('progressbar').getAttribute('aria-valuenow'))
const chosen = (page: Page, count: number) => page.getByRole('heading', { name: `${count} file${count === 1 ? '' : 's'} chosen` }).waitFor()

async function sameBytes(page: Page, path: string, file: LocalFile) {
  await page.goto(path)
  return (await digestOf(await download(page, `Download ${file.name}`))) === file.digest
}

t.test('on a slow connection, neither Pause nor a reload after the first part costs anything', async (t) => {
  const page = await uploader(t, 'slow')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await limitUploads(session, MB)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.url().split('/').at(-1)!)
  })
  const [file] = localFiles(t, { 'film.bin': 30 * MB })
  await pick(page, [file!])
  await createShare(page)
  while ((await percentOf(page)) < 29) await sleep(100)
  t.ok(sent.length <= 2, `${sent.length} parts were begun`)
  await page.getByRole('button', { name: 'Pause' }).click()
  const before = await percentOf(page)
  await page.getByRole('heading', { name: 'Pausing…' }).waitFor()
  await page.getByRole('heading', { name: 'Paused' }).waitFor()
  const paused = await percentOf(page)
  t.ok(paused >= before, `${paused} % after ${before} %`)
  await page
    .getByRole('status')
    .filter({ hasText: `Paused, ${paused}%` })
    .waitFor({ state: 'attached' })
  const arrived = new Set(sent)
  sent.length = 0
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByText('An upload was interrupted').waitFor()
  await limitUploads(session, -1)
  await pick(page, [file!])
  const path = await finished(page)
  t.same(
    sent.filter((part) => arrived.has(part)),
    [],
    'what has arrived is not sent again',
  )
  t.ok(await sameBytes(page, path, file!))
})

t.test('files dropped on any page are chosen on the upload page', async (t) => {
  const page = await uploader(t, 'dropper')
  await page.goto('/account/shares')
  await page.getByRole('heading', { name: 'Nothing shared yet' }).waitFor()
  await drop(page, 'a.txt', 'b.txt')
  await chosen(page, 2)
  t.match(page.url(), /\/upload$/)
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('heading', { name: 'Nothing shared yet' }).waitFor()
  await drop(page, 'b.txt', 'c.txt')
  await chosen(page, 3)
})

t.test('files dropped before signing in are kept through it', async (t) => {
  const page = await uploader(t, 'keeper')
  await page.context().clearCookies()
  await page.evaluate('localStorage.clear()')
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  await drop(page, 'kept.txt')
  await page.getByText('Sign in to share this file. It is kept in this tab for an hour.').waitFor()
  await page.getByLabel('Email address or username').fill('keeper')
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await chosen(page, 1)
  await page.getByRole('button', { name: 'Remove kept.txt' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
})

t.test('an upload is seen from every page, and files can be added to it', async (t) => {
  const page = await uploader(t, 'walker')
  const held = Promise.withResolvers<void>()
  await page.route(parts, async (route) => {
    await held.promise
    await route.continue()
  })
  const [first, second] = localFiles(t, { 'first.bin': 100, 'second.bin': 200 })
  await pick(page, [first!])
  await createShare(page)
  await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor()
  await accessible(t, page, 'a running upload')
  await pick(page, [second!])
  await page.getByRole('heading', { name: 'Uploading 2 files' }).waitFor()
  await page.getByRole('link', { name: 'My shares' }).click()
  const ring = page.getByRole('link', { name: /^Upload: \d+%$/ })
  await ring.waitFor()
  await page.getByRole('heading', { name: 'Nothing shared yet' }).waitFor()
  t.match(await page.title(), /^\d+% · My shares/)
  t.match(await page.locator('link[rel=icon]').getAttribute('href'), /^data:image\/png/)
  await accessible(t, page, 'another page during an upload')
  await drop(page, 'third.txt')
  await page.getByRole('heading', { name: 'Uploading 3 files' }).waitFor()
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('heading', { name: 'Nothing shared yet' }).waitFor()
  held.resolve()
  await page.getByRole('link', { name: 'Upload: ✓ Ready' }).waitFor()
  t.match(await page.title(), /^✓ Ready · My shares/)
  await page.getByRole('link', { name: 'Upload: ✓ Ready' }).click()
  const path = await finished(page)
  t.notMatch(await page.title(), /Ready/, 'the end has been seen')
  t.match(await page.locator('link[rel=icon]').first().getAttribute('href'), /favicon/)
  const answer = await page.request.get(`/api/shares/${path.split('/').at(-1)}`)
  t.equal(((await answer.json()) as { files: unknown[] }).files.length, 3)
})

t.test('the owner continues or deletes a broken-off upload in another browser', async (t) => {
  const page = await uploader(t, 'mover')
  // not held back, because the browser sends held requests when the page is closed
  await page.route(parts, (route) => (route.request().url().endsWith('/1') ? route.continue() : route.abort()))
  const [file, other] = localFiles(t, { 'film.bin': 20 * MB, 'notes.txt': 10 })
  await pick(page, [file!])
  const arrived = page.waitForResponse('**/parts/1')
  await createShare(page)
  await arrived
  const cookies = await page.context().cookies()
  await page.close()
  const context = await visitor(t, browser, url)
  await context.addCookies(cookies)
  const elsewhere = await context.newPage()
  const sent: string[] = []
  elsewhere.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.url().split('/').at(-1)!)
  })
  await elsewhere.goto('/account/shares')
  const unfinished = elsewhere.getByRole('article', { name: 'film.bin' })
  await unfinished.getByText('8.4 MB of 20 MB').waitFor()
  await accessible(t, elsewhere, 'an unfinished upload')
  await elsewhere.getByRole('button', { name: 'Continue film.bin' }).click()
  await elsewhere.getByRole('heading', { name: '1 file is still missing' }).waitFor()
  const [changed] = localFiles(t, { 'film.bin': 20 * MB })
  await pick(elsewhere, [changed!])
  await elsewhere.getByText('film.bin differs from the file in the unfinished upload.').waitFor()
  await pick(elsewhere, [file!, other!])
  await elsewhere.getByText('1 more file will be added.').waitFor()
  await elsewhere.getByRole('button', { name: 'Continue', exact: true }).click()
  const path = await finished(elsewhere)
  t.notOk(sent.filter((part) => part === '1').length > 1, 'what has arrived is not sent again')
  t.ok(await sameBytes(elsewhere, path, file!))
  await elsewhere.request.post('/api/shares', { data: { id: 'left-behind', expiration: '1-day' } })
  await elsewhere.goto('/account/shares')
  await elsewhere.getByRole('button', { name: 'Delete left-behind' }).click()
  await elsewhere.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await elsewhere.getByRole('article', { name: 'left-behind' }).waitFor({ state: 'detached' })
})
