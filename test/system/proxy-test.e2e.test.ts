import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { nginx } from '../support/app/proxies.ts'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { fillSignIn, still } from '../support/people/accounts.ts'
import { password } from '../support/people/people.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const account = { ADMIN_USERNAME: 'admin', ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: password }
const { url } = await startServer(t, account)
const browser = await openBrowser(t)
const shots = process.env.SHOTS

/** Opens the System page as an administrator through an nginx with this block. */
async function systemPage(t: Test, block: string): Promise<Page> {
  const through = await nginx.start(t, { port: Number(new URL(url).port), edit: () => block })
  const page = await (await still(t, browser, through)).newPage()
  await page.goto('/auth/signIn')
  await fillSignIn(page, 'admin')
  await page.waitForURL((address) => !address.pathname.startsWith('/auth'))
  await page.goto('/admin/system')
  return page
}

t.test('shows an administrator what to change in a proxy with default settings', { skip: nginx.missing }, async (t) => {
  const block = 'location / { proxy_pass http://127.0.0.1:3000; proxy_set_header X-Forwarded-For $remote_addr; proxy_read_timeout 2s; }'
  const page = await systemPage(t, block)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('Raise its limit, in nginx with client_max_body_size 0.').waitFor()
  await page.getByText('Turn off its buffering').waitFor()
  await page.getByText('is cut (status 504)').waitFor()
  await accessible(t, page, 'the results')
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 })
    await fitsWidth(t, page, `the results at ${width}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.getByRole('heading', { name: 'Reverse proxy' }).scrollIntoViewIfNeeded()
      if (shots) await page.screenshot({ path: `${shots}/proxy-${width}-${colorScheme}.png`, fullPage: true })
    }
  }
})

t.test('shows an administrator that a proxy holds requests back', { skip: nginx.missing }, async (t) => {
  const page = await systemPage(t, 'location / { proxy_pass http://127.0.0.1:3000; client_max_body_size 0; }')
  const connection = await page.context().newCDPSession(page)
  const speed = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 4_000_000 }
  await connection.send('Network.emulateNetworkConditions', speed)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('A proxy holds requests back until they are complete.').waitFor()
  await page.getByText('A body of 8 MB arrives').waitFor()
})
