import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { letMailsWait, mailsTo, site } from '../support/mails.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { queue: waitingJobs() })
const root = await signUp(app, 'root')
const alice = sharing(app, await signUp(app, 'alice'))
const mallory = sharing(app, await signUp(app, 'mallory'))
const visitor = sharing(app)
await letMailsWait(ctx)
await set(ctx, 'email.enableShareEmailRecipients', true)

const recipients = async (id: string) => ok(await alice.call('GET', `/${id}/recipients`)).json()
const links = async (id: string) => ok(await alice.call('GET', `/${id}/links`)).json()
/** Waits until what was opened and downloaded is recorded. */
const recorded = () => sleep(1_300)
async function download(link: string, item: string): Promise<void> {
  ok(await visitor.call('GET', `/${link}/files/${item}`))
}
/** The link in the newest email to an address. */
async function mailedTo(email: string): Promise<string> {
  const text = (await mailsTo(ctx, email)).at(-1) ?? ''
  return new RegExp(`${site}/share/([\\w-]+)$`, 'm').exec(text)?.[1] ?? 'none'
}

t.afterEach(async () => {
  await ctx.db.deleteFrom('share').execute()
  await ctx.db.deleteFrom('mail').execute()
  await ctx.db.deleteFrom('rateLimit').execute()
})

t.test('emails each recipient a link of their own, with the rules of the share', async (t) => {
  const security = { password: 'the password', maxViews: 2, maxDownloads: 1 }
  await alice.share('own', { 'a.txt': 'a' }, { security, recipients: ['Ann@example.com', 'bo@example.com', 'ann@EXAMPLE.com'] })
  const [ann, bo, ...others] = await recipients('own')
  t.same(others, [], 'the same address in another case is one recipient')
  t.match(ann, { email: 'Ann@example.com', link: /^\w{12}$/, verifyEmail: false, openedAt: null, downloads: 0, downloaded: 'none' })
  t.not(ann.link, bo.link)
  t.equal(await mailedTo('Ann@example.com'), ann.link)
  t.equal(await mailedTo('bo@example.com'), bo.link)
  t.match(await links('own'), [
    { id: 'own', recipient: null },
    {
      id: ann.link,
      first: false,
      label: null,
      recipient: 'Ann@example.com',
      hasPassword: true,
      maxViews: 2,
      maxDownloads: 1,
      state: 'open',
    },
    { recipient: 'bo@example.com' },
  ])
  const unlocked = await visitor.unlock(ann.link, 'the password')
  t.equal(ok(await visitor.call('GET', `/${ann.link}`, undefined, unlocked)).json().id, ann.link)
  ok(await alice.call('PATCH', '/own/links/own', { enabled: false }))
  t.match(ok(await visitor.call('POST', `/${bo.link}/token`, { password: 'the password' })).statusCode, 200, 'the first link is off')
})

t.test('sends one email and one link each when a share is completed twice at once', async (t) => {
  ok(await alice.create('twice', { recipients: ['ann@example.com', 'bo@example.com'] }))
  await alice.file('twice', 'a.txt', 'a')
  const answers = await Promise.all([1, 2, 3].map(() => alice.call('POST', '/twice/complete')))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [202, 400, 400])
  await Promise.all([1, 2].map(() => alice.call('PATCH', '/twice', { recipients: ['CY@example.com', 'bo@example.com'] })))
  t.equal((await links('twice')).length, 4)
  for (const email of ['ann@example.com', 'bo@example.com', 'CY@example.com']) t.equal((await mailsTo(ctx, email)).length, 1, email)
})

t.test('does not count links of recipients among the 100 links', async (t) => {
  const emails = Array.from({ length: 100 }, (_, n) => `person${n}@example.com`)
  await alice.share('many', { 'a.txt': 'a' }, { recipients: emails })
  t.equal((await links('many')).length, 101)
  ok(await alice.call('POST', '/many/links', { label: 'Others' }))
})

t.test('changes the links of recipients with the share, except rules of their own', async (t) => {
  await alice.share(
    'changed',
    { 'a.txt': 'a' },
    { security: { password: 'old password' }, recipients: ['ann@example.com', 'bo@example.com'] },
  )
  const [{ link: ann }, { link: bo }] = await recipients('changed')
  const unlocked = await visitor.unlock(ann, 'old password')
  ok(await alice.call('PATCH', `/changed/links/${bo}`, { maxViews: 5, password: 'for bo' }))
  ok(await alice.call('PATCH', '/changed', { password: 'new password', maxViews: 3, maxDownloads: 2 }))
  t.same(refusal(await visitor.call('GET', `/${ann}`, undefined, unlocked)), [403, 'share_password_required'])
  ok(await visitor.call('POST', `/${ann}/token`, { password: 'new password' }))
  ok(await visitor.call('POST', `/${bo}/token`, { password: 'for bo' }))
  t.match(await links('changed'), [
    { maxViews: 3, maxDownloads: 2 },
    { id: ann, maxViews: 3, maxDownloads: 2 },
    { id: bo, maxViews: 5, maxDownloads: 2 },
  ])
  ok(await alice.call('PATCH', '/changed', { password: null }))
  t.match(await links('changed'), [{ hasPassword: false }, { hasPassword: false }, { id: bo, hasPassword: true }])
})

t.test('shows what each recipient has opened and downloaded', async (t) => {
  const emails = ['all@example.com', 'none@example.com', 'some@example.com', 'zip@example.com']
  const [a = '', b = ''] = await alice.share('fetched', { 'a.txt': 'a', 'b.txt': 'b' }, { recipients: emails })
  const [all, , some, zip] = await recipients('fetched')
  await visitor.unlock(some.link)
  await download(some.link, a)
  await download(some.link, 'zip?folder=none').catch(() => {})
  for (const item of [a, b]) await download(all.link, item)
  await download(zip.link, 'zip')
  await download('fetched', b)
  await recorded()
  t.match(await recipients('fetched'), [
    { email: 'all@example.com', downloads: 2, downloaded: 'all', downloadedAt: /^20/, handedOut: false },
    { downloads: 0, downloaded: 'none', openedAt: null, downloadedAt: null },
    { downloads: 1, downloaded: 'some', openedAt: /^20/ },
    { downloads: 1, downloaded: 'all' },
  ])
  const rows = await ctx.db.selectFrom('recipientDownload').select('item').where('recipientId', '=', all.id).execute()
  t.same(rows, [{ item: '' }], 'all files take one row')
  const entries = ok(await alice.call('GET', '/fetched/activity')).json()
  const ofZip = entries.find(({ link }: { link: string }) => link === zip.link)
  t.match(ofZip, { kind: 'downloaded', recipient: 'zip@example.com' })
  t.notOk('recipient' in entries.find(({ link }: { link: string }) => link === 'fetched'))
  t.match(ok(await alice.call('GET', '/fetched/activity.csv')).body, '"zip@example.com"')
  ok(await alice.call('POST', `/fetched/links/${zip.link}/replace`, { id: 'zip-now' }))
  const later = ok(await alice.call('GET', '/fetched/activity')).json()
  const before = { link: zip.link, currentLink: 'zip-now', recipient: 'zip@example.com' }
  t.match(
    later.find(({ link }: { link: string }) => link === zip.link),
    before,
    'also after the link was replaced',
  )
  ok(await alice.call('DELETE', '/fetched/complete'))
  const c = await alice.file('fetched', 'c.txt', 'c')
  ok(await alice.call('POST', '/fetched/complete'))
  const states = async () => (await recipients('fetched')).map(({ downloaded }: { downloaded: string }) => downloaded)
  t.same(await states(), ['some', 'none', 'some', 'some'], 'a new file is missing')
  for (const link of [all.link, 'zip-now']) await download(link, c)
  ok(await alice.call('DELETE', '/fetched/complete'))
  ok(await alice.call('POST', '/fetched/complete'))
  await recorded()
  t.same(await states(), ['all', 'none', 'some', 'all'], 'a zip counts for the files that it has')
  await set(ctx, 'share.activity', false)
  t.match(await recipients('fetched'), [{ downloads: 3, downloaded: null, openedAt: null, downloadedAt: null, handedOut: null }])
  await cleanUp(ctx, {}, new AbortController().signal)
  await set(ctx, 'share.activity', true)
  t.match(await recipients('fetched'), [{}, {}, { downloads: 1, downloaded: 'none', openedAt: null }, {}], 'it was deleted')
})

t.test('counts a text as downloaded when it is opened, and parts of a share only as some', async (t) => {
  const created = await alice.call('POST', '', { id: 'words', kind: 'text', expiration: '1-day', recipients: ['ann@example.com'] })
  ok(created)
  await alice.file('words', 'text.txt', 'hello')
  ok(await alice.call('POST', '/words/complete'))
  await visitor.unlock((await recipients('words'))[0].link)
  await alice.share('parts', { 'd/a.txt': 'a', 'b.txt': 'b' }, { recipients: ['ann@example.com'] })
  const [{ link }] = await recipients('parts')
  await download(link, 'zip?folder=d')
  await recorded()
  t.match(await recipients('words'), [{ downloaded: 'all', downloadedAt: /^20/ }])
  t.match(await recipients('parts'), [{ downloaded: 'some' }])
})

t.test('removes a recipient, whose link and waiting email stop at once', async (t) => {
  const [file] = await alice.share('less', { 'a.txt': 'a' }, { recipients: ['ann@example.com', 'bo@example.com'] })
  const [ann, bo] = await recipients('less')
  const unlocked = await visitor.unlock(ann.link)
  t.equal((await alice.call('DELETE', `/less/recipients/${ann.id}`)).statusCode, 200)
  t.same(await mailsTo(ctx, 'ann@example.com'), [])
  t.equal((await mailsTo(ctx, 'bo@example.com')).length, 1)
  for (const url of ['', `/files/${file}`, '/files/zip'])
    t.same(refusal(await visitor.call('GET', `/${ann.link}${url}`, undefined, unlocked)), [404, 'share_not_found'], url)
  t.match(await recipients('less'), [{ email: 'bo@example.com' }])
  t.same(refusal(await mallory.create(ann.link)), [400, 'share_id_taken'], 'a removed link leads to no one else')
  t.same(refusal(await alice.call('DELETE', `/less/recipients/${ann.id}`)), [404, 'recipient_not_found'])
  t.same(refusal(await mallory.call('DELETE', `/less/recipients/${bo.id}`)), [403, 'forbidden'])
  await alice.share('other', { 'a.txt': 'a' })
  t.same(refusal(await alice.call('DELETE', `/other/recipients/${bo.id}`)), [404, 'recipient_not_found'], 'of another share')
  t.same(refusal(await alice.call('PATCH', `/other/links/${bo.link}`, { enabled: false })), [404, 'link_not_found'])
  ok(await alice.call('PATCH', '/less', { recipients: ['Ann@example.com'] }))
  t.not((await recipients('less'))[1].link, ann.link, 'a recipient who is added again gets another link')
})

t.test('emails a recipient again at any time, within the limits of emails', async (t) => {
  await alice.share('again', { 'a.txt': 'a' }, { recipients: ['ann@example.com'] })
  const [{ id, link }] = await recipients('again')
  const again = () => alice.call('POST', `/again/recipients/${id}/mail`)
  t.match(ok(await again()).json(), { id, link, state: 'queued' })
  t.equal((await mailsTo(ctx, 'ann@example.com')).length, 1, 'the one that waited is not sent')
  await ctx.db.updateTable('mail').set({ state: 'sent' }).execute()
  ok(await alice.call('POST', `/again/links/${link}/replace`, { id: 'replaced' }))
  ok(await again())
  t.equal(await mailedTo('ann@example.com'), 'replaced')
  t.equal((await mailsTo(ctx, 'ann@example.com')).length, 2)
  ok(await alice.call('PATCH', '/again/links/replaced', { enabled: false }))
  t.same(refusal(await again()), [404, 'link_turned_off'])
  ok(await alice.call('DELETE', '/again/links/replaced'))
  t.match(ok(await again()).json().link, /^\w{12}$/, 'a deleted link is replaced by another one')
  for (let n = 0; n < 6; n++) t.equal((await again()).statusCode, 200, `${n}`)
  t.same(refusal(await again()), [429, 'too_many_emails'])
  ok(await alice.create('early', { recipients: ['bo@example.com'] }))
  const [early] = await recipients('early')
  t.same(refusal(await alice.call('POST', `/early/recipients/${early.id}/mail`)), [400, 'share_not_completed'])
  t.same(refusal(await mallory.call('POST', `/again/recipients/${id}/mail`)), [403, 'forbidden'])
})

t.test('gives recipients who were emailed the first link a link of their own when they are emailed again', async (t) => {
  await alice.share('older', { 'a.txt': 'a' }, { recipients: ['ann@example.com'] })
  await ctx.db.deleteFrom('shareLink').execute()
  const [{ id, link }] = await recipients('older')
  t.equal(link, null)
  ok(await alice.call('POST', `/older/recipients/${id}/mail`))
  t.equal(await mailedTo('ann@example.com'), (await recipients('older'))[0].link)
})

t.test('asks for a code on all links of recipients, if the share requires it', async (t) => {
  await alice.share('codes', { 'a.txt': 'a' }, { verifyRecipients: true, recipients: ['ann@example.com'] })
  t.equal(ok(await alice.call('GET', '/codes/from-owner')).json().verifyRecipients, true)
  t.match(await recipients('codes'), [{ verifyEmail: true }])
  ok(await alice.call('PATCH', '/codes', { verifyRecipients: false }))
  t.match(await links('codes'), [{ verifyEmail: false }, { recipient: 'ann@example.com', verifyEmail: false }])
  ok(await alice.call('PATCH', '/codes', { name: 'unrelated', verifyRecipients: true }))
  t.match(await recipients('codes'), [{ verifyEmail: true }])
  const [{ link }] = await recipients('codes')
  const change = (id: string, rules: object) => alice.call('PATCH', `/codes/links/${id}`, rules)
  t.match(ok(await change(link, { verifyEmail: false })).json(), { verifyEmail: false }, 'of one link')
  ok(await alice.call('POST', '/codes/links', { id: 'anyone' }))
  for (const id of ['codes', 'anyone']) t.same(refusal(await change(id, { verifyEmail: true })), [400, 'validation_failed'], id)
  await set(ctx, 'smtp.enabled', false)
  t.same(refusal(await change(link, { verifyEmail: true })), [400, 'recipients_disabled'])
  t.same(refusal(await alice.create('refused', { verifyRecipients: true })), [400, 'recipients_disabled'])
  t.same(refusal(await alice.call('PATCH', '/codes', { verifyRecipients: true })), [400, 'recipients_disabled'])
  ok(await alice.call('PATCH', '/codes', { verifyRecipients: false }))
  await set(ctx, 'smtp.enabled', true)
})

t.test('adds a recipient with a link that has rules of its own', async (t) => {
  await alice.share('chosen', { 'a.txt': 'a' }, { security: { password: 'of the share', maxViews: 9 }, verifyRecipients: false })
  const add = (link: object) => alice.call('POST', '/chosen/links', link)
  const added = await add({ id: 'for-ann', label: 'Ann', recipient: 'Ann@example.com', maxDownloads: 1, verifyEmail: true })
  t.equal(added.statusCode, 201)
  t.match(added.json(), { id: 'for-ann', recipient: 'Ann@example.com', verifyEmail: true, hasPassword: true, maxViews: 9, maxDownloads: 1 })
  t.equal(await mailedTo('Ann@example.com'), 'for-ann')
  t.match(await recipients('chosen'), [{ email: 'Ann@example.com', link: 'for-ann', verifyEmail: true, state: 'queued' }])
  t.same(refusal(await add({ recipient: 'ANN@example.com' })), [400, 'recipient_has_link'])
  t.same(refusal(await add({ id: 'FOR-ANN', recipient: 'bo@example.com' })), [400, 'share_id_taken'])
  t.equal((await recipients('chosen')).length, 1, 'no recipient was added without a link')
  t.same(refusal(await add({ verifyEmail: true })), [400, 'validation_failed'])
  t.same(refusal(await add({ recipient: 'nobody' })), [400, 'validation_failed'])
  t.match(ok(await add({ recipient: 'bo@example.com', password: null })).json(), { hasPassword: false, verifyEmail: false })
  ok(await alice.call('DELETE', '/chosen/complete'))
  ok(await add({ id: 'for-cy', recipient: 'cy@example.com' }))
  t.same(await mailsTo(ctx, 'cy@example.com'), [], 'while the share is being edited')
  ok(await alice.call('POST', '/chosen/complete'))
  t.equal(await mailedTo('cy@example.com'), 'for-cy')
  await set(ctx, 'email.enableShareEmailRecipients', false)
  t.same(refusal(await add({ recipient: 'dee@example.com' })), [400, 'recipients_disabled'])
  await set(ctx, 'email.enableShareEmailRecipients', true)
})

t.test('hides from administrators what recipients of others have opened and downloaded', async (t) => {
  await alice.share('private', { 'a.txt': 'a' }, { recipients: ['ann@example.com'] })
  const admin = sharing(app, root)
  t.match(ok(await admin.call('GET', '/private/recipients')).json(), [{ downloads: 0, downloaded: null, openedAt: null }])
})
