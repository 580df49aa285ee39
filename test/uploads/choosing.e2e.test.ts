import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, finished, localFiles, pick } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const page = await (await visitor(t, browser, url)).newPage()
await arrive(page, 'alice')

/** Drops or pastes a file of ten bytes with the events of a browser. */
const bring = (page: Page, event: 'drop' | 'paste', name: string) =>
  page.evaluate(`{
    const data = new DataTransfer()
    data.items.add(new File(['0123456789'], ${JSON.stringify(name)}))
    const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
    document.body.dispatchEvent(${event === 'drop' ? "new DragEvent('drop', init)" : "new ClipboardEvent('paste', init)"})
  }`)

const chosen = (page: Page, count: number) => page.getByRole('heading', { name: `${count} file${count === 1 ? '' : 's'} chosen` }).waitFor()

t.test('adds files by drop, paste and picker repeatedly, also while the form is filled in', async (t) => {
  const files = localFiles(t, { 'a.txt': 10, 'b.txt': 20 })
  await bring(page, 'drop', 'dropped.txt')
  await chosen(page, 1)
  await bring(page, 'paste', 'pasted.png')
  await chosen(page, 2)
  await pick(page, files)
  await chosen(page, 4)
  await pick(page, files.slice(0, 1))
  await page.getByText('1 file is in the list already and was left out.').waitFor()
  await chosen(page, 4)
  await pick(page, localFiles(t, { 'a.txt': 11 }))
  await chosen(page, 5)
  await page.getByRole('button', { name: 'Remove a (1).txt' }).waitFor()
  await page.getByRole('button', { name: 'Remove dropped.txt' }).focus()
  await page.keyboard.press('Enter')
  await chosen(page, 4)
  t.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Remove pasted.png', 'the focus moves to the next file')
  await page.getByLabel('Title', { exact: true }).fill('Kept')
  await bring(page, 'drop', 'late.txt')
  await chosen(page, 5)
  t.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'Kept', 'the form keeps its values')
  await page.getByRole('button', { name: 'Remove all' }).click()
})

t.test('keeps the structure of a folder', async (t) => {
  const [marker] = localFiles(t, { 'readme.txt': 5 })
  const folder = dirname(marker!.path)
  mkdirSync(join(folder, 'pictures/2026'), { recursive: true })
  writeFileSync(join(folder, 'pictures/2026/one.jpg'), 'x')
  await page.getByTestId('folder').setInputFiles(join(folder, 'pictures'))
  await chosen(page, 1)
  await createShare(page)
  const path = await finished(page)
  const answer = await page.request.get(`/api/shares/${path.split('/').at(-1)}/from-owner`)
  t.same(
    ((await answer.json()) as { files: { name: string }[] }).files.map(({ name }) => name),
    ['pictures/2026/one.jpg'],
  )
  await page.getByRole('link', { name: 'Share more files' }).click()
})

t.test('lists hundreds of files of a dropped folder in the order of their names', async (t) => {
  await page.evaluate(`(async () => {
    const done = (start) => new Promise(start)
    const { root } = await done((resolve, reject) => webkitRequestFileSystem(TEMPORARY, 1e6, resolve, reject))
    const folder = (parent, name) => done((resolve, reject) => parent.getDirectory(name, { create: true }, resolve, reject))
    const trip = await folder(root, 'trip')
    const inner = await folder(trip, 'photo 20')
    const create = (parent, name) => done((resolve, reject) => parent.getFile(name, { create: true }, resolve, reject))
    await Promise.all(Array.from({ length: 250 }, (_, index) => create(trip, 'photo ' + index + '.jpg')))
    for (const name of ['b', 'a']) await create(inner, name)
    const event = new DragEvent('drop', { bubbles: true })
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], items: [{ kind: 'file', webkitGetAsEntry: () => trip }] } })
    document.body.dispatchEvent(event)
  })()`)
  await chosen(page, 252)
  await page.getByRole('button', { name: 'Remove trip/photo 0.jpg' }).waitFor()
  await page.evaluate("document.querySelector('.rows').scrollTop = 64 * 19")
  await page.getByRole('button', { name: 'Remove trip/photo 20/a' }).waitFor()
  const names = await page.evaluate<string[]>("[...document.querySelectorAll('.rows .words')].map(({ title }) => title)")
  const at = names.indexOf('trip/photo 20/a')
  t.same(names.slice(at - 1, at + 3), ['trip/photo 19.jpg', 'trip/photo 20/a', 'trip/photo 20/b', 'trip/photo 20.jpg'])
  await page.getByRole('button', { name: 'Remove all' }).click()
})

t.test('renders only the visible rows of five thousand files, and reaches the last one', async (t) => {
  await page.evaluate(`{
    const data = new DataTransfer()
    for (let index = 0; index < 5000; index++) data.items.add(new File(['x'], 'file ' + index + '.txt'))
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: data }))
  }`)
  await chosen(page, 5_000)
  t.ok((await page.getByRole('listitem').count()) < 60)
  await page.getByRole('region', { name: 'Files' }).focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Remove file 4999.txt' }).waitFor()
  await page.getByRole('button', { name: 'Remove all' }).click()
})

t.test('uploads three hundred small files completely', async (t) => {
  const sizes = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`small ${index}.bin`, index % 50]))
  await pick(page, localFiles(t, sizes))
  await createShare(page)
  const path = await finished(page)
  const answer = await page.request.get(`/api/shares/${path.split('/').at(-1)}/from-owner`)
  t.equal(((await answer.json()) as { files: unknown[] }).files.length, 300)
})
