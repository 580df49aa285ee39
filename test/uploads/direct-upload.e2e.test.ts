import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, digestOf, download, finished, localFiles, pick } from '../support/browser/journeys.ts'
import { freePort } from '../support/listening.ts'
import { guardedBucket } from '../support/s3/guarded-bucket.ts'
import { noS3 } from '../support/s3/s3.ts'

t.setTimeout(180_000) // a browser on a small machine

if (noS3) t.plan(0, noS3)
else {
  const port = await freePort()
  const appUrl = `http://127.0.0.1:${port}`
  const { store, proxy } = await guardedBucket(t, { appUrl })
  const reason = await store.testDirect()
  if (reason !== null) throw new Error(reason)
  const { app } = await testApp(t, { storage: store, env: { appUrl } })
  await app.listen({ port, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const partsInStore = () =>
    proxy.seen.filter((line) => line.startsWith('PUT') && line.includes('partNumber=') && line.includes('X-Amz-Signature')).length

  t.test('sends parts from the browser straight to the object store, and returns the same bytes', async (t) => {
    const files = localFiles(t, { 'film.mp4': 20_000_000, 'notes.txt': 321, 'nothing.bin': 0 })
    const page = await (await visitor(t, browser, appUrl, { acceptDownloads: true })).newPage()
    const before = partsInStore() // including those of the check for direct access
    let throughServer = 0
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('request', (request) => request.method() === 'PUT' && request.url().startsWith(appUrl) && throughServer++)
    await arrive(page, 'alice')
    await pick(page, files)
    await createShare(page)
    await page.goto(await finished(page))
    t.equal(await digestOf(await download(page, 'Download film.mp4')), files[0]!.digest)
    t.equal(await digestOf(await download(page, 'Download notes.txt')), files[1]!.digest)
    t.same(problems, [], 'nothing is logged as an error')
    t.same([throughServer, partsInStore() - before], [0, 3], 'the parts of the film; small files share a pack, which the server receives')
  })

  t.test('sends encrypted parts from the browser straight to the object store', async (t) => {
    const [film] = localFiles(t, { 'film.mp4': 20_000_000 })
    const page = await (await visitor(t, browser, appUrl, { acceptDownloads: true })).newPage()
    await page.addInitScript('delete window.showSaveFilePicker; delete Navigator.prototype.serviceWorker')
    const before = partsInStore()
    await arrive(page, 'carol')
    await pick(page, [film!])
    await page.getByLabel('End-to-end encryption').check()
    await createShare(page)
    await finished(page)
    t.equal(partsInStore() - before, 3)
    await page.goto(await page.getByLabel('Link', { exact: true }).inputValue())
    t.equal(await digestOf(await download(page, 'Download film.mp4')), film!.digest)
  })

  t.test("sends parts through the server when the store's CORS rules do not allow the page", async (t) => {
    proxy.trouble = { fault: { status: 403, code: 'AccessForbidden' }, meets: (method) => method === 'OPTIONS' }
    const [film] = localFiles(t, { 'film.mp4': 20_000_000 })
    const page = await (await visitor(t, browser, appUrl, { acceptDownloads: true })).newPage()
    const before = partsInStore()
    await arrive(page, 'bob')
    await pick(page, [film!])
    await createShare(page)
    await page.goto(await finished(page))
    t.equal(await digestOf(await download(page, 'Download film.mp4')), film!.digest)
    t.equal(partsInStore(), before)
  })
}
