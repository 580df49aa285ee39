import type { Page } from 'playwright'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t, { RAZORBILL_SHARE_SHARE_ID_LENGTH: '16' })
const browser = await openBrowser(t)
const exact = { exact: true }
const admin = await (await visitor(t, browser, url)).newPage()
await arrive(admin, 'ada')

const looks = [
  { name: 'on a desk', options: {}, paths: ['/admin', '/admin/config/general', '/admin/config/email', '/admin/config/smtp'] },
  {
    name: 'on a phone in the dark',
    options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
    paths: ['/admin/config/share', '/admin/config/oauth', '/admin/shares', '/admin/system', '/admin/intro'],
  },
] as const

for (const { name, options, paths } of looks) {
  t.test(`passes the accessibility checks, ${name}`, async (t) => {
    const context = await visitor(t, browser, url, { ...options, storageState: await admin.context().storageState() })
    const page = await context.newPage()
    for (const path of paths) {
      await page.goto(path)
      await page.locator('.card:visible').first().waitFor() // social logins that are off are collapsed
      await accessible(t, page, path)
      await fitsWidth(t, page, path)
    }
    await context.close()
  })
}

t.test('denies access to other users', async (t) => {
  const page = await (await visitor(t, browser, url)).newPage()
  await page.goto('/admin/config/smtp')
  await page.waitForURL('**/auth/signIn?redirect=%2Fadmin%2Fconfig%2Fsmtp')
  await arrive(page, 'bob')
  await page.getByRole('button', { name: 'Menu of bob' }).click()
  t.equal(await page.getByRole('link', { name: 'Administration' }).count(), 0)
  await page.goto('/admin/system')
  await page.getByText('You are not allowed to do this.').waitFor()
})

t.test('reaches the administration and its pages from the menu', async (t) => {
  await admin.goto('/upload')
  await admin.getByRole('button', { name: 'Menu of ada' }).click()
  await admin.getByRole('link', { name: 'Administration' }).click()
  await admin.getByText('Razorbill 0.').waitFor()
  await admin.getByRole('link', { name: /^All shares/ }).click()
  await admin.getByRole('heading', { name: 'No shares yet' }).waitFor()
  await admin.getByRole('link', { name: 'Administration' }).click()
  await admin.getByRole('link', { name: /^System/ }).click()
  await admin.getByRole('heading', { name: 'Storage used' }).waitFor()
  t.equal(await admin.getByText('OK', { exact: true }).count(), 3)
  await admin.getByText('No job has failed.').waitFor()
})

t.test('finds, sorts and deletes any share', async (t) => {
  for (const name of ['Puffins', 'Gulls', 'Terns']) await share(admin, name)
  await admin.goto('/admin/shares')
  t.same(await names(), ['Terns', 'Gulls', 'Puffins'], 'the newest first')
  await admin.getByRole('button', { name: 'Name' }).click()
  await admin.locator('[aria-sort=ascending]').waitFor()
  await settled()
  t.same(await names(), ['Gulls', 'Puffins', 'Terns'])
  await admin.getByLabel('Search all shares').fill('puff')
  await admin.getByText('1 share', { exact: true }).first().waitFor()
  await settled()
  t.same(await names(), ['Puffins'])
  await admin.getByRole('button', { name: 'Delete Puffins' }).click()
  const dialog = admin.getByRole('dialog', { name: 'Delete this share?' })
  await accessible(t, admin, 'the question before deleting')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await admin.getByText('No share matches your search.').waitFor()
  await admin.getByRole('button', { name: 'Undo' }).click()
  await admin.getByText('The share was restored').waitFor()
  await admin.getByLabel('Search all shares').fill('')
  await admin.getByText('3 shares', { exact: true }).first().waitFor()
})

t.test('searches all settings, and shows settings fixed by the environment as read-only', async (t) => {
  await admin.goto('/admin/config/email')
  await admin.getByLabel('Search settings').fill('length links')
  await admin.getByText('remove RAZORBILL_SHARE_SHARE_ID_LENGTH there').waitFor()
  t.equal(await admin.locator('.setting').count(), 1)
  t.equal(await admin.locator('.setting output').textContent(), '16')
  t.equal(await admin.locator('.setting input').count(), 0)
})

t.test('does not autofill the mail server; its password can be written but not read', async (t) => {
  await admin.goto('/admin/config/general')
  await admin.getByLabel('Address', exact).fill(url)
  await admin.getByRole('button', { name: 'Save changes' }).click()
  await admin.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'hidden' })
  await admin.goto('/admin/config/smtp')
  await admin.getByLabel('Host', exact).waitFor()
  t.equal(await admin.locator('input[type=password]').count(), 0, 'a password manager finds no password field')
  t.same(
    await admin.evaluate(
      "[...new Set([...document.querySelectorAll('.settings input:not([role=combobox])')].map((field) => field.autocomplete))]",
    ),
    ['off'],
  )
  await admin.getByRole('switch', { name: 'Send emails' }).click()
  await admin.getByLabel('Host', exact).fill('127.0.0.1')
  await admin.getByLabel('Port', exact).fill('9')
  await admin.getByRole('textbox', { name: 'Sender', exact: true }).fill('files@example.test')
  await admin.getByRole('textbox', { name: 'Username' }).fill('files')
  await admin.getByRole('button', { name: 'Enter “Password”' }).click()
  const password = admin.getByLabel('New value of “Password”')
  t.equal(await password.getAttribute('autocomplete'), 'new-password')
  await password.fill('a secret of the mail server')
  await admin.getByText('Save your changes first').waitFor()
  await admin.getByRole('button', { name: 'Save changes' }).click()
  await admin.getByRole('button', { name: 'Replace “Password”' }).waitFor()
  await admin.reload()
  await admin.getByRole('button', { name: 'Replace “Password”' }).waitFor()
  t.notMatch(await admin.content(), 'a secret of the mail server')

  await admin.getByRole('button', { name: 'Send test email' }).click()
  await admin.getByText('The mail server says:').waitFor()
  t.match(await admin.locator('.test-email samp').textContent(), /ECONNREFUSED/, 'the original error message')
  await accessible(t, admin, 'a failed test e-mail')
})

t.test('inserts template variables at the cursor', async (t) => {
  await admin.goto('/admin/config/email')
  const message = admin.locator('[id="setting-email.inviteMessage"]')
  await message.fill('Hello !')
  await message.press('ArrowLeft')
  await admin.getByRole('group', { name: 'Variables: Message' }).last().getByRole('button', { name: 'Insert {email}' }).click()
  t.equal(await message.inputValue(), 'Hello {email}!')
})

async function share(page: Page, name: string): Promise<void> {
  const call = async (path: string, data?: object) => (await page.request.post(`/api/shares${path}`, { data })).json()
  const { id } = await call('', { name, expiration: '7-days' })
  const file = await call(`/${id}/files`, { name: 'nothing.txt', size: 0 })
  await call(`/${id}/files/${file.id}/complete`)
  await call(`/${id}/complete`)
}

async function names(): Promise<string[]> {
  await admin.locator('tbody tr').first().waitFor()
  return admin.locator('tbody tr a.share-name').allInnerTexts()
}

async function settled(): Promise<void> {
  await admin.locator('.share-table-card[aria-busy=false]').waitFor()
}
