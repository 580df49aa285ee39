import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { createShareRow, finished, localFiles, pick, showMore } from '../support/browser/journeys.ts'
import { screenshots } from '../support/browser/screenshots.ts'
import { codeIn } from '../support/email-codes.ts'
import { member } from '../support/people/accounts.ts'
import { mailServer } from '../support/smtp.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const refused = new Set(['nobody@example.com', 'noone@example.com'])
const mail = await mailServer(t, { refuseRecipient: '550 There is no such user here', refused })
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice', { permissions: ['clipboard-read', 'clipboard-write'] })
const shot = screenshots(page)
const box = page.getByLabel('Email recipients')
const confirming = page.getByRole('checkbox', { name: /^Recipients confirm with a code/ })
const chips = page.locator('.chip bdi')
const recipient = (email: string) => page.getByRole('listitem').filter({ hasText: email })

const settings = (values: Record<string, unknown>) =>
  context.request.patch('/api/configs/admin', { data: Object.entries(values).map(([key, value]) => ({ key, value })) })

async function chooseFile(t: Parameters<typeof localFiles>[0]): Promise<void> {
  await page.goto('/upload')
  await pick(page, localFiles(t, { 'a.txt': 10 }))
  await page.getByLabel('Message').waitFor()
}

const sentTo = (address: string) => mail.received.filter(({ to }) => to.includes(address))

t.test('does not ask for recipients when emails would not be sent', async (t) => {
  await chooseFile(t)
  t.equal(await box.count(), 0)
  await settings({
    'smtp.enabled': true,
    'smtp.host': '127.0.0.1',
    'smtp.port': mail.port,
    'smtp.email': 'razorbill@example.com',
    'general.appUrl': url,
  })
  await chooseFile(t)
  t.equal(await box.count(), 0)
  const answer = await settings({ 'email.enableShareEmailRecipients': true })
  t.ok(answer.ok(), await answer.text())
})

t.test('turns typed and pasted addresses into chips, once each, and sends only valid ones', async (t) => {
  await chooseFile(t)
  t.equal(await confirming.count(), 0, 'without recipients, nothing needs a code')
  await box.pressSequentially('ann@example.com,')
  await confirming.waitFor()
  await box.pressSequentially('bob@example.com Ann@Example.com;')
  t.same(await chips.allInnerTexts(), ['ann@example.com', 'bob@example.com'])
  await showMore(page)
  await page.getByLabel('Download limit').fill('1')
  await page.getByText('It is deleted when no link has a download left').waitFor()
  await shot('delete-after-downloads')
  await page.getByLabel('Download limit').fill('')
  await box.pressSequentially('nonsense')
  await box.press('Enter')
  await page.getByText('Invalid email address').waitFor()
  await accessible(t, page, 'an address that is refused')
  await box.press('Backspace')
  await page.getByText('Invalid email address').waitFor({ state: 'detached' })
  await box.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('button', { name: 'Remove ann@example.com' }).and(page.locator(':focus')).press('Delete')
  t.same(await chips.allInnerTexts(), ['bob@example.com'])
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', 'Nobody <nobody@example.com>; bob@example.com\\ncarl@example.com\\n')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  t.same(await chips.allInnerTexts(), ['bob@example.com', 'nobody@example.com', 'carl@example.com'])
  await box.fill(Array.from({ length: 98 }, (_, n) => `n${n}@example.com`).join(' '))
  await box.pressSequentially('one-too-many@example.com,')
  await page.getByText('A share can have at most 100 recipients.').waitFor()
  await page.getByRole('button', { name: 'Upload and share' }).click()
  t.equal(new URL(page.url()).pathname, '/upload', 'too many addresses are not sent')
  while ((await chips.count()) > 3) await box.press('Backspace')
  await page.getByText('A share can have at most 100 recipients.').waitFor({ state: 'detached' })
  await box.pressSequentially('dora@example.com') // not yet a chip, but counted
  await showMore(page)
  await page.getByLabel('Link', { exact: true }).fill('told')
  await page.getByRole('button', { name: 'Upload and share' }).click()
  t.equal(await finished(page), '/share/told')
  await page.getByRole('heading', { name: 'Emailed to' }).waitFor()
  await recipient('bob@example.com').getByText('Sent').waitFor()
  for (const name of ['bob', 'carl', 'dora']) {
    await eventually(() => sentTo(`${name}@example.com`).length > 0, `${name} has the e-mail`)
    t.match(sentTo(`${name}@example.com`)[0]!.text, /\/share\/[\w-]{12}\b/)
  }
})

t.test('shows the owner failed recipients, retries, and adds more', async (t) => {
  await page.goto('/account/shares')
  await page.getByRole('button', { name: 'Information on a.txt' }).click()
  await recipient('bob@example.com').getByText('Sent').waitFor()
  await recipient('nobody@example.com').getByText('There is no such user here').waitFor()
  await accessible(t, page, 'the recipients of a share')
  refused.delete('nobody@example.com')
  await page.getByRole('button', { name: 'Send the email to nobody@example.com again' }).click()
  await recipient('nobody@example.com').getByText('Sent').waitFor()
  t.equal(sentTo('nobody@example.com').length, 1)
  await page.getByLabel('Add recipients').fill('emma@example.com')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await recipient('emma@example.com').getByText('Sent').waitFor()
  t.equal(sentTo('emma@example.com').length, 1)
})

t.test('shows who has opened and downloaded a share, and stops the link of a removed recipient', async (t) => {
  const long = `quality-assurance-of-the-harbour-authority@${'drawings-and-plans-of-the-third-round.'.repeat(3)}example.com`
  await createShareRow(context, 'met', { 'a.txt': 'aaa', 'b.txt': 'b' }, { name: 'Met', recipients: ['gina@example.com', long] })
  await page.goto('/share/met')
  const panel = page.getByRole('region', { name: 'Recipients' })
  const gina = panel.getByRole('listitem').filter({ hasText: 'gina@example.com' })
  await gina.getByText('Not opened yet').waitFor()
  await panel.getByText('0 of 2 have downloaded everything.').waitFor()
  t.equal(await page.getByRole('region', { name: 'Links' }).getByRole('listitem').count(), 1, 'their links are not listed twice')
  await gina.getByRole('button', { name: 'Copy the link of gina@example.com' }).click()
  const link = String(await page.evaluate('navigator.clipboard.readText()'))
  await eventually(() => sentTo('gina@example.com').length > 0, 'gina has the email')
  t.match(sentTo('gina@example.com')[0]!.text, link)
  const guest = await (await visitor(t, browser, url, { acceptDownloads: true })).newPage()
  await guest.goto(link)
  const zip = guest.waitForEvent('download')
  await guest.getByRole('link', { name: 'Download all' }).click()
  await (await zip).failure()
  await gina.getByText('Downloaded everything').waitFor()
  await panel.getByText('1 of 2 has downloaded everything.').waitFor()
  await page.getByRole('region', { name: 'Activity' }).getByText('gina@example.com').first().waitFor()
  await accessible(t, page, 'the recipients on the page of a share')
  await fitsWidth(t, page, 'the recipients on the page of a share')
  await shot('recipients')
  await panel.getByRole('button', { name: `Send the email to ${long} again` }).click()
  await eventually(() => sentTo(long).length === 2, 'the email is sent again')
  await gina.getByRole('button', { name: 'Replace the link of gina@example.com' }).click()
  await page.getByRole('dialog', { name: 'Replace the link' }).getByRole('button', { name: 'Replace' }).click()
  await page.getByText('The link was replaced').waitFor()
  await guest.reload()
  await guest.getByRole('heading', { name: 'Share not found' }).waitFor()
  await gina.getByRole('button', { name: 'Copy the link of gina@example.com' }).click()
  await guest.goto(String(await page.evaluate('navigator.clipboard.readText()')))
  await guest.getByRole('heading', { name: 'Met' }).waitFor()
  await gina.getByRole('button', { name: 'Remove gina@example.com' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove gina@example.com?' })
  await dialog.getByText('Their link stops working at once.').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await gina.waitFor({ state: 'detached' })
  await guest.reload()
  await guest.getByRole('heading', { name: 'Share not found' }).waitFor()
})

t.test('opens the link of a recipient on a phone with a code by email, and on no other device', async (t) => {
  await createShareRow(
    context,
    'plan',
    { 'plan.txt': 'x' },
    { name: 'Secret plan', recipients: ['hilda@example.com'], verifyRecipients: true },
  )
  await eventually(() => sentTo('hilda@example.com').length === 1, 'the link was sent')
  const [link] = new RegExp(`${url}/share/\\S+`).exec(sentTo('hilda@example.com')[0]!.text)!
  const viewport = { width: 360, height: 740 }
  const phone = await (await visitor(t, browser, url, { viewport })).newPage()
  await phone.goto(link)
  await accessible(t, phone, 'the step before a code is sent')
  await phone.getByRole('button', { name: 'Send code' }).click()
  const field = phone.getByLabel('Code', { exact: true }).and(phone.locator(':focus'))
  await field.waitFor()
  await phone.getByRole('status').filter({ hasText: 'The code is on its way.' }).waitFor()
  t.ok(await phone.getByRole('button', { name: /^Send again in \d+ seconds$/ }).isDisabled())
  await eventually(() => sentTo('hilda@example.com').length === 2, 'the code was sent')
  const code = codeIn(sentTo('hilda@example.com')[1]!.text)
  await field.fill(code === '000000' ? '111111' : '000000')
  await phone.getByText('This code is wrong. 4 tries left.').waitFor()
  const tries: string[] = []
  phone.on('request', (request) => request.url().endsWith('/code/verify') && tries.push(request.url()))
  await field.press('Enter')
  await fitsWidth(t, phone, 'a wrong code on a phone')
  await accessible(t, phone, 'a wrong code')
  t.notMatch(await phone.content(), /Secret plan|plan\.txt|hilda@/)
  await field.fill('')
  await field.pressSequentially(`${code.slice(0, 3)} ${code.slice(3)}`)
  await phone.getByRole('heading', { name: 'Secret plan' }).waitFor()
  t.equal(tries.length, 1, 'a wrong code that is confirmed once more uses up no other try')
  await phone.reload()
  await phone.getByRole('heading', { name: 'Secret plan' }).waitFor()
  const other = await (await visitor(t, browser, url, { viewport })).newPage()
  await other.goto(link)
  await other.getByRole('button', { name: 'Send code' }).click()
  await other.getByText('If you already have a code, enter it here.').waitFor()
  await other.getByLabel('Code', { exact: true }).fill(code)
  await other.getByText('This code no longer works. Request a new one.').waitFor()
})

t.test('queues new recipients while a share is edited until it is saved', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/share/told/edit')
  await pick(page, localFiles(t, { 'b.txt': 20 }))
  await page.getByText('New · 20 B').waitFor()
  await page.getByLabel('Add recipients').fill('frank@example.com, noone@example.com ')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await recipient('frank@example.com').getByText('Waiting until the share is saved').waitFor()
  await fitsWidth(t, page, 'the recipients on a phone')
  await accessible(t, page, 'the recipients on a phone')
  t.equal(sentTo('frank@example.com').length, 0)
  await confirming.check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await recipient('frank@example.com').getByText('Sent').waitFor()
  await recipient('frank@example.com').getByText('Confirms with a code').waitFor()
  await recipient('noone@example.com').getByText('There is no such user here').waitFor()
  t.equal(sentTo('bob@example.com').length, 1, 'no address receives a second email')
  await settings({ 'email.enableShareEmailRecipients': false })
  await page.reload()
  await recipient('noone@example.com').getByText('There is no such user here').waitFor()
  t.equal(await page.getByLabel('Add recipients').count(), 0, 'no more recipients can be added')
  t.equal(await page.getByRole('button', { name: /^Send the email/ }).count(), 0)
})
