import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { listen } from '../support/listening.ts'

t.setTimeout(120_000) // four visits of a browser
const { app } = await testApp(t)
const port = await listen(app)
const browser = await openBrowser(t)
const shots = process.env.SHOTS

t.test('can be read and searched, wide and narrow, light and dark', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const context = await visitor(t, browser, `http://127.0.0.1:${port}`, { colorScheme, viewport: { width, height: 800 } })
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && !message.text().includes('404') && t.fail(message.text()))
      await page.goto('/api/docs')
      const name = `${colorScheme} ${width}`
      if (shots) await page.screenshot({ path: `${shots}/docs-${colorScheme}-${width}.png` })
      await fitsWidth(t, page, name)
      await page.keyboard.press('/')
      await page.keyboard.type('upload multipart')
      const calls = page.locator('.call:visible')
      await calls.filter({ hasText: '/api/upload' }).waitFor()
      t.ok((await calls.count()) < 5, 'few calls remain')
      await page.locator('.call:visible summary', { hasText: '/api/upload' }).click()
      t.match(await page.locator('.call[open] pre').textContent(), '-F file=@photo.jpg')
      if (shots) await page.screenshot({ path: `${shots}/docs-search-${colorScheme}-${width}.png`, fullPage: true })
      await fitsWidth(t, page, `${name} opened`)
      if (width === 1280) await accessible(t, page, name)
      await page.locator('#search').fill('nothing like this')
      t.equal(await page.locator('#found').textContent(), 'No call has all of these words.')
      await page.goto('/api/docs#postApiShares')
      await context.close()
    }
  }
})
