import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { sendMail } from '../../worker/send-mail.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { signUp } from '../support/people/people.ts'
import { reversing } from '../support/reverse.ts'
import { cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

const queue = waitingJobs()
let clock = new Date()
const { app, ctx } = await testApp(t, { queue, now: () => clock })
const alice = reversing(app, await signUp(app, 'alice'))
const server = await mailServer(t)
await set(ctx, 'email.reverseShareSubject', 'Something came')
await set(ctx, 'email.reverseShareMessage', 'For {email}:\n{shareUrl}')

/** Sends one file through the link and completes the share; returns the sender's response. */
async function send(token: string, id: string, more: object = {}) {
  const answer = ok(await sharing(app).call('POST', '', { id, reverseShareToken: token, ...more }))
  const sender = sharing(app, cookiesOf(answer))
  await sender.file(id, 'a.txt', 'a')
  return { sender, notified: ok(await sender.call('POST', `/${id}/complete`)).json().notifyReverseShareCreator }
}

/** The end of each email. */
const turnedOff = /\n\nTurn off these emails: http:\/\/localhost:80\/notices\/received\/(\S+)$/

/** Sends the queued emails, as the worker does; returns their texts without the link that turns them off. */
async function delivered(): Promise<string[]> {
  const jobs = queue.jobs.filter(({ name }) => name === 'send-mail')
  queue.jobs.length = 0
  server.received.length = 0
  for (const { payload } of jobs) await sendMail(ctx, payload as { mailId: string })
  return server.received.map(({ text }) => text.replace(turnedOff, ''))
}

const later = (ms: number) => {
  clock = new Date(clock.getTime() + ms)
}
const clean = () => cleanUp(ctx, {}, new AbortController().signal)
const minute = 60_000

t.test("sends no email when email is off or the link's owner does not want it", async (t) => {
  await alice.link('off', { sendEmailNotification: true, maxUseCount: 2 })
  t.equal((await send('off', 'off-1')).notified, false)
  await switchMailOn(ctx, server.port)
  await alice.link('quiet')
  t.equal((await send('quiet', 'quiet-1')).notified, false)
  await clean()
  t.same(await delivered(), [])
})

t.test('reports the first share at once, and collects those that follow soon in one email', async (t) => {
  await alice.link('busy', { sendEmailNotification: true, maxUseCount: 20 })
  const first = await send('busy', 'busy-1')
  t.equal(first.notified, true)
  t.same(await delivered(), ['For alice@example.com:\nhttp://localhost:80/share/busy-1'])
  for (const n of [2, 3, 4]) t.equal((await send('busy', `busy-${n}`)).notified, true)
  later(4.9 * minute)
  await clean()
  t.same(await delivered(), [], 'not yet')
  later(0.2 * minute)
  await Promise.all([clean(), clean()])
  t.same(await delivered(), [`For alice@example.com:\n${[2, 3, 4].map((n) => `http://localhost:80/share/busy-${n}`).join('\n')}`], 'once')
  ok(await first.sender.call('DELETE', '/busy-1/complete'))
  await first.sender.file('busy-1', 'b.txt', 'b')
  ok(await first.sender.call('POST', '/busy-1/complete'))
  later(6 * minute)
  await clean()
  t.same(await delivered(), ['For alice@example.com:\nhttp://localhost:80/share/busy-1 (changed)'], 'edits are reported as changes')
  later(6 * minute)
  await send('busy', 'busy-5')
  t.equal((await delivered()).length, 1, 'reported at once again after a while')
})

t.test('turns the emails of one link off with the button behind a link in them', async (t) => {
  const gina = reversing(app, await signUp(app, 'gina'))
  for (const token of ['stopped', 'going-on']) await gina.link(token, { sendEmailNotification: true, maxUseCount: 5 })
  await send('stopped', 'stopped-1')
  await delivered()
  const token = turnedOff.exec(server.received[0]!.text)![1]!
  const off = (token: string) => reversing(app).call('POST', '/notices/off', { token })
  await send('stopped', 'stopped-2') // waits for the next email
  t.equal((await app.inject(`/notices/received/${token}`)).statusCode, 200)
  t.equal((await gina.mine('stopped')).sendEmailNotification, true, 'opening the page changes nothing')
  for (const wrong of [`${token}x`, token.replace('.', 'a.'), (await gina.mine('stopped')).id, ''])
    t.same(refusal(await off(wrong)), [400, 'invalid_token'])
  t.same(refusal(await sharing(app).call('POST', '/notices/off', { token })), [400, 'invalid_token'], 'not of downloads')
  ok(await off(token))
  ok(await off(token))
  t.equal((await gina.mine('stopped')).sendEmailNotification, false)
  later(6 * minute)
  t.equal((await send('stopped', 'stopped-3')).notified, false)
  await clean()
  t.same(await delivered(), [])
  t.equal((await send('going-on', 'going-on-1')).notified, true)
  t.equal((await delivered()).length, 1)
})

t.test('reports the received shares of two links separately', async (t) => {
  const bob = reversing(app, await signUp(app, 'bob'))
  await bob.link('one', { sendEmailNotification: true, maxUseCount: 5 })
  await bob.link('two', { sendEmailNotification: true, maxUseCount: 5 })
  await send('one', 'one-1')
  await send('one', 'one-2')
  await delivered()
  later(6 * minute)
  await send('two', 'two-1')
  t.same(await delivered(), ['For bob@example.com:\nhttp://localhost:80/share/two-1'])
  await clean()
  t.same(await delivered(), ['For bob@example.com:\nhttp://localhost:80/share/one-2'])
})

t.test('keeps the email about a received share while its link is deleted, for when it is restored', async (t) => {
  const frank = reversing(app, await signUp(app, 'frank'))
  await frank.link('undone', { sendEmailNotification: true, maxUseCount: 5 })
  for (const n of [1, 2]) await send('undone', `undone-${n}`)
  await delivered()
  later(6 * minute)
  const { id } = await frank.mine('undone')
  ok(await frank.call('DELETE', `/${id}`))
  await clean()
  t.same(await delivered(), [])
  ok(await frank.call('POST', `/${id}/undelete`))
  await clean()
  t.same(await delivered(), ['For frank@example.com:\nhttp://localhost:80/share/undone-2'])
})

t.test('marks later changes by the sender with their time, and reports them once if the arrival was reported', async (t) => {
  const headers = await signUp(app, 'carol')
  const carol = reversing(app, headers)
  await carol.link('swap', { sendEmailNotification: true, maxUseCount: 5 })
  const changedAt = async () => (await carol.mine('swap')).shares[0]!.changedAt
  const { sender } = await send('swap', 'swap-1')
  t.equal(await changedAt(), null)
  await delivered()
  later(6 * minute)
  for (const name of ['b.txt', 'c.txt']) {
    ok(await sender.call('DELETE', '/swap-1/complete'))
    t.equal((await delivered()).length, 0)
    await sender.file('swap-1', name, 'b')
    ok(await sender.call('POST', '/swap-1/complete'))
    t.equal(await changedAt(), clock.toISOString())
    const expected = name === 'b.txt' ? ['For carol@example.com:\nhttp://localhost:80/share/swap-1 (changed)'] : []
    t.same(await delivered(), expected, 'later changes wait')
    later(minute)
  }
  t.equal(ok(await sharing(app, headers).call('GET', '/swap-1/from-owner')).json().changedAt, await changedAt())
  later(6 * minute)
  ok(await sender.call('PATCH', '/swap-1', { name: 'Other name' }))
  t.equal(await changedAt(), clock.toISOString(), 'a new name counts too')
  t.equal(ok(await sharing(app, headers).call('POST', '/swap-1/adopt')).json().changedAt, null, 'from then on it belongs to the receiver')
})

t.test('does not count deletions by the receiver, or by the sender before completion, as changes', async (t) => {
  const headers = await signUp(app, 'dave')
  const dave = reversing(app, headers)
  await dave.link('calm', { maxUseCount: 5 })
  const answer = ok(await sharing(app).call('POST', '', { id: 'calm-1', reverseShareToken: 'calm', name: 'One' }))
  const sender = sharing(app, cookiesOf(answer))
  const [first] = [
    await sender.file('calm-1', 'a.txt', 'a'),
    await sender.file('calm-1', 'b.txt', 'b'),
    await sender.file('calm-1', 'c.txt', 'c'),
  ]
  ok(await sender.call('DELETE', `/calm-1/files/${first}`))
  ok(await sender.call('PATCH', '/calm-1', { name: 'Two' }))
  ok(await sender.call('POST', '/calm-1/complete'))
  const [share] = (await dave.mine('calm')).shares
  t.equal(share!.changedAt, null)
  const [file] = share!.files as { id: string }[]
  ok(await sharing(app, headers).call('DELETE', `/calm-1/files/${file!.id}`))
  t.equal((await dave.mine('calm')).shares[0]!.changedAt, null)
})

t.test('names the sender in the subject, or nobody', async (t) => {
  await ctx.db.deleteFrom('setting').where('key', 'like', 'email.reverseShare%').execute()
  const erna = reversing(app, await signUp(app, 'erna'))
  await erna.link('named', { sendEmailNotification: true, fields: { name: 'optional', email: 'off', message: 'off' } })
  const subjects = async () => {
    await delivered()
    return server.received.map(({ headers }) => headers.subject)
  }
  await send('named', 'from-bo', { sender: { name: 'Bo\u202e' } })
  t.same(await subjects(), ['New files from Bo[U+202E]'])
  later(6 * minute)
  await erna.link('unnamed', { sendEmailNotification: true })
  await send('unnamed', 'from-someone')
  t.same(await subjects(), ['New files from Someone'])
  await set(ctx, 'general.appUrl', 'https://files.example.com/share')
  await erna.link('below', { sendEmailNotification: true, fields: { name: 'optional', email: 'off', message: 'off' } })
  await send('below', 'from-cy', { sender: { name: 'Cy' } })
  t.same(await subjects(), ['New files from Cy'], 'also where the site is below a path that ends with /share')
})

t.test('writes in the language of the receiver, except where an administrator has changed the text', async (t) => {
  const hanna = reversing(app, await signUp(app, 'hanna'))
  await ctx.db.updateTable('user').set({ language: 'de-DE' }).where('username', '=', 'hanna').execute()
  await hanna.link('german', { sendEmailNotification: true, maxUseCount: 5, fields: { name: 'optional', email: 'off', message: 'off' } })
  await send('german', 'german-1', { sender: { name: 'Bo' } })
  await delivered()
  t.equal(server.received[0]!.headers.subject, 'Bo hat Ihnen neue Dateien gesendet')
  t.match(server.received[0]!.text, 'hat Ihnen über Ihren Upload-Link Dateien gesendet')
  await set(ctx, 'email.reverseShareSubject', 'Something came')
  later(6 * minute)
  await send('german', 'german-2', { sender: { name: 'Bo' } })
  await delivered()
  t.equal(server.received[0]!.headers.subject, 'Something came')
  t.match(server.received[0]!.text, 'hat Ihnen über Ihren Upload-Link Dateien gesendet')
})
