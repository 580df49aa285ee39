import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser.ts'
import { arrive, digestOf, download, finished, localFiles, pick } from '../support/journeys.ts'
import { startServer } from '../support/server.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
const parts = '**/api/shares/*/files/*/parts/*'

/** Somebody with an account, and the calls that make links for them behind the page's back. */
async function owner(t: Test, name: string) {
  const page = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
  await arrive(page, name)
  const link = async (token: string, more: object = {}) => {
    const data = { token, shareExpiration: '1-day', maxShareSize: '100000000', maxUseCount: 1, sendEmailNotification: false, ...more }
    const answer = await page.request.post('/api/reverseShares', { data })
    if (!answer.ok()) throw new Error(`No link: ${await answer.text()}`)
    return `/upload/${token}`
  }
  return { page, link }
}

const choose = (page: Page, name: string, choice: string) =>
  page.getByRole('radiogroup', { name }).getByText(choice, { exact: true }).click()

t.test('an owner makes a link, a stranger sends through it, and the owner hands on what came', async (t) => {
  const { page } = await owner(t, 'alice')
  await page.getByRole('link', { name: 'Reverse shares' }).click()
  await page.getByRole('heading', { name: 'Have files sent to you' }).waitFor()
  await accessible(t, page, 'the empty list')
  await page.getByRole('button', { name: 'Create your first link' }).click()
  const dialog = page.getByRole('dialog', { name: 'New reverse share' })
  await dialog.getByLabel('Name', { exact: true }).fill('Photos of the trip')
  await dialog.getByRole('button', { name: 'More options' }).click()
  await choose(page, 'Name', 'Required')
  await choose(page, 'Message', 'Optional')
  await dialog.getByRole('textbox', { name: 'Link' }).fill('a b')
  await dialog.getByText('Can only contain letters, numbers, underscores, and hyphens').waitFor()
  await dialog.getByRole('textbox', { name: 'Link' }).fill('trip')
  await accessible(t, page, 'the dialog of a new link')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const made = page.getByRole('dialog', { name: 'Your link is ready' })
  t.equal(await made.getByLabel('Link', { exact: true }).inputValue(), `${url}/upload/trip`)
  await accessible(t, page, 'the new link')
  await made.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Nothing has arrived yet.').waitFor()

  const files = localFiles(t, { 'view.txt': 12_345, 'film.mp4': 9_000_000 })
  const stranger = await (await visitor(t, browser, url, phone)).newPage()
  await stranger.goto('/upload/trip')
  await stranger.getByRole('heading', { name: 'Photos of the trip' }).waitFor()
  await stranger.getByText('alice asks you for files').waitFor()
  await fitsWidth(t, stranger, 'the page behind the link')
  await accessible(t, stranger, 'the page behind the link')
  await pick(stranger, files)
  await stranger.getByRole('button', { name: 'Send' }).click()
  await stranger.getByText('This field is required').waitFor()
  await stranger.getByLabel('Your name').fill('Sam Stranger')
  await stranger.getByLabel('A message for alice').fill('Here they are!')
  await fitsWidth(t, stranger, 'what is asked of the sender')
  await accessible(t, stranger, 'what is asked of the sender')
  await stranger.getByRole('button', { name: 'Send' }).click()
  await stranger.getByRole('heading', { name: 'Thank you!' }).waitFor()
  await stranger.getByText('Your 2 files have reached alice.').waitFor()
  t.equal(await stranger.getByLabel('Link').count(), 0, 'a simple page ends without a link')
  await accessible(t, stranger, 'the thanks')
  await stranger.reload()
  await stranger.getByRole('heading', { name: 'Nothing can be sent here any more' }).waitFor()
  await fitsWidth(t, stranger, 'a link that is used up')
  await accessible(t, stranger, 'a link that is used up')

  await page.reload()
  await page.getByText('Sam Stranger').waitFor()
  await page.getByText('Here they are!').waitFor()
  await page.getByText('used up').waitFor()
  await accessible(t, page, 'what has come')
  await page.getByRole('link', { name: 'Open what Sam Stranger sent' }).click()
  t.equal(await digestOf(await download(page, 'Download film.mp4')), files[1]!.digest)
  await page.getByRole('button', { name: 'view.txt' }).click()
  await page.getByRole('dialog', { name: 'view.txt' }).waitFor()
  const shared = new URL(page.url()).pathname
  await stranger.goto(shared)
  await stranger.getByText('alice').waitFor({ state: 'detached' })
  await page.goto('/account/reverseShares')
  await page.getByRole('button', { name: 'Hand on what Sam Stranger sent' }).click()
  await page.getByRole('dialog', { name: 'Hand this on?' }).getByRole('button', { name: 'Hand on' }).click()
  const own = page.getByRole('dialog', { name: 'It is a share of your own now' })
  t.equal(new URL(await own.getByLabel('Link', { exact: true }).inputValue()).pathname, shared)
  await own.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Sam Stranger').waitFor({ state: 'detached' })
  const anybody = await (await visitor(t, browser, url)).newPage()
  await anybody.goto(shared)
  await anybody.getByText('film.mp4').first().waitFor()

  await page.getByRole('button', { name: 'Delete Photos of the trip' }).click()
  await page.getByRole('dialog').getByText('Nothing has come through it').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Have files sent to you' }).waitFor()
})

t.test('with a password, in full: the sender chooses a link and gets it; the owner deletes what came', async (t) => {
  const { page, link } = await owner(t, 'bert')
  const path = await link('locked', { password: 'open sesame', maxUseCount: 2, allowedTypes: ['.txt'] })
  const sender = await (await visitor(t, browser, url)).newPage()
  await sender.goto(path)
  await sender.getByRole('heading', { name: 'This upload link has a password' }).waitFor()
  await accessible(t, sender, 'the password of a link')
  await sender.getByLabel('Password').fill('guess')
  await sender.getByRole('button', { name: 'Open' }).click()
  await sender.getByText('Invalid password').waitFor()
  await sender.getByLabel('Password').fill('open sesame')
  await sender.getByRole('button', { name: 'Open' }).click()
  await sender.getByRole('heading', { name: 'Send files to bert' }).waitFor()
  await sender.getByText('2 uses left').waitFor()
  await pick(sender, localFiles(t, { 'a.txt': 100, 'b.exe': 10 }))
  await sender.getByText('“b.exe” was left out. This link takes only .txt').waitFor()
  await sender.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await sender.getByRole('button', { name: 'Continue' }).click()
  const dialog = sender.getByRole('dialog', { name: 'Send files to bert' })
  await dialog.getByLabel('Link', { exact: true }).fill('from-sender')
  await accessible(t, sender, 'the dialog of the sender')
  await dialog.getByRole('button', { name: 'Send' }).click()
  t.equal(await finished(sender), '/share/from-sender')
  await sender.getByRole('button', { name: 'Send more files' }).click()
  await sender.getByText('1 use left').waitFor()

  await page.goto('/account/reverseShares')
  await page.getByRole('button', { name: 'Delete what Somebody sent' }).click()
  await page.getByRole('dialog').getByText('The file that Somebody sent (100 B) will be gone').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Nothing has arrived yet.').waitFor()
  await sender.goto('/share/from-sender')
  await sender.getByText('Share not found').waitFor()
})

t.test('what a signed-in person shares after they have sent something is theirs alone', async (t) => {
  const { page, link } = await owner(t, 'carla')
  const path = await link('for-carla', { maxUseCount: 5 })
  const { page: dora } = await owner(t, 'dora')
  await dora.goto(path)
  await pick(dora, localFiles(t, { 'unsent.txt': 10 }))
  await dora.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await dora.getByRole('link', { name: 'Upload', exact: true }).click()
  await dora.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  await pick(dora, localFiles(t, { 'own.txt': 10 }))
  await dora.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await dora.getByRole('button', { name: 'Create share' }).click()
  await dora.getByRole('button', { name: 'Upload and share' }).click()
  await finished(dora)
  await page.goto('/account/reverseShares')
  await page.getByText('Nothing has arrived yet.').waitFor()
  t.match(await (await page.request.get('/api/reverseShares')).json(), [{ remainingUses: 5, shares: [] }])
})

t.test('a sender goes on after a reload, though their upload took the last use', async (t) => {
  const { page, link } = await owner(t, 'emil')
  const path = await link('once', { simplified: true })
  const sender = await (await visitor(t, browser, url)).newPage()
  let held = true
  await sender.route(parts, async (route) => {
    if (held && !route.request().url().endsWith('/1')) return // never answered
    await route.continue()
  })
  const files = localFiles(t, { 'big.bin': 20_000_000 })
  await sender.goto(path)
  await pick(sender, files)
  const arrived = sender.waitForResponse('**/parts/1')
  await sender.getByRole('button', { name: 'Send' }).click()
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
