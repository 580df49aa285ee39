import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { age } from '../support/aging.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { letMailsWait, mailsTo, site } from '../support/mails.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { queue: waitingJobs() })
await signUp(app, 'root')
const alice = sharing(app, await signUp(app, 'alice'))
const visitor = sharing(app)
const clean = () => cleanUp(ctx, {}, new AbortController().signal)
const mails = () => mailsTo(ctx, 'alice@example.com')
const off = (token: string) => visitor.call('POST', '/notices/off', { token })
const turnedOff = (mail: string) => new RegExp(`${site}/notices/(\\S+)`).exec(mail)![1]!
await letMailsWait(ctx)

/** Downloads a file, or all as a ZIP, and waits until it is recorded. */
async function downloaded(id: string, item: string): Promise<void> {
  ok(await visitor.call('GET', `/${id}/files/${item}`))
  await sleep(1_500)
}

t.afterEach(async () => {
  await ctx.db.deleteFrom('share').execute()
  await ctx.db.deleteFrom('mail').execute()
})

t.test('reports every download in at most one email in five minutes', async (t) => {
  const [a = '', b = ''] = await alice.share('offer', { 'a.txt': 'a', 'b.txt': 'b' }, { name: 'Offer', notify: 'every' })
  await clean()
  t.same(await mails(), [])
  await downloaded('offer', a)
  await downloaded('offer', b)
  await downloaded('offer', 'zip')
  await age(ctx, 6)
  await Promise.all([clean(), clean()])
  const [mail = '', ...others] = await mails()
  t.same(others, [])
  t.match(mail, 'files from “Offer”')
  t.match(mail, '- a.txt\n- b.txt\n- all files as a ZIP')
  t.match(mail, new RegExp(`^${site}/share/offer$`, 'm'))
  await downloaded('offer', a)
  await age(ctx, 200)
  await clean()
  t.equal((await mails()).length, 1, 'not yet')
  await age(ctx, 101)
  await clean()
  const [, second = ''] = await mails()
  t.match(second, '- a.txt\n\n')
})

t.test('writes in the language of the sender', async (t) => {
  const own = (language: string | null) => ctx.db.updateTable('user').set({ language }).where('username', '=', 'alice').execute()
  await own('de-DE')
  const [file = ''] = await alice.share('german', { 'a.txt': 'a' }, { name: 'Offer', notify: 'every' })
  await downloaded('german', file)
  await clean()
  await own(null)
  const mail = await ctx.db.selectFrom('mail').select(['subject', 'language']).executeTakeFirstOrThrow()
  t.same(mail, { subject: '„Offer“ wurde heruntergeladen', language: 'de-DE' })
})

t.test('reports only the first download, or none', async (t) => {
  const [first = ''] = await alice.share('first', { 'a.txt': 'a' }, { notify: 'first' })
  const [none = ''] = await alice.share('none', { 'a.txt': 'a' })
  for (let n = 0; n < 2; n++) {
    await downloaded('first', first)
    await downloaded('none', none)
    await age(ctx, 400)
    await clean()
  }
  t.equal((await mails()).length, 1)
})

t.test('reports downloads from when the sender asks for it', async (t) => {
  const [file = ''] = await alice.share('later', { 'a.txt': 'a' })
  await downloaded('later', file)
  await age(ctx, 10)
  t.equal(ok(await alice.call('PATCH', '/later', { notify: 'every' })).json().notify, 'every')
  await age(ctx, 400)
  await clean()
  t.same(await mails(), [])
  await downloaded('later', file)
  await age(ctx, 10)
  await clean()
  t.equal((await mails()).length, 1)
  t.equal((await alice.call('PATCH', '/later', { notify: 'always' })).statusCode, 400)
})

t.test('reports once that all recipients have downloaded everything', async (t) => {
  await set(ctx, 'email.enableShareEmailRecipients', true)
  const recipients = ['ann@example.com', 'bo@example.com']
  await alice.share('both', { 'a.txt': 'a', 'b.txt': 'b' }, { name: 'Plans', notify: 'first', recipients })
  await alice.share('lone', { 'a.txt': 'a' }, { notify: 'first', recipients: recipients.slice(0, 1) })
  await alice.share('unasked', { 'a.txt': 'a' }, { recipients })
  const linksOf = async (id: string) =>
    ok(await alice.call('GET', `/${id}/recipients`))
      .json()
      .map(({ link }: { link: string }) => link)
  const [ann, bo] = await linksOf('both')
  for (const link of [...(await linksOf('lone')), ...(await linksOf('unasked'))]) ok(await visitor.call('GET', `/${link}/files/zip`))
  await downloaded(ann, 'zip')
  const all = async () => (await mails()).filter((text) => text.includes('All recipients'))
  await age(ctx, 400)
  await clean()
  t.same(await all(), [])
  await downloaded(bo, 'zip')
  await Promise.all([clean(), clean()])
  const [mail = '', ...others] = await all()
  t.same(others, [])
  t.match(mail, 'All recipients have received everything in “Plans”')
  await clean()
  t.equal((await all()).length, 1, 'once')
  t.equal((await off(turnedOff(mail))).statusCode, 204)
})

t.test('turns the emails off with the link in one, without signing in', async (t) => {
  const [file = ''] = await alice.share('loud', { 'a.txt': 'a' }, { notify: 'every' })
  await alice.share('other', { 'a.txt': 'a' }, { notify: 'every' })
  await downloaded('loud', file)
  await age(ctx, 10)
  await clean()
  const token = turnedOff((await mails())[0]!)
  t.same(refusal(await off(`${token}x`)), [400, 'invalid_token'])
  t.same(refusal(await off(token.replace(/^[^.]+/, file))), [400, 'invalid_token'], 'the share is signed')
  t.equal((await app.inject(`/notices/${token}`)).statusCode, 200, 'opening the page changes nothing')
  t.equal(ok(await alice.call('GET', '/loud/from-owner')).json().notify, 'every')
  t.equal((await off(token)).statusCode, 204)
  t.equal((await off(token)).statusCode, 204, 'again')
  t.equal(ok(await alice.call('GET', '/loud/from-owner')).json().notify, 'none')
  t.equal(ok(await alice.call('GET', '/other/from-owner')).json().notify, 'every')
  await ctx.db.deleteFrom('share').execute()
  t.same(refusal(await off(token)), [400, 'invalid_token'])
})

t.test('reports files that a proxy sends as handed out, without an activity too', async (t) => {
  const proxied = await testApp(t, { env: { trustProxy: ['127.0.0.1'], sendfile: 'x-accel' }, queue: waitingJobs() })
  await letMailsWait(proxied.ctx)
  await set(proxied.ctx, 'share.activity', false)
  const carol = sharing(proxied.app, await signUp(proxied.app, 'carol'))
  const [file] = await carol.share('proxied', { 'a.txt': 'ab' }, { notify: 'every' })
  ok(await sharing(proxied.app).call('GET', `/proxied/files/${file}`, undefined, { 'x-forwarded-for': '192.0.2.1' }))
  await sleep(1_500)
  await age(proxied.ctx, 400)
  await cleanUp(proxied.ctx, {}, new AbortController().signal)
  t.match(await mailsTo(proxied.ctx, 'carol@example.com'), [/^- Download handed to the store or proxy: a\.txt$/m])
  await set(proxied.ctx, 'share.activity', true)
  await set(proxied.ctx, 'email.enableShareEmailRecipients', true)
  ok(await carol.call('PATCH', '/proxied', { recipients: ['ann@example.com'] }))
  const recipients = async () => ok(await carol.call('GET', '/proxied/recipients')).json()
  const [{ link }] = await recipients()
  ok(await sharing(proxied.app).call('GET', `/${link}/files/${file}`, undefined, { 'x-forwarded-for': '192.0.2.1' }))
  await sleep(1_500)
  t.match(await recipients(), [{ downloads: 0, downloaded: 'none', handedOut: true }])
})

t.test('only counts encrypted files, whose names are random', async (t) => {
  const [file = ''] = await alice.share('sealed', { 'x1y2.bin': 'a' }, { notify: 'first' })
  await ctx.db.updateTable('share').set({ encrypted: true }).where('id', '=', 'sealed').execute()
  await downloaded('sealed', file)
  await clean()
  t.match(await mails(), [/^- 1 file$/m])
})

t.test('sends no more emails than the sender may send, and the rest later', async (t) => {
  await ctx.db.deleteFrom('rateLimit').execute()
  const ids = Array.from({ length: 11 }, (_, n) => `share-${n}`)
  for (const id of ids) {
    const [file] = await alice.share(id, { 'a.txt': 'a' }, { notify: 'first' })
    ok(await visitor.call('GET', `/${id}/files/${file}`))
  }
  await sleep(1_500)
  await clean()
  t.equal((await mails()).length, 10)
  await ctx.db.deleteFrom('rateLimit').execute()
  await clean()
  t.equal((await mails()).length, 11)
})

t.test('sends none to an address that is to be verified first', async (t) => {
  await set(ctx, 'share.requireVerifiedEmail', true)
  const [file = ''] = await alice.share('unverified', { 'a.txt': 'a' }, { notify: 'first' })
  await ctx.db.updateTable('user').set({ emailVerified: false }).execute()
  await downloaded('unverified', file)
  await clean()
  t.same(await mails(), [])
})
