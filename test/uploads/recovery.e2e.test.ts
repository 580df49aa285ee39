import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright'
import t, { type Test } from 'tap'
import { startServer } from '../support/app/server.ts'
import { browserArgs, browserPath, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, digestOf, download, finished, type LocalFile, localFiles, pick } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const parts = '**/api/shares/*/files/*/parts/*'

/** A signed-in user on the upload page. */
async function uploader(t: Test, name: string): Promise<Page> {
  const page = await (await visitor(t, browser, url)).newPage()
  await arrive(page, name)
  return page
}

async function sameBytes(page: Page, path: string, file: LocalFile) {
  await page.goto(path)
  return (await digestOf(await download(page, `Download ${file.name}`))) === file.digest
}

t.test('retries a failed part with a notice, and renews an expired session', async (t) => {
  const page = await uploader(t, 'failing')
  let failures = 0
  await page.route(parts, (route) =>
    route.request().url().endsWith('/2') && failures++ < 1 ? route.abort('connectionreset') : route.continue(),
  )
  const [file] = localFiles(t, { 'three-parts.bin': 20_000_000 })
  await pick(page, [file!])
  await createShare(page)
  await page.getByText('1 file failed to upload. Trying again.').waitFor()
  await page.context().clearCookies({ name: 'access_token' }) // the session is renewed during the upload
  const renewed = page.waitForResponse('**/api/auth/token')
  const path = await finished(page)
  t.equal((await renewed).status(), 200)
  t.ok(failures > 1, 'the part was sent again')
  await page.unrouteAll()
  t.ok(await sameBytes(page, path, file!))
})

t.test('resumes the same file from the last part after a reload', async (t) => {
  const page = await uploader(t, 'reloading')
  const sent: string[] = []
  let held = true
  await page.route(parts, async (route) => {
    const part = route.request().url().split('/').at(-1)!
    if (route.request().method() === 'PUT') sent.push(part)
    if (held && Number(part) > 2) return // never responds
    await route.continue()
  })
  const [file, other] = localFiles(t, { 'big.bin': 50_000_000, 'other.txt': 10 })
  await pick(page, [file!])
  const arrived = Promise.all([page.waitForResponse('**/parts/1'), page.waitForResponse('**/parts/2')])
  await createShare(page)
  await arrived
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByText('An upload was interrupted').waitFor()
  held = false
  sent.length = 0
  await pick(page, [other!])
  await page.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await page.getByRole('button', { name: 'Remove other.txt' }).click()
  await pick(page, [file!])
  const path = await finished(page)
  t.same(sent.sort(), ['3', '4', '5', '6'], 'uploaded parts are not sent again')
  await page.unrouteAll()
  t.ok(await sameBytes(page, path, file!))
})

/** Kills every process of the browser that has this profile. */
function killBrowser(profile: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(profile)) process.kill(Number(pid), 'SIGKILL')
    } catch {} // it has ended
  }
}

t.test('offers to resume after the browser was killed, and only with the same file', async (t) => {
  const profile = mkdtempSync(join(tmpdir(), 'rb-profile-'))
  t.teardown(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
  const open = (): Promise<BrowserContext> =>
    chromium.launchPersistentContext(profile, {
      executablePath: browserPath(),
      args: browserArgs,
      baseURL: url,
      serviceWorkers: 'block',
    })
  const before = await open()
  await arrive(await before.newPage(), 'crashing')
  await before.close() // writes the session's cookies
  const killed = await open()
  const page = await killed.newPage()
  await page.route(parts, (route) => (route.request().url().endsWith('/1') ? route.continue() : undefined))
  await page.goto('/upload')
  const [file] = localFiles(t, { 'film.bin': 20_000_000 })
  await pick(page, [file!])
  const arrived = page.waitForResponse('**/parts/1')
  await createShare(page)
  await arrived
  killBrowser(profile)
  await killed.close().catch(() => {})
  const after = await open()
  t.teardown(() => after.close())
  const later = await after.newPage()
  await later.goto('/upload')
  await later.getByText('An upload was interrupted').waitFor()
  const time = new Date()
  utimesSync(file!.path, time, new Date(time.getTime() - 60_000)) // another date
  await pick(later, [file!])
  await later.getByText('film.bin is not the same file').waitFor()
  t.ok(await later.getByText('An upload was interrupted').isVisible(), 'the offer stays')
})

t.test('discards an interrupted upload', async (t) => {
  const page = await uploader(t, 'throwing')
  await page.route(parts, () => {})
  await pick(page, localFiles(t, { 'a.bin': 1_000 }))
  await createShare(page, { link: 'thrown-away' })
  await page.getByRole('progressbar').waitFor()
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByText('An upload was interrupted').waitFor({ state: 'detached' })
  const answer = await page.request.get('/api/shares/isShareIdAvailable/thrown-away')
  t.same(await answer.json(), { isAvailable: true })
})

t.test('waits while offline, and resumes by itself', async (t) => {
  const page = await uploader(t, 'offline')
  const [file] = localFiles(t, { 'some.bin': 30_000_000 })
  await page.route(parts, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue().catch(() => {})
  })
  await pick(page, [file!])
  await createShare(page)
  await page.getByRole('progressbar').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('heading', { name: 'Connection lost' }).waitFor()
  await page.context().setOffline(false)
  const path = await finished(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  t.ok(await sameBytes(page, path, file!))
})

t.test('pauses, stays alive on other pages, resumes, and leaves nothing when canceled', async (t) => {
  const page = await uploader(t, 'resting')
  let slow = true
  await page.route(parts, async (route) => {
    if (slow) await new Promise((resolve) => setTimeout(resolve, 1_000))
    await route.continue().catch(() => {})
  })
  const [first, second] = localFiles(t, { 'one.bin': 30_000_000, 'two.bin': 9_000_000 })
  await pick(page, [first!])
  await createShare(page)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('heading', { name: 'Paused' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.emulateMedia({ colorScheme: 'dark' }) // no navigation: a notice here would be a second one below
  await page.locator('html[data-theme="dark"]').waitFor()
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByText('Still uploading. You can look around').waitFor()
  slow = false
  await page.getByText('Your share is ready. Its link is under Upload.').waitFor()
  await page.getByRole('link', { name: 'Upload', exact: true }).click()
  await finished(page)
  await page.getByRole('link', { name: 'Share more files' }).click()

  slow = true
  await pick(page, [second!])
  await createShare(page, { link: 'never-mind' })
  await page.getByRole('button', { name: 'Cancel upload' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel upload' }).click()
  await page.getByRole('heading', { name: '1 file chosen' }).waitFor()
  const answer = await page.request.get('/api/shares/isShareIdAvailable/never-mind')
  t.same(await answer.json(), { isAvailable: true })
})

t.test('uploads the files to a new share when theirs is deleted meanwhile', async (t) => {
  const page = await uploader(t, 'losing')
  const held = Promise.withResolvers<void>()
  await page.route(parts, async (route) => {
    await held.promise
    await route.continue()
  })
  const [file] = localFiles(t, { 'kept.bin': 9_000_000 })
  await pick(page, [file!])
  await createShare(page, { link: 'vanishing' })
  await page.getByRole('progressbar').waitFor()
  await page.request.delete('/api/shares/vanishing')
  held.resolve()
  await page.getByText('The share was deleted or has expired.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  t.equal(await page.getByRole('status').filter({ hasText: 'The upload has stopped' }).textContent(), 'The upload has stopped')
  await page.getByRole('button', { name: 'Upload to a new share' }).click()
  await page.getByRole('heading', { name: '1 file chosen' }).waitFor()
  await createShare(page)
  t.ok(await sameBytes(page, await finished(page), file!))
})

t.test('explains the error of a proxy', async (t) => {
  const page = await uploader(t, 'proxied')
  await page.route(parts, (route) => route.fulfill({ status: 403, contentType: 'text/html', body: '<h1>Forbidden</h1>' }))
  await pick(page, localFiles(t, { 'blocked.bin': 1_000 }))
  await createShare(page)
  await page.getByText('A proxy or firewall in front of the server refuses this upload (error 403).').waitFor()
  await page.getByText('The share opens when its files have arrived.').waitFor()
  t.equal(await page.getByText('The other files have arrived').count(), 0)
})
