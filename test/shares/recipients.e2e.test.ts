import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import { finished, localFiles, pick, showMore } from '../support/browser/journeys.ts'
import { member } from '../support/people/accounts.ts'
import { mailServer } from '../support/smtp.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const refused = new Set(['nobody@example.com', 'noone@example.com'])
const mail = await mailServer(t, { refuseRecipient: '550 There is no such user here', refused })
const browser = await openBrowser(t)
const { page, context } = await member(t, browser, url, 'alice')
const box = page.getByLabel('Email recipients')
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
  await box.pressSequentially('ann@example.com,')
  await box.pressSequentially('bob@example.com Ann@Example.com;')
  t.same(await chips.allInnerTexts(), ['ann@example.com', 'bob@example.com'])
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
    t.match(sentTo(`${name}@example.com`)[0]!.text, '/share/told')
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
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await recipient('frank@example.com').getByText('Sent').waitFor()
  await recipient('noone@example.com').getByText('There is no such user here').waitFor()
  t.equal(sentTo('bob@example.com').length, 1, 'no address receives a second email')
  await settings({ 'email.enableShareEmailRecipients': false })
  await page.reload()
  await recipient('noone@example.com').getByText('There is no such user here').waitFor()
  t.equal(await page.getByLabel('Add recipients').count(), 0, 'no more recipients can be added')
  t.equal(await page.getByRole('button', { name: /^Send the email/ }).count(), 0)
})
