import { readFile } from 'node:fs/promises'
import type { BrowserContext } from 'playwright'
import t, { type Test } from 'tap'
import { nginx } from '../support/app/proxies.ts'
import { startServer } from '../support/app/server.ts'
import { openBrowser, visitor } from '../support/browser/browser.ts'
import { createShare, digestOf, finished, localFiles, pick } from '../support/browser/journeys.ts'
import { freePort } from '../support/listening.ts'
import { fillSignIn, onAccount } from '../support/people/accounts.ts'
import { password } from '../support/people/people.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const listenAt = await freePort()
const site = `http://127.0.0.1:${listenAt}/files`
const admin = { ADMIN_USERNAME: 'admin', ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: password }
const { url } = await startServer(t, { APP_URL: site, ...admin })
const browser = await openBrowser(t)
const files = localFiles(t, { 'one.bin': 9_000_000, 'two.bin': 1_000 })

/** Opens a browser that fails the test for each request outside the site's path. */
async function visitorBelow(t: Test): Promise<BrowserContext> {
  const context = await visitor(t, browser, `${site}/`, { reducedMotion: 'reduce', serviceWorkers: 'allow' })
  t.teardown(() => context.close())
  const isElsewhere = (address: string) => /^http/.test(address) && !address.startsWith(`${site}/`)
  context.on('request', (request) => isElsewhere(request.url()) && t.fail(`${request.url()} is outside of the path`))
  context.on('response', (response) => response.status() === 404 && t.fail(`${response.url()} is missing`))
  return context
}

async function signsUpAndShares(t: Test, username: string): Promise<{ context: BrowserContext; link: string }> {
  const context = await visitorBelow(t)
  const page = await context.newPage()
  await page.goto('')
  await page.getByRole('navigation').getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email address').fill(`${username}@example.com`)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  t.equal(page.url(), `${site}/upload`)
  await pick(page, files)
  await createShare(page)
  await finished(page)
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  t.ok(link.startsWith(`${site}/share/`), link)
  return { context, link }
}

async function downloads(t: Test, link: string): Promise<void> {
  const page = await (await visitorBelow(t)).newPage()
  const response = await page.goto(link)
  t.match(await response?.text(), 'one.bin', 'the server renders the share')
  await page.getByRole('button', { name: 'Show link' }).click()
  t.equal(await page.getByRole('dialog').getByRole('textbox').inputValue(), link)
  await page.keyboard.press('Escape')
  for (const [name, digest] of [['Download one.bin', files[0]?.digest], ['Download all']] as const) {
    const begun = page.waitForEvent('download')
    await page.getByRole('link', { name }).first().click()
    const path = await (await begun).path()
    if (digest) t.equal(await digestOf(path), digest)
    else t.equal((await readFile(path)).subarray(0, 4).toString('latin1'), 'PK\x03\x04', 'the zip')
  }
  await page.getByRole('banner').getByRole('link').first().click()
  await page.waitForURL(`${site}/`)
}

async function leavesUnsavedChanges(t: Test, context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${link}/edit`)
  await page.getByLabel('Title', { exact: true }).fill('Another name')
  await page.getByRole('link', { name: 'My shares' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL(`${site}/account/shares`)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.waitForURL(`${link}/edit`)
  await page.getByLabel('Title', { exact: true }).fill('A third name')
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay here' }).click()
  t.equal(page.url(), `${link}/edit`)
  await page.close({ runBeforeUnload: false })
}

async function installs(t: Test, context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await page.goto('account')
  t.equal(await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)'), `${site}/`)
  const [name = '', ...others] = await page.evaluate<string[]>('caches.keys()')
  t.match([name, others], [/^\/files\/.+/, []])
  const cached = await page.evaluate<string[]>(
    `caches.open('${name}').then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => url))`,
  )
  t.ok(cached.length > 20)
  t.same(
    cached.filter((address) => !address.startsWith(`${site}/assets/`)),
    [],
  )
  await page.reload()
  await context.setOffline(true)
  await page.goto('account')
  await page.getByRole('heading', { name: 'No connection' }).waitFor()
  await context.setOffline(false)
  await onAccount(page)
}

async function signsOutAndIn(t: Test, context: BrowserContext, username: string): Promise<void> {
  const page = await context.newPage()
  await page.goto('account/shares')
  await page.getByRole('button', { name: `Menu of ${username}` }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`${site}/auth/signIn?redirect=%2Faccount%2Fshares`)
  t.same(
    (await context.cookies()).filter(({ name }) => /token/.test(name)),
    [],
    'no session is left',
  )
  await page.goto('account')
  await fillSignIn(page, username)
  await onAccount(page)
  t.equal(page.url(), `${site}/account`)
  t.same([...new Set((await context.cookies()).map(({ path }) => path.replace(/^\/files\b.*/, '/files')))], ['/files'])
}

/** Lets the proxy compress the pages and their scripts itself. */
const compressing = 'gzip_proxied any; gzip_types text/css text/javascript; proxy_set_header Accept-Encoding "";'

for (const [name, target] of [
  ['keeps', '127.0.0.1:3000'],
  ['removes', '127.0.0.1:3000/'],
] as const) {
  t.test(`works below a path that the proxy ${name}`, { skip: nginx.missing }, async (t) => {
    const edit = (block: string) =>
      block
        .replace('location / {', `location /files/ { ${compressing}`)
        .replace('gzip off;', 'gzip on;')
        .replace('http://127.0.0.1:3000', `http://${target}`)
    await nginx.start(t, { port: Number(new URL(url).port), listenAt, edit })
    const username = `alice.${name}`
    const { context, link } = await signsUpAndShares(t, username)
    await downloads(t, link)
    await leavesUnsavedChanges(t, context, link)
    await signsOutAndIn(t, context, username)
    await installs(t, context)
    const { headers } = await fetch(`${site}/`, { headers: { accept: 'text/html' } })
    t.equal(headers.get('content-encoding'), 'gzip')
  })
}
