import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, finished } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const context = await visitor(t, browser, url, { permissions: ['clipboard-read', 'clipboard-write'] })
const page = await context.newPage()
await arrive(page, 'writing')
const stranger = await (await visitor(t, browser, url, { permissions: ['clipboard-read', 'clipboard-write'] })).newPage()

t.test('shares a pasted text without a file, and visitors copy it', async (t) => {
  const text = 'const answer = 42\n<script>alert(1)</script>\n'
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(text)})
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  await page.getByLabel('Text or link').waitFor()
  await page.reload()
  t.equal(await page.getByLabel('Text or link').inputValue(), text, 'a reload keeps the text')
  await accessible(t, page, 'the text with the form')
  await createShare(page)
  const path = await finished(page)
  await stranger.goto(path)
  await stranger.getByRole('heading', { name: 'Text from writing' }).waitFor()
  await stranger.getByText('const answer = 42').waitFor()
  await accessible(t, stranger, 'a shared text')
  await stranger.getByRole('button', { name: 'Copy' }).click()
  t.equal(await stranger.evaluate('navigator.clipboard.readText()'), text)
  const { views } = (await (await page.request.get(`/api${path.replace('/share/', '/shares/')}/from-owner`)).json()) as { views: number }
  t.equal(views, 1, 'showing the text is not another visit')
  await page.goto('/account/shares')
  await page.getByRole('link', { name: 'Text', exact: true }).waitFor()
})

t.test('shows a link as a link', async (t) => {
  await page.goto('/upload')
  await page.getByRole('button', { name: 'Share text or a link instead' }).click()
  t.ok(await page.getByRole('button', { name: 'Upload and share' }).isDisabled(), 'an empty text is not sent')
  await page.getByLabel('Text or link').fill('https://example.com/some/where?a=b')
  await createShare(page)
  await stranger.goto(await finished(page))
  const link = stranger.getByRole('link', { name: 'Open example.com' })
  t.equal(await link.getAttribute('href'), 'https://example.com/some/where?a=b')
  t.match(await link.getAttribute('rel'), /noopener noreferrer/)
})
