import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { APIRequestContext, Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, openBrowser } from '../support/browser/browser.ts'
import { createEncryptedShare, exampleFiles as files, pasteKey } from '../support/browser/encrypted-share.ts'
import { arrive, createShare, download, enter, finished, listed, localFiles, pick, save } from '../support/browser/journeys.ts'
import { screenshots } from '../support/browser/screenshots.ts'
import { member, still } from '../support/people/accounts.ts'
import { png } from '../support/png.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context } = await member(t, browser, url, 'alice')

const wrongSecret = "crypto.subtle.importKey('raw', new Uint8Array(32), 'HKDF', false, ['deriveBits', 'deriveKey'])"

/** Checks what the owner sees where the browser has a wrong key of this share, or a broken one. */
async function checkDamagedKeys(page: Page, id: string): Promise<void> {
  const editPage = `/share/${id}/edit`
  await storeSecret(page, id, wrongSecret)
  for (const address of [editPage, `/share/${id}`]) {
    await page.goto(address)
    await page.getByText('The key in this browser does not open this share.').waitFor()
  }
  await storeSecret(page, id, '{}')
  await page.goto(editPage)
  await page.getByText('The key of this share is not in this browser.').waitFor()
}

/** Replaces the key that this browser has of a share. */
const storeSecret = (page: Page, id: string, secret: string) =>
  page.evaluate(`(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }))
    const db = await done(indexedDB.open('encrypted-shares'))
    const { ownerId } = await done(db.transaction('keys').objectStore('keys').get('${id}'))
    const stored = { ownerId, linkKey: new Uint8Array(32), key: { secret: await ${secret}, gatePassword: null } }
    await done(db.transaction('keys', 'readwrite').objectStore('keys').put(stored, '${id}'))
    db.close()
  })()`)

/** A visitor whose browser has a service worker. */
const stranger = async (more: object = {}): Promise<Page> =>
  (await still(t, browser, url, { serviceWorkers: 'allow', acceptDownloads: true, ...more })).newPage()

/** Uploads a file as another browser does before it has changed the document. */
async function addElsewhere(request: APIRequestContext, id: string): Promise<void> {
  const { id: fileId } = await (await request.post(`/api/shares/${id}/files`, { data: { name: 'A'.repeat(22), size: 1_000 } })).json()
  await request.put(`/api/shares/${id}/files/${fileId}/parts/1`, { data: Buffer.alloc(1_000) })
  await request.post(`/api/shares/${id}/files/${fileId}/complete`)
}

t.test('edits an encrypted share with its key, and encrypts what is added', async (t) => {
  const path = await createEncryptedShare(context, 'edited', files, { name: 'Before' })
  const key = new URL(path, url).hash
  const page = await context.newPage()
  const screenshot = screenshots(page)
  await page.addInitScript('delete Navigator.prototype.serviceWorker') // it is blocked, and the page would wait for it
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto('/share/edited')
  await page.getByText('The key of this share is not in this browser.').waitFor()
  await page.goto('/share/edited/edit')
  await page.getByText('The key of this share is not in this browser.').waitFor()
  await enter(page.getByLabel('Key or whole link'), 'A'.repeat(43))
  await page.getByText('Enter the whole link that you copied').waitFor()
  await pasteKey(page, path)
  await page.getByRole('heading', { name: 'Edit “Before”' }).waitFor()
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('link', { name: 'Before', exact: true }).waitFor() // opened on this page, so the key is known
  await page.goBack()
  await page.getByRole('heading', { name: 'Edit “Before”' }).waitFor()
  await accessible(t, page, 'the page to edit an encrypted share')
  await button('Remove empty.txt').click()
  await button('Discard changes').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click()
  await button('Remove empty.txt').waitFor()

  await button('Remove notes.txt').click()
  await button('Keep notes.txt').waitFor()
  await button('Rename trip/a.png').click()
  const field = page.getByLabel('New name of trip/a.png')
  await enter(field, 'trip/../b.png')
  await page.getByText('This file name is not allowed').waitFor()
  await enter(field, 'trip/b.png')
  await button('Rename trip/b.png').waitFor()
  const photo = Buffer.from(png(800, 500, (x, y) => [x % 256, y % 256, (x * y) % 256, 255]))
  const added = localFiles(t, { 'canary film.bin': 3_000_000, 'canary note.bin': 1_000, 'canary other.bin': 2_000, 'photo.png': photo })
  await page.route('**/parts/*', () => {}) // never responds
  const begun = page.waitForResponse('**/packs')
  await pick(page, added)
  await begun
  await page.unrouteAll()
  await page.goto('about:blank')
  await page.goto(`/share/edited/edit${key}`)
  await page.getByText('interrupted').first().waitFor()
  await addElsewhere(context.request, 'edited')
  await page.reload()
  await page.getByText('1 file was added in another browser, which has not finished.').first().waitFor()
  await page.getByText('unfinished elsewhere').waitFor()
  await screenshot('encrypted-elsewhere')
  await button('Remove Encrypted file').click()
  await page.getByText('unfinished elsewhere').waitFor({ state: 'detached' })
  await pick(page, added)
  await page.getByText('New · 3 MB').waitFor()
  await page.getByText('New · 1 kB').waitFor()
  await screenshot('encrypted-edit')
  await page.getByRole('link', { name: 'View' }).click()
  await page.getByRole('heading', { name: 'Recovery text' }).waitFor()
  await screenshot('encrypted-owner')
  await page.goBack()

  const visitor = await stranger()
  await visitor.goto(path)
  await visitor.getByRole('heading', { name: 'Before' }).waitFor()
  t.same(await listed(visitor), ['trip', 'empty.txt', 'notes.txt'], 'visitors see the old state until it is saved')
  const older = await (await visitor.request.get('/api/shares/edited/document')).body()
  await page.getByLabel('Title', { exact: true }).fill('After')
  await save(page)
  await page.getByRole('heading', { name: 'Edit “After”' }).waitFor()
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('link', { name: 'After', exact: true }).waitFor()
  await page.goBack()
  await visitor.reload()
  await visitor.getByRole('heading', { name: 'After' }).waitFor()
  t.equal(await visitor.getByRole('heading', { name: 'Recovery text' }).count(), 0, 'only the owner can save it')
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  t.same(digestsInZip(await download(visitor, 'Download all')), {
    'trip/b.png': digest(files['trip/a.png']),
    'trip/large.bin': digest(files['trip/large.bin']),
    'empty.txt': digest(files['empty.txt']),
    ...Object.fromEntries(added.map(({ name, digest }) => [name, digest])),
  })
  await page.getByRole('link', { name: 'View' }).click()
  await page.getByRole('region', { name: 'Activity' }).getByText('canary film.bin').first().waitFor()
  await screenshot('encrypted-activity')
  const decrypted: string[] = []
  visitor.on('request', (request) => decrypted.push(request.url()))
  await visitor.getByRole('button', { name: 'Show as grid' }).click()
  const picture = visitor.locator('.tile-frame img')
  t.match(await picture.getAttribute('src'), /^data:image\/webp/)
  const size = `(async (image) => (await image.decode(), [image.naturalWidth, image.naturalHeight]))(document.querySelector('.tile-frame img'))`
  t.same(await visitor.evaluate(size), [160, 100], 'the browser of the sender has made it')
  t.same(
    decrypted.filter((address) => address.includes('/files/')),
    [],
  )
  await visitor.route('**/api/shares/edited/document', (route) => route.fulfill({ body: older }))
  await visitor.reload()
  await visitor.getByText('The server sent an older list of files than before.').waitFor()
  await visitor.context().close()
})

t.test('encrypts while it uploads, also after a reload, and sends nothing readable', async (t) => {
  const page = await stranger()
  await arrive(page, 'sender')
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url(), request.postDataBuffer()?.toString('latin1') ?? ''))
  let held = true
  await page.route('**/api/shares/*/files/*/parts/*', async (route) => {
    if (held && !route.request().url().endsWith('/1')) return // never responds
    await route.continue()
  })
  const [film, note, other] = localFiles(t, { 'canary film.bin': 20_000_000, 'canary note.bin': 1_000, 'canary other.bin': 3_000 })
  await pick(page, [film!, note!, other!])
  await page.getByLabel('End-to-end encryption').check()
  const arrived = Promise.all([page.waitForResponse('**/parts/1'), page.waitForResponse('**/packs')])
  await createShare(page, { name: 'Canary title', password: 'canary password' })
  await page.getByText('canary film.bin').waitFor()
  await arrived
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByText('An upload was interrupted').waitFor()
  await page.goto('/account/shares')
  await page.getByRole('button', { name: 'Continue Canary title' }).click()
  held = false
  await pick(page, [film!])
  await finished(page)
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  await page.getByText('Canary title', { exact: true }).waitFor()
  await accessible(t, page, 'the link of an encrypted share')
  await screenshots(page)('encrypted-result')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save recovery text' }).click()
  const recovery = readFileSync(await (await saved).path(), 'utf8')
  t.ok(recovery.includes(`\n${link}\n`), recovery)
  t.match(recovery, 'Title: Canary title')
  t.match(recovery, 'The share also has a password')
  const key = new URL(link).hash.slice('#k='.length)
  t.equal(key.length, 43)
  t.notMatch(sent.join('\n'), new RegExp(`canary|${key}`, 'i'))
  await page.goto('/account/shares')
  await page.getByRole('button', { name: 'Link to Canary title' }).click()
  t.equal(await page.getByRole('dialog').getByLabel('Link', { exact: true }).inputValue(), link, 'the list knows the key too')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Information on Canary title' }).click()
  await page.getByRole('dialog').getByText('canary note.bin').waitFor()
  await screenshots(page)('encrypted-info')
  t.notMatch(sent.join('\n'), new RegExp(`canary|${key}`, 'i'), 'names are decrypted in the browser only')
  await checkDamagedKeys(page, new URL(link).pathname.slice('/share/'.length))
  await page.unrouteAll()
  await page.context().close()

  const visitor = await stranger()
  await visitor.goto(link)
  await enter(visitor.locator('input[type=password]'), 'canary password')
  await visitor.getByRole('heading', { name: 'Canary title' }).waitFor()
  const begun = visitor.waitForEvent('download')
  await visitor.getByRole('link', { name: 'Download all' }).click()
  const digests = digestsInZip(await (await begun).path())
  t.same(digests, Object.fromEntries([film!, note!, other!].map(({ name, digest }) => [name, digest])))
  await visitor.context().close()
})
