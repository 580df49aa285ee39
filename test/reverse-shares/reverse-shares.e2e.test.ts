import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, digestOf, download, localFiles, makeLink, pick } from '../support/browser/journeys.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }

/** A user with an account. */
async function owner(t: Test, name: string): Promise<Page> {
  const page = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
  await arrive(page, name)
  return page
}

const choose = (page: Page, name: string, choice: string) =>
  page.getByRole('radiogroup', { name }).getByText(choice, { exact: true }).click()

t.test('creates a link, receives a share from a visitor, and passes it on', async (t) => {
  const page = await owner(t, 'alice')
  await page.getByRole('link', { name: 'Reverse shares' }).click()
  await page.getByRole('heading', { name: 'Get files from others' }).waitFor()
  await accessible(t, page, 'the empty list')
  await page.getByRole('button', { name: 'Create your first link' }).click()
  const dialog = page.getByRole('dialog', { name: 'New reverse share' })
  await dialog.getByLabel('Name', { exact: true }).fill('Photos of the trip')
  await dialog.getByLabel('Use limit').fill('1')
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
  await made.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Nothing received yet.').waitFor()

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
  await stranger.getByText('Your 2 files were delivered to alice.').waitFor()
  t.equal(await stranger.getByLabel('Link').count(), 0, 'a simple page shows no link in the end')
  await accessible(t, stranger, 'the thanks')
  await stranger.reload()
  await stranger.getByText('Your 2 files were delivered to alice.').waitFor()
  const path = new URL(stranger.url()).pathname
  await stranger.evaluate('sessionStorage.clear()')
  await stranger.goto(path)
  await stranger.getByRole('heading', { name: 'This link is closed' }).waitFor()
  await fitsWidth(t, stranger, 'a link that is used up')
  await accessible(t, stranger, 'a link that is used up')

  await page.reload()
  await page.getByText('Sam Stranger').waitFor()
  await page.getByText('Here they are!').waitFor()
  await page.getByText('limit reached').waitFor()
  await accessible(t, page, 'what has come')
  const begun = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the files from Sam Stranger' }).click()
  t.same(digestsInZip(await (await begun).path()), Object.fromEntries(files.map(({ name, digest }) => [name, digest])))
  await page.getByRole('link', { name: 'Open the files from Sam Stranger' }).click()
  t.equal(await digestOf(await download(page, 'Download film.mp4')), files[1]!.digest)
  await page.getByRole('link', { name: 'view.txt', exact: true }).click()
  await page.getByRole('dialog', { name: 'view.txt' }).waitFor()
  const shared = new URL(page.url()).pathname
  const anybody = await (await visitor(t, browser, url)).newPage()
  await anybody.goto(shared)
  await anybody.getByText('Only the sender and the recipient can open this share.').waitFor()
  await page.goto('/account/reverseShares')
  await page.getByRole('button', { name: 'Share the files from Sam Stranger with others' }).click()
  await page.getByRole('dialog', { name: 'Share these files with others?' }).getByRole('button', { name: 'Share with others' }).click()
  const own = page.getByRole('dialog', { name: 'It is now your own share' })
  t.equal(new URL(await own.getByLabel('Link', { exact: true }).inputValue()).pathname, shared)
  await own.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Nothing received yet.').waitFor()
  await anybody.reload()
  await anybody.getByText('film.mp4').first().waitFor()

  await page.getByRole('button', { name: 'Delete Photos of the trip' }).click()
  await page.getByRole('dialog').getByText('No one has sent anything through it.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Get files from others' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Photos of the trip' }).waitFor()
})

t.test('shows many links in pages, and rejects a link that is in use', async (t) => {
  const page = await owner(t, 'frida')
  await makeLink(page, 'number-0', { name: 'Number 0' })
  for (let n = 1; n <= 10; n++) await makeLink(page, `number-${n}`, { name: `Number ${n}` })
  await page.goto('/account/shares')
  await page.getByRole('link', { name: 'Reverse shares' }).first().click()
  await page.getByRole('heading', { name: 'Number 10' }).waitFor()
  t.equal(await page.getByRole('heading', { name: 'Number 0' }).count(), 0)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('heading', { name: 'Number 0' }).waitFor()
  await page.getByRole('button', { name: 'New reverse share' }).click()
  await page.getByRole('button', { name: 'More options' }).click()
  await page.getByRole('textbox', { name: 'Link' }).fill('number-3')
  await page.getByText('This link is already in use').waitFor()
  await page.getByLabel('Maximum share size').fill('2000')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The size exceeds the maximum share size of 1 TB').waitFor()
})
