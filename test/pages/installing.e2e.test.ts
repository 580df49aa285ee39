import type { BrowserContext, Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { fillSignIn, member, signOut, still } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context, page } = await member(t, browser, url, 'alice', { serviceWorkers: 'allow' })

/** Waits until the service worker has cached this build and controls the page. */
async function installed(page: Page): Promise<void> {
  await page.evaluate(`navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ||
    new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve)))`)
}

/** Returns everything that the service worker has cached. */
const kept = (page: Page) =>
  page.evaluate<string[]>(`caches.keys().then(async (names) => {
    const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return all.flat().map(({ url }) => new URL(url).pathname)
  })`)

/** Posts a file as a phone's share menu does, or as a site at `origin` can. */
async function shareTo(page: Page, name: string, origin = ''): Promise<void> {
  await page.evaluate(`{
    const action = ${JSON.stringify(origin)} + '/upload'
    const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype: 'multipart/form-data' })
    const input = Object.assign(document.createElement('input'), { type: 'file', name: 'files', multiple: true })
    const data = new DataTransfer()
    data.items.add(new File(['0123456789'], ${JSON.stringify(name)}, { type: 'image/jpeg' }))
    input.files = data.files
    form.append(input)
    document.body.append(form)
    form.submit()
  }`)
}

const offline = (context: BrowserContext, lost: boolean) => context.setOffline(lost)

t.test('caches the code of this build, but no shares, API calls or pages', async (t) => {
  await createShareRow(context, 'iceland', { 'photo.txt': 'a secret' }, { name: 'Iceland' })
  await page.goto('/')
  await installed(page)
  const answer = await page.goto('/share/iceland')
  t.ok(answer!.fromServiceWorker())
  t.match(await answer!.text(), '<h1 class="own-words">Iceland</h1>', 'the server prerenders the page')
  await page.getByRole('heading', { name: 'Iceland' }).waitFor()
  const paths = await kept(page)
  t.ok(paths.length > 20)
  t.same(
    paths.filter((path) => !/^\/assets\/[\w.-]+-[\w-]{8}\.(js|css)$/.test(path)),
    [],
  )
})

t.test('reports on an open page that it is offline, and keeps its other parts working', async (t) => {
  await page.goto('/account')
  await page.getByRole('heading', { name: 'My account' }).waitFor()
  await offline(context, true)
  await page.getByRole('status').getByText('You are offline').waitFor()
  await accessible(t, page, 'a page offline')
  await page.getByRole('link', { name: 'Reverse shares' }).click()
  await page.waitForURL('**/account/reverseShares')
  const [path] = await kept(page)
  t.equal(await page.evaluate(`fetch(${JSON.stringify(path)}).then(({ status }) => status)`), 200)
  t.equal(await page.evaluate(`fetch('/api/health').then(() => 'answered', () => 'failed')`), 'failed')
  await offline(context, false)
  await page.getByRole('status').getByText('You are online again').waitFor()
  await page.getByText('You are online again').waitFor({ state: 'detached' })
})

t.test('shows an offline page in our style, and reloads when the network is back', async (t) => {
  await offline(context, true)
  const answer = await page.goto('/share/iceland')
  t.equal(answer!.status(), 503)
  await page.getByRole('heading', { name: 'No connection' }).waitFor()
  t.equal(await page.title(), 'No connection')
  t.equal(
    await page.evaluate("getComputedStyle(document.querySelector('button')).backgroundColor"),
    'rgb(73, 64, 222)',
    'its style is allowed',
  )
  await accessible(t, page, 'the page offline')
  await page.setViewportSize({ width: 360, height: 640 })
  await fitsWidth(t, page, 'the page offline')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'No connection' }).waitFor()
  await offline(context, false)
  await page.getByRole('heading', { name: 'Iceland' }).waitFor()
})

t.test('shows files from a phone’s share menu separately until the user adds them', async (t) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await shareTo(page, 'holiday.jpg')
  const received = page.getByRole('complementary', { name: 'Another app or website sent this file' })
  await received.getByText('holiday.jpg').waitFor()
  t.equal(new URL(page.url()).search, '')
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Upload and share' }).count(), 0, 'nothing is chosen')
  await accessible(t, page, 'the upload page with received files')
  await page.setViewportSize({ width: 360, height: 640 })
  await fitsWidth(t, page, 'the upload page with received files')
  await page.setViewportSize({ width: 1280, height: 800 })
  await received.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await page.getByText('holiday.jpg').waitFor()
  t.equal(await received.count(), 0)
  await page.reload()
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  t.equal(await page.getByText('The files did not arrive.').count(), 0)
  await page.goto('/upload?received')
  await page.getByText('The files did not arrive. Choose them again.').waitFor()
})

t.test('does not choose files that another site posts, and can discard them', async (t) => {
  await page.goto('data:text/html,<title>Elsewhere</title>')
  await shareTo(page, 'Payroll.xlsm', url)
  const received = page.getByRole('complementary', { name: 'Another app or website sent this file' })
  await received.getByText('Payroll.xlsm').waitFor()
  t.equal(await page.getByRole('button', { name: 'Upload and share' }).count(), 0, 'nothing is chosen')
  await received.getByRole('button', { name: 'Discard' }).click()
  await received.waitFor({ state: 'detached' })
  t.equal(await page.getByText('Payroll.xlsm').count(), 0)
})

t.test('keeps shared files through a sign-in, deletes them on sign-out, and shows them at once if no account is needed', async (t) => {
  const visitor = await still(t, browser, url, { serviceWorkers: 'allow' })
  const guest = await visitor.newPage()
  const databases = () =>
    guest.evaluate<number>("indexedDB.databases().then((all) => all.filter(({ name }) => name === 'received').length)")
  await guest.goto('/auth/signIn')
  await installed(guest)
  await shareTo(guest, 'first.jpg')
  await guest.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await fillSignIn(guest, 'alice')
  await guest.getByText('first.jpg').waitFor()
  t.equal(await databases(), 1)
  await signOut(guest, 'alice')
  t.equal(await databases(), 0)

  const allowed = [{ key: 'share.allowUnauthenticatedShares', value: true }]
  t.ok((await context.request.patch('/api/configs/admin', { data: allowed })).ok())
  await shareTo(guest, 'second.jpg')
  await guest.getByText('second.jpg').waitFor()
  await guest.getByRole('link', { name: 'Sign in' }).waitFor()
})
