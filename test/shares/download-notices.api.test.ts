import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { age } from '../support/aging.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { letMailsWait, mailsTo, site } from '../support/mails.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { queue: waitingJobs() })
await signUp(app, 'root')
const alice = sharing(app, await signUp(app, 'alice'))
const visitor = sharing(app)
const clean = () => cleanUp(ctx, {}, new AbortController().signal)
const mails = () => mailsTo(ctx, 'alice@example.com')
const off = (token: string) => visitor.call('POST', '/notices/off', { token })
const turnedOff = (mail: string) => new RegExp(`${site}/notices/(\\S+)`).exec(mail)![1]!
await letMailsWait(ctx)

/** Records a complete download, as the server does after the last byte. */
async function downloaded(id: string, item: string, isZip = false): Promise<void> {
  const { uid } = await ctx.db.selectFrom('share').select('uid').where('id', '=', id).executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('download')
    .values({ shareUid: uid, linkUid: uid, visitor: 'v', item, isZip, size: 1, completeAt: new Date() })
    .execute()
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
  await downloaded('offer', 'etag', true)
  await age(ctx, 6)
  await Promise.all([clean(), clean()])
  const [mail = '', ...others] = await mails()
  t.same(others, [])
  t.match(mail, 'files of “Offer”')
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
