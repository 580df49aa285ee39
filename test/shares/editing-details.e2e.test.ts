import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, openBrowser } from '../support/browser/browser.ts'
import { createShareRow, digestOf, download, edit, listed, localFiles, pick, save } from '../support/browser/journeys.ts'
import { member, still } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice', { acceptDownloads: true })
const visitor = await (await still(t, browser, url, { acceptDownloads: true })).newPage()

const button = (name: string) => page.getByRole('button', { name, exact: true })

t.test('shows refused details at their fields, and a new password locks visitors out', async (t) => {
  await createShareRow(context, 'words', { 'a.txt': 'a' }, { name: 'Old name' })
  await visitor.goto('/share/words')
  t.same(await listed(visitor), ['a.txt'])
  await edit(page, 'words')
  await page.getByLabel('Title', { exact: true }).fill('New name')
  await page.getByLabel('Message').fill('Two\nlines')
  await page.getByRole('textbox', { name: 'Password' }).fill('ab')
  await button('Change the expiration').click()
  await page.getByRole('radio', { name: '7 days' }).and(page.locator(':focus')).waitFor()
  await page.getByRole('radio', { name: 'Date…' }).check()
  await page.getByLabel('Last day').fill('')
  await button('Save').click()
  await page.getByText('This field is required').waitFor()
  await page.getByText('Must be at least 3 characters').waitFor()
  await accessible(t, page, 'refused details')
  await page.getByRole('textbox', { name: 'Password' }).fill('first secret')
  await page.getByRole('radio', { name: 'Never' }).check()
  await page.getByLabel('Visit limit').fill('9')
  await save(page)
  await page.getByText('Password-protected').waitFor()
  await page.getByText('It does not expire').waitFor()

  await visitor.reload()
  await visitor.getByLabel('Password').fill('first secret')
  await visitor.getByRole('button', { name: 'Open' }).click()
  await visitor.getByRole('heading', { name: 'New name' }).waitFor()
  await button('Change the password').click()
  await page.getByRole('textbox', { name: 'Password' }).and(page.locator(':focus')).fill('second secret')
  await save(page)
  await visitor.reload()
  await visitor.getByLabel('Password').fill('first secret')
  await visitor.getByRole('button', { name: 'Open' }).click()
  await visitor.getByText('Invalid password').waitFor()
  await button('Remove the password').click()
  await page.getByText('It will be removed when you save').waitFor()
  await save(page)
  await visitor.reload()
  t.same(await listed(visitor), ['a.txt'])

  const admin = context.request
  const limit = (value: number) => admin.patch('/api/configs/admin', { data: [{ key: 'share.maxExpiration', value }] })
  await edit(page, 'words')
  await limit(24)
  await button('Change the expiration').click()
  await button('Save').click()
  await page.getByText('Expiration exceeds maximum expiration date').waitFor()
  await limit(0)
})

t.test('resumes interrupted files from the last part when they are added again', async (t) => {
  await createShareRow(context, 'big', { 'a.txt': 'a' })
  await edit(page, 'big')
  const sent: string[] = []
  let held = true
  await page.route('**/api/shares/big/files/*/parts/*', async (route) => {
    const part = route.request().url().split('/').at(-1)!
    if (route.request().method() === 'PUT') sent.push(part)
    if (held && part !== '1') return // never responds
    await route.continue()
  })
  const [file, other] = localFiles(t, { 'big.bin': 20_000_000, 'other.txt': 10 })
  const arrived = page.waitForResponse('**/parts/1')
  await pick(page, [file!])
  await arrived
  await accessible(t, page, 'files on their way')
  t.ok(await button('Save').isDisabled(), 'saving waits for the uploads')
  await button('Pause').click()
  await page.getByRole('heading', { name: 'Pausing…' }).waitFor()
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByText('First add the interrupted file again').waitFor()
  held = false
  sent.length = 0
  await pick(page, [file!, other!])
  await page.getByText('New · 10 B').waitFor()
  await page.getByText('New · 20 MB').waitFor()
  t.notOk(sent.filter((part) => part === '1').length > 1, 'uploaded parts are not sent again')
  await save(page)
  await visitor.goto('/share/big')
  t.equal(await digestOf(await download(visitor, 'Download big.bin')), file!.digest)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

t.test('shows why a user may not edit the share', async (t) => {
  await createShareRow(context, 'mine', { 'a.txt': 'a' })
  const bob = await member(t, browser, url, 'bob')
  await bob.page.goto('/share/mine/edit')
  await bob.page.getByRole('heading', { name: 'This share belongs to someone else' }).waitFor()
  await accessible(t, bob.page, 'a share of somebody else')
  await bob.page.goto('/share/nothing/edit')
  await bob.page.getByRole('heading', { name: 'Share not found' }).waitFor()
  await bob.context.request.post('/api/shares', { data: { id: 'unborn', expiration: '1-day' } })
  await bob.page.goto('/share/unborn/edit')
  await bob.page.getByRole('heading', { name: 'This share is not ready yet' }).waitFor()
  await visitor.goto('/share/mine/edit')
  await visitor.getByRole('heading', { name: 'Welcome back' }).waitFor()
  t.match(visitor.url(), /redirect=%2Fshare%2Fmine%2Fedit/)
})

t.test('requires the recipient to take over a received share before changing it', async (t) => {
  const carol = await member(t, browser, url, 'carol')
  const wishes = { shareExpiration: '7-days', maxShareSize: '1000000', maxUseCount: 1, sendEmailNotification: false }
  const { token } = await (await carol.context.request.post('/api/reverseShares', { data: wishes })).json()
  const sender = await still(t, browser, url)
  await createShareRow(sender, 'received', { 'a.txt': 'a' }, { reverseShareToken: token })
  await carol.page.goto('/share/received/edit')
  await carol.page.getByRole('heading', { name: 'This share was sent to you' }).waitFor()
  await carol.page.getByRole('button', { name: 'Move to My shares' }).click()
  await carol.page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
})
