import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShare, createShareRow, edit, finished, save } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const photos = ['photo.jpg', 'photo.heic'].map((name) => join(import.meta.dirname, '../fixtures/photos', name))

t.test('removes location and camera data before an upload, as switched on', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await arrive(page, 'wandering')
  for (const isOn of [false, true]) {
    await page.goto('/upload')
    await page.getByTestId('files').setInputFiles(photos)
    const removal = page.getByRole('checkbox', { name: /^Remove location and camera data/ })
    t.equal(await removal.isChecked(), false)
    if (isOn) await removal.check()
    await accessible(t, page, 'the switch')
    await createShare(page)
    const id = (await finished(page)).split('/').at(-1)
    const { files } = await (await page.request.get(`/api/shares/${id}`)).json()
    for (const file of files) {
      const bytes = await (await page.request.get(`/api/shares/${id}/files/${file.id}`)).body()
      t.equal(bytes.includes('Secret'), !isOn, file.name)
    }
  }
  await page.goto('/upload')
  await page.getByTestId('files').setInputFiles(photos)
  t.ok(await page.getByRole('checkbox', { name: /^Remove location/ }).isChecked(), 'remembered in this browser')
  await page.context().close()
})

t.test('uploads nothing if the data of a photo can not be removed', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await arrive(page, 'careful')
  const broken = { name: 'broken.jpg', mimeType: 'image/jpeg', buffer: readFileSync(photos[0]!).subarray(0, 400) }
  await page.getByTestId('files').setInputFiles(broken)
  await page.getByRole('checkbox', { name: /^Remove location/ }).check()
  await createShare(page)
  await page.getByText("The location data of broken.jpg can't be removed.").waitFor()
  t.same(await (await page.request.get('/api/shares')).json(), [])
  await page.context().close()
})

t.test('removes location and camera data from photos that are added to a share', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await arrive(page, 'adding')
  await createShareRow(page.context(), 'album', { 'a.txt': 'a' })
  await edit(page, 'album')
  await page.getByRole('checkbox', { name: /^Remove location and camera data/ }).check()
  await accessible(t, page, 'the switch on the page to edit a share')
  await page.getByTestId('files').setInputFiles(photos)
  for (const name of ['photo.jpg', 'photo.heic']) await page.getByRole('button', { name: `Rename ${name}` }).waitFor()
  await save(page)
  const { files } = await (await page.request.get('/api/shares/album')).json()
  t.equal(files.length, 3)
  for (const file of files) {
    const bytes = await (await page.request.get(`/api/shares/album/files/${file.id}`)).body()
    t.notOk(bytes.includes('Secret'), file.name)
  }
  await page.context().close()
})
