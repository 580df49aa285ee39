import t from 'tap'
import { contrast } from '../../src/pages/palette.ts'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { createShareRow } from '../support/browser/journeys.ts'
import { member, still } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page: admin, context } = await member(t, browser, url, 'root')
await createShareRow(context, 'holiday', { 'a.txt': 'a' }, { description: 'See https://example.org/plan.' })
const visitor = await (await still(t, browser, url)).newPage()
const exact = { exact: true }
const birds = () => visitor.locator('.razorbill-disc').count()
/** The background of the first primary button, such as `#4940de`. */
async function buttonColor(): Promise<string> {
  const color = await visitor.evaluate<string>("getComputedStyle(document.querySelector('.ant-btn-primary')).backgroundColor")
  return `#${color
    .match(/\d+/g)!
    .map((value) => Number(value).toString(16).padStart(2, '0'))
    .join('')}`
}

t.test('shows the bird and no footer by default', async (t) => {
  await visitor.goto('/')
  await visitor.getByRole('heading', { level: 1 }).waitFor()
  t.equal(await birds(), 1)
  t.equal(await visitor.getByRole('contentinfo').count(), 0)
})

t.test('sets accent color, welcome text and footer, and turns the bird off', async (t) => {
  await admin.goto('/admin/config/general')
  await admin.getByLabel('Accent color', exact).fill('red')
  await admin.getByRole('button', { name: 'Save changes' }).click()
  await admin.getByText('Must be a color such as #4940de').waitFor()
  await admin.getByLabel('Accent color', exact).fill('#ffcc00')
  await admin.getByLabel('Welcome text', exact).fill('Files of the team.\nQuestions? https://example.org/help')
  await admin.getByLabel('Footer', exact).fill('Team Files, Bergen\nImprint https://example.org/imprint')
  await admin.getByLabel('Show the bird', exact).click()
  await accessible(t, admin, 'the settings of the own look')
  await admin.getByRole('button', { name: 'Save changes' }).click()
  await admin.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'hidden' })
})

t.test('shows the own look on every page, readable in both color schemes', async (t) => {
  for (const path of ['/', '/auth/signIn', '/share/holiday', '/share/missing', '/nowhere']) {
    await visitor.goto(path)
    await visitor.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await birds(), 0, path)
    await visitor.getByRole('link', { name: 'Imprint', exact: true }).waitFor()
    t.equal(await visitor.getByRole('link', { name: 'Imprint', exact: true }).getAttribute('href'), 'https://example.org/imprint')
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.emulateMedia({ colorScheme })
      await accessible(t, visitor, `${path} in the ${colorScheme} scheme`)
    }
    await visitor.setViewportSize({ width: 360, height: 740 })
    await fitsWidth(t, visitor, path)
    await visitor.setViewportSize({ width: 1280, height: 800 })
  }
  await visitor.goto('/')
  await visitor.getByText('Files of the team.').waitFor()
  const link = visitor.getByRole('link', { name: 'https://example.org/help' })
  t.equal(await link.getAttribute('rel'), 'noopener nofollow')
  for (const colorScheme of ['light', 'dark'] as const) {
    await visitor.emulateMedia({ colorScheme })
    await visitor.waitForTimeout(400)
    const background = await buttonColor()
    t.not(background, '#4940de')
    t.ok(contrast(background, '#ffffff') >= 4.5, `${colorScheme}: ${background}`)
  }
})

t.test('links the addresses in the note of a share', async (t) => {
  await visitor.goto('/share/holiday')
  const link = visitor.getByRole('link', { name: 'https://example.org/plan', exact: true })
  t.equal(await link.getAttribute('rel'), 'noopener nofollow')
})
