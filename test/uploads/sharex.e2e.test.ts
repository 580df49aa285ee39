import { readFile } from 'node:fs/promises'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { member } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const shots = process.env.SHOTS

t.test('offers a new token as a ShareX preset that can upload', async (t) => {
  const { page } = await member(t, browser, url, 'alice')
  await page.goto('/account')
  const create = async (...without: string[]) => {
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New API token' })
    await dialog.getByLabel('Name').fill('Screenshots')
    for (const scope of without) await dialog.getByLabel(scope).uncheck()
    await dialog.getByRole('button', { name: 'Create token' }).click()
    return page.getByLabel('API token', { exact: true }).inputValue()
  }
  await create('Create and change shares')
  t.equal(await page.getByText('ShareX').count(), 0, 'a token without upload permission has no preset')
  await page.getByRole('button', { name: 'Done' }).click()

  const token = await create()
  const button = page.getByRole('link', { name: 'Download ShareX preset' })
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  t.equal(download.suggestedFilename(), '127.0.0.1.sxcu')
  await accessible(t, page, 'the dialog of a made token')
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await fitsWidth(t, page, `the dialog of a made token at ${width}`)
      if (shots) await page.screenshot({ path: `${shots}/token-${colorScheme}-${width}.png` })
    }
  }

  const preset = JSON.parse(await readFile(await download.path(), 'utf8'))
  t.match(preset, { RequestMethod: 'POST', Body: 'MultipartFormData', URL: '{json:link}', ErrorMessage: '{json:message}' })
  t.equal(preset.Headers.Authorization, `Bearer ${token}`)
  const upload = (name: string) => {
    const body = new FormData()
    body.append(preset.FileFormName, new Blob(['a picture'], { type: 'image/png' }), name)
    return fetch(preset.RequestURL, { method: preset.RequestMethod, headers: preset.Headers, body })
  }
  const answer = await upload('capture.png')
  const { link } = (await answer.json()) as { link: string }
  t.equal(answer.status, 201)
  await page.goto(link)
  await page.getByText('capture.png').first().waitFor()
  t.match(await (await upload('a\\b.png')).json(), { message: /file name/ }, 'the error has the message that ShareX shows')
})
