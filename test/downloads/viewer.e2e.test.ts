import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow, download, openShare } from '../support/browser/journeys.ts'
import { member } from '../support/people/accounts.ts'
import { png } from '../support/png.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { context } = await member(t, browser, url, 'alice')
const picture = png(600, 400, (x, y) => [x % 256, y % 256, 120, 255])
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><script>document.title = "owned"</script><rect width="90" height="60"/></svg>'
await createShareRow(context, 'album', { 'a.png': picture, 'b.png': picture, 'c.png': picture, 'z.bin': 'x' }, { name: 'Album' })
await createShareRow(context, 'papers', {
  'code.ts': 'const answer = 42 // <b>\n',
  'drawing.svg': svg,
  'endless.ini': 'a'.repeat(200_000), // its colors would take hours
  'empty.txt': '',
  'notes.md':
    '# Title\n\n<img src=x onerror="document.title=1">\n\n| a | b |\n|:-:|---|\n| 1 | 2 |\n\n[bad](javascript:alert(1)) [in](/account) [out](https://example.org/) ![p](https://example.org/p.png)\n',
  'wide.csv': `${'a;'.repeat(80)}a\n`,
  'table.csv': '\ufeffname;town\n"Ann ""A""";Oslo\n"Bob\nB.";Rome\n',
})
const filesOf = async (id: string): Promise<{ id: string; name: string }[]> =>
  (await (await context.request.get(`/api/shares/${id}`)).json()).files
const viewer = (page: Page) => page.getByRole('dialog')
const openFile = async (page: Page, id: string, name: string) => {
  await openShare(page, id)
  await page.getByRole('link', { name, exact: true }).click()
  await viewer(page).waitFor()
}

t.test('opens the copied link of a file at that file, after the password where one is needed', async (t) => {
  await createShareRow(context, 'locked', { 'deep/secret.txt': 'the secret', 'other.txt': 'x' }, { security: { password: 'open it' } })
  const owner = await context.newPage()
  await owner.goto('/share/locked?folder=deep')
  await owner.getByRole('button', { name: 'Link to secret.txt' }).click()
  const link = await owner.getByRole('dialog').getByLabel('Link', { exact: true }).inputValue()
  const [{ id } = { id: '' }] = await filesOf('locked')
  t.equal(link, `${url}/share/locked?preview=${id}`)
  await owner.close()
  for (const address of [link, `${url}/api/shares/locked/files/${id}`]) {
    const page = await (await visitor(t, browser, url)).newPage()
    const first = await page.goto(address)
    t.notMatch(await first!.text(), /secret/, 'nothing is revealed before')
    await page.locator('input[type=password]').fill('open it')
    await page.keyboard.press('Enter')
    await viewer(page).getByText('the secret').waitFor()
    t.equal(page.url(), link)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'secret.txt', exact: true }).waitFor()
    t.equal(await page.getByText('other.txt').count(), 0, 'the folder of the file')
    t.equal(readFileSync(await download(page, 'Download secret.txt'), 'utf8'), 'the secret', 'downloads of the page are not led away')
    await page.context().close()
  }
})

t.test('shows pictures on the whole screen, and steps with arrows that stay where they are', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await openFile(page, 'album', 'a.png')
  const box = (await viewer(page).boundingBox())!
  t.same([box.width, box.height], [1280, 800])
  await viewer(page).getByText('1 of 3').waitFor()
  t.equal(await page.evaluate("document.activeElement.closest('button')"), null, 'the focus is not on a button')
  const places = async () =>
    Promise.all(['Previous file', 'Next file'].map((name) => viewer(page).getByRole('button', { name }).boundingBox()))
  const before = await places()
  await accessible(t, page, 'the viewer')
  await page.keyboard.press('ArrowRight')
  await viewer(page).getByText('2 of 3').waitFor()
  await viewer(page).getByRole('button', { name: 'Next file' }).click()
  await viewer(page).getByText('3 of 3').waitFor()
  t.same(await places(), before)
  t.match(page.url(), /preview=/, 'a reload stays at the file')
  await page.reload()
  await viewer(page).getByText('3 of 3').waitFor()
  await page.goBack()
  await viewer(page).waitFor({ state: 'hidden' })
  t.equal(new URL(page.url()).search, '')
  await page.getByRole('link', { name: 'b.png', exact: true }).click()
  await viewer(page).waitFor()
  await viewer(page).getByRole('button', { name: 'Close' }).click()
  await viewer(page).waitFor({ state: 'hidden' })
  t.equal(await page.evaluate('document.activeElement.innerText'), 'b.png', 'the focus returns')
  await page.context().close()
})

t.test('loads the next picture ahead', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  const [, second] = await filesOf('album')
  const ahead = page.waitForRequest((request) => request.url().includes(second!.id))
  await page.goto(`/share/album?preview=${(await filesOf('album'))[0]!.id}`)
  await ahead
  await viewer(page).getByText('1 of 3').waitFor()
  await page.context().close()
})

t.test('swipes, pinches and enlarges by two taps on a phone', async (t) => {
  const phone = await visitor(t, browser, url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  const page = await phone.newPage()
  await openShare(page, 'album')
  await page.getByRole('link', { name: 'a.png', exact: true }).tap()
  await viewer(page).getByRole('img', { name: 'a.png' }).waitFor()
  await fitsWidth(t, page, 'the viewer on a phone')
  const touch = await phone.newCDPSession(page)
  const send = (type: string, ...points: [x: number, y: number][]) =>
    touch.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints: points.map(([x, y], id) => ({ x, y, id })) })
  const swipe = async (from: number, to: number) => {
    await send('touchStart', [from, 400])
    for (const part of [0.3, 0.6, 1]) await send('touchMove', [from + (to - from) * part, 402])
    await send('touchEnd')
  }
  await swipe(300, 80)
  await viewer(page).getByRole('img', { name: 'b.png' }).waitFor()
  await swipe(80, 300)
  await viewer(page).getByRole('img', { name: 'a.png' }).waitFor()
  const scale = async () => Number(/scale\(([\d.]+)\)/.exec((await viewer(page).getByRole('img').getAttribute('style')) ?? '')?.[1] ?? 1)
  await send('touchStart', [150, 400])
  await send('touchStart', [150, 400], [210, 400])
  await send('touchMove', [100, 400], [260, 400])
  await send('touchMove', [60, 400], [300, 400])
  await send('touchEnd')
  t.ok((await scale()) > 2, `${await scale()}`)
  await swipe(300, 80)
  t.ok(await viewer(page).getByRole('img', { name: 'a.png' }).isVisible(), 'an enlarged picture is moved, not left')
  await page.touchscreen.tap(180, 400)
  await page.touchscreen.tap(180, 400)
  t.equal(await scale(), 1)
  await page.waitForTimeout(400)
  await page.touchscreen.tap(180, 400)
  await page.touchscreen.tap(180, 400)
  t.equal(await scale(), 2.5)
  await page.goBack()
  await viewer(page).waitFor({ state: 'hidden' })
  await phone.close()
})

t.test('shows an SVG as a picture, whose script does not run', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await openFile(page, 'papers', 'drawing.svg')
  await eventually(() => page.evaluate<boolean>("document.querySelector('dialog img')?.naturalWidth === 90"), 'the picture is shown')
  t.not(await page.title(), 'owned')
  await page.context().close()
})

t.test('shows Markdown formatted, without HTML, pictures and links that could act here', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await openFile(page, 'papers', 'notes.md')
  await viewer(page).getByRole('heading', { name: 'Title' }).waitFor()
  t.equal(await viewer(page).locator('article img').count(), 0)
  t.same(
    await viewer(page)
      .locator('article a')
      .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href)),
    ['https://example.org/', 'https://example.org/p.png'],
  )
  t.equal(await viewer(page).locator('article td').count(), 2)
  t.same(problems, [], 'the content security policy refuses nothing')
  await accessible(t, page, 'Markdown')
  await page.context().close()
})

t.test('shows comma-separated values as a table, code with colors, and says that a file is empty', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await openFile(page, 'papers', 'table.csv')
  await viewer(page).locator('.text-table').waitFor()
  t.same(await viewer(page).locator('td, th').allInnerTexts(), ['name', 'town', 'Ann "A"', 'Oslo', 'Bob\nB.', 'Rome'])
  await openFile(page, 'papers', 'wide.csv')
  await viewer(page).getByText('These are the first 60 columns.').waitFor()
  t.equal(await viewer(page).locator('th').count(), 60)
  await openFile(page, 'papers', 'code.ts')
  await viewer(page).locator('.hljs-keyword', { hasText: 'const' }).waitFor()
  t.equal((await viewer(page).locator('pre').textContent())?.trim(), 'const answer = 42 // <b>')
  await accessible(t, page, 'code')
  await openFile(page, 'papers', 'empty.txt')
  await viewer(page).getByText('This file is empty.').waitFor()
  await page.context().close()
})

t.test('stays usable while a text that can not be formatted in time is open', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await openFile(page, 'papers', 'endless.ini')
  await viewer(page).locator('pre', { hasText: 'aaaa' }).waitFor()
  await page.waitForTimeout(2_000) // the formatter has begun
  await viewer(page).getByRole('button', { name: 'Close' }).click({ timeout: 10_000 })
  await viewer(page).waitFor({ state: 'hidden' })
  await page.context().close()
})

t.test('plays a video only after a click', async (t) => {
  await createShareRow(context, 'clips', { 'clip.mp4': 'not a video', 'song.mp3': 'no song' })
  const page = await (await visitor(t, browser, url)).newPage()
  await page.addInitScript('HTMLMediaElement.prototype.play = () => { document.title = "played"; return Promise.resolve() }')
  await openShare(page, 'clips')
  await page.route('**/files/*?download=false', () => {}) // keeps the element, which would report the broken file
  await page.getByRole('link', { name: 'clip.mp4', exact: true }).click()
  await viewer(page).locator('video').waitFor()
  t.equal(await viewer(page).locator('[autoplay]').count(), 0)
  t.not(await page.title(), 'played')
  await page.keyboard.press('Space')
  await eventually(async () => (await page.title()) === 'played', 'it plays')
  await page.context().close()
})
