import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { createEncryptedShare, exampleFiles as files, pasteKey } from '../support/browser/encrypted-share.ts'
import { download, enter } from '../support/browser/journeys.ts'
import { member, still } from '../support/people/accounts.ts'
import { webm, withoutFfmpeg } from '../support/previews.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context } = await member(t, browser, url, 'alice')

/** A visitor whose browser has a service worker. */
const stranger = async (more: object = {}): Promise<Page> =>
  (await still(t, browser, url, { serviceWorkers: 'allow', acceptDownloads: true, ...more })).newPage()

/** Enters a wrong password, and then the right one. */
async function unlock(page: Page): Promise<void> {
  const password = page.locator('input[type=password]')
  await enter(password, 'open')
  await page.getByText('Invalid password').waitFor()
  await enter(password, 'open it')
  await page.getByRole('heading', { name: 'Secret album' }).waitFor()
}

t.test('decrypts names, files, previews, ranges and zips in the browser', async (t) => {
  const path = await createEncryptedShare(context, 'album', files, { name: 'Secret album' })
  const page = await stranger()
  const first = await page.goto(path)
  t.notMatch(await first!.text(), /Secret album|notes\.txt/, 'the server knows no names')
  await page.getByRole('heading', { name: 'Secret album' }).waitFor()
  t.match(await page.title(), /Secret album/)
  await page.getByRole('link', { name: 'trip', exact: true }).click()
  t.match(page.url(), /folder=trip#k=/, 'the key stays in the address')
  t.strictSame(new Uint8Array(readFileSync(await download(page, 'Download large.bin'))), files['trip/large.bin'])
  await page.getByRole('link', { name: 'a.png', exact: true }).click()
  await page.locator('dialog img').waitFor()
  t.equal(await page.evaluate("(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector('dialog img'))"), 60)
  await page.keyboard.press('Escape')
  await page.goBack()
  await page.getByRole('link', { name: 'notes.txt', exact: true }).click()
  await page.getByRole('dialog').getByText('the secret notes').waitFor()
  await page.keyboard.press('Escape')
  const address = await page.getByRole('link', { name: 'Download notes.txt' }).getAttribute('href')
  const ranged = await page.evaluate(`fetch(${JSON.stringify(address)}, { headers: { range: 'bytes=4-9' } })
    .then(async (response) => [response.status, response.headers.get('content-range'), response.headers.get('content-type'), await response.text()])`)
  t.same(ranged, [206, 'bytes 4-9/16', 'text/plain; charset=utf-8', 'secret'])
  const begun = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download all' }).click()
  const zip = await begun
  t.equal(zip.suggestedFilename(), 'Secret album.zip')
  const entries = digestsInZip(await zip.path())
  const expected = Object.entries(files).map(([name, content]) => [name, createHash('sha256').update(content).digest('hex')])
  t.same(entries, Object.fromEntries(expected))
  await accessible(t, page, 'an encrypted share')
  await page.context().close()
})

t.test('asks for a missing key, and explains a wrong one and a wrong password', async (t) => {
  const path = await createEncryptedShare(context, 'locked', files, { name: 'Secret album', password: 'open it' })
  const page = await stranger({ viewport: { width: 360, height: 740 } })
  await page.goto('/share/locked')
  const key = page.getByLabel('Key or whole link')
  await page.getByText('Your link has no key').waitFor()
  await enter(key, 'A'.repeat(43)) // the key of another share, which only the password can tell
  await page.locator('input[type=password]').waitFor()
  await pasteKey(page, path)
  await unlock(page)
  await fitsWidth(t, page, 'an encrypted share')
  await page.goto('about:blank')
  await page.goto('/share/locked') // unlocked, but without the key
  await enter(key, 'AAAA')
  await page.getByText('This is neither a key nor a whole link.').waitFor()
  await accessible(t, page, 'the question for the key')
  await fitsWidth(t, page, 'the question for the key')
  await enter(key, url + path)
  await unlock(page)
  t.equal(new URL(page.url()).hash, new URL(path, url).hash, 'a reload opens it again')

  const open = await createEncryptedShare(context, 'open', files)
  await page.goto(open.replace(/k=..../, 'k=AAAA'))
  await page.getByText('This key does not open the share.').waitFor()
  t.equal(await page.getByText('Your link has no key').count(), 0)
  await page.goto('about:blank')
  await page.goto(open.slice(0, -1))
  await page.getByText('The key is incomplete.').waitFor()
  await pasteKey(page, open)
  await page.getByRole('link', { name: 'notes.txt', exact: true }).waitFor()
  await page.context().close()
})

t.test('counts no view before a visitor has the key', async (t) => {
  const views = async (id: string) => (await (await context.request.get(`/api/shares/${id}/from-owner`)).json()).views
  for (const [id, maxViews] of [
    ['seldom', 1],
    ['often', undefined],
  ] as const) {
    const path = await createEncryptedShare(context, id, files, { name: 'Secret album', maxViews })
    const page = await stranger()
    await page.goto(path.slice(0, -1))
    await page.getByText('The key is incomplete.').waitFor()
    await page.goto('about:blank')
    await page.goto(`/share/${id}`)
    const key = page.getByLabel('Key or whole link')
    await key.waitFor()
    t.equal(await views(id), 0, id)
    await enter(key, path)
    await page.getByRole('heading', { name: 'Secret album' }).waitFor()
    t.equal(await views(id), 1, id)
    t.equal(new URL(page.url()).hash, new URL(path, url).hash)
    await page.context().close()
  }
})

t.test('reports a damaged file, and still saves the others', async (t) => {
  const damage = (name: string, sealed: Uint8Array) => {
    if (name === 'trip/large.bin') sealed[2_000_000]! ^= 1
  }
  const page = await stranger()
  await page.goto(await createEncryptedShare(context, 'damaged', files, { damage }))
  await page.getByRole('link', { name: 'trip', exact: true }).click()
  const begun = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download large.bin' }).click()
  t.ok(await (await begun).failure(), 'no download of it is completed')
  t.strictSame(new Uint8Array(readFileSync(await download(page, 'Download a.png'))), files['trip/a.png'])
  await page.context().close()
})

t.test('saves files in a browser without a service worker', async (t) => {
  const path = await createEncryptedShare(context, 'plain', files)
  const digest = createHash('sha256').update(files['trip/large.bin']).digest('hex')
  const downloaded = async (page: Page) =>
    createHash('sha256')
      .update(readFileSync(await download(page, 'Download large.bin')))
      .digest('hex')
  const open = async (script: string) => {
    const page = await stranger({ serviceWorkers: 'block' })
    await page.addInitScript(script)
    await page.goto(path)
    await page.getByRole('link', { name: 'trip', exact: true }).click()
    return page
  }
  const privateFiles = `navigator.storage.getDirectory().then(async (root) => {
    const folder = await root.getDirectoryHandle('decrypted').catch(() => null)
    return folder ? (await Array.fromAsync(folder.keys())).length : 0
  })`
  const page = await open('delete window.showSaveFilePicker')
  t.equal(await downloaded(page), digest)
  t.equal(await page.evaluate(privateFiles), 1, 'through a private file of the site')
  await page.context().close()

  const inMemory = await open(
    'delete Navigator.prototype.serviceWorker; delete window.showSaveFilePicker; StorageManager.prototype.getDirectory = undefined',
  )
  t.equal(await downloaded(inMemory), digest)
  await inMemory.context().close()

  const picking = await open(`delete Navigator.prototype.serviceWorker; window.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle('picked ' + suggestedName, { create: true })`)
  await picking.getByRole('link', { name: 'Download large.bin' }).click()
  await picking.getByText('The file is saved.').waitFor()
  const picked = await picking.evaluate<string>(`navigator.storage.getDirectory().then(async (root) => {
    const file = await (await root.getFileHandle('picked large.bin')).getFile()
    return new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())).toHex()
  })`)
  t.equal(picked, digest, 'into the file that the visitor has picked')
  t.equal(await picking.evaluate(privateFiles), 0)
  await picking.context().close()
})

t.test('plays an encrypted video, and seeks in it', { skip: withoutFfmpeg ?? false }, async (t) => {
  const page = await stranger()
  await page.goto(await createEncryptedShare(context, 'video', { 'film.webm': new Uint8Array(webm()) }))
  await page.getByRole('link', { name: 'film.webm', exact: true }).click()
  await page.locator('dialog video').waitFor()
  const played = await page.evaluate<number[]>(`(async (video) => {
    const event = (name) => new Promise((resolve) => video.addEventListener(name, resolve, { once: true }))
    video.muted = true
    await video.play()
    await event('timeupdate')
    video.pause()
    video.currentTime = 6.5
    await event('seeked')
    return [video.videoWidth, video.currentTime, video.readyState >= 2 ? 1 : 0]
  })(document.querySelector('dialog video'))`)
  t.same(played, [320, 6.5, 1])
  await page.context().close()
})

t.test('explains a document of a later version, and a page without https', async () => {
  const path = await createEncryptedShare(context, 'later', files)
  const page = await stranger()
  await page.route('**/api/shares/later/document', async (route) => {
    const response = await route.fetch()
    const body = await response.body()
    body[0] = 2
    await route.fulfill({ response, body })
  })
  await page.goto(path)
  await page.getByText('This share was encrypted by a later version.').waitFor()
  await page.unrouteAll()
  await page.addInitScript("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })") // as over http
  await page.reload()
  await page.getByRole('heading', { name: 'This encrypted share needs https' }).waitFor()
  await page.goto('/share/later')
  await page.getByRole('heading', { name: 'This encrypted share needs https' }).waitFor()
  await page.context().close()
})
