import t from 'tap'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { ok, refusal, sharing } from '../support/sharing.ts'

const queue = waitingJobs()
let clock = new Date('2026-03-01T10:00:00.000Z')
const { app, ctx } = await testApp(t, { queue, now: () => clock })
const rootHeaders = await signUp(app, 'root')
const aliceHeaders = await signUp(app, 'alice')
const bobHeaders = await signUp(app, 'bob')
const root = reversing(app, rootHeaders)
const alice = reversing(app, aliceHeaders)
const bob = reversing(app, bobHeaders)
const visitor = reversing(app)
const { send, sendFiles } = sending(app)
const aliceShares = sharing(app, aliceHeaders)
const bobShares = sharing(app, bobHeaders)
const stranger = sharing(app)

const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

t.test('gives both the signed-in sender and the receiver access', async (t) => {
  await alice.link('from-bob', { publicAccess: false })
  ok(await bobShares.call('POST', '', { id: 'bobs', reverseShareToken: 'from-bob' }))
  const fileId = await bobShares.file('bobs', 'a.txt', 'a')
  ok(await bobShares.call('POST', '/bobs/complete'))
  t.match((await alice.mine('from-bob')).shares, [{ id: 'bobs', creator: { username: 'bob' } }])
  t.ok(
    ok(await bobShares.call('GET', ''))
      .json()
      .some(({ id }: { id: string }) => id === 'bobs'),
  )
  for (const person of [aliceShares, bobShares]) t.equal((await person.call('GET', `/bobs/files/${fileId}`)).statusCode, 200)
  t.same(refusal(await bobShares.call('PATCH', '/bobs', { expiration: 'never' })), [403, 'forbidden'], 'the link sets the expiration')
})

t.test('limits received shares to sender and receiver when the link requires it', async (t) => {
  await alice.link('private', { publicAccess: false })
  const { sender, ids } = await sendFiles('private', 'secret', { 'a.txt': 'a' }, { security: { password: 'secret' } })
  const guest = sharing(app)
  for (const person of [guest, bobShares, sharing(app, rootHeaders)]) {
    for (const url of ['/secret', '/secret/metaData', `/secret/files/${ids[0]}`, '/secret/files/zip']) {
      t.same(refusal(await person.call('GET', url)), [403, 'private_share'], url)
    }
    t.same(refusal(await person.call('POST', '/secret/token', { password: 'secret' })), [403, 'private_share'])
  }
  for (const person of [aliceShares, sender]) {
    t.equal((await person.call('GET', '/secret')).statusCode, 200)
    t.equal((await person.call('GET', `/secret/files/${ids[0]}`)).statusCode, 200)
  }
  // A token that was issued before does not help.
  await ctx.db.updateTable('share').set({ private: false }).where('id', '=', 'secret').execute()
  const unlocked = await guest.unlock('secret', 'secret')
  ok(await guest.call('GET', '/secret', undefined, unlocked))
  await ctx.db.updateTable('share').set({ private: true }).where('id', '=', 'secret').execute()
  t.same(refusal(await guest.call('GET', '/secret', undefined, unlocked)), [403, 'private_share'])
})

t.test('lets the receiver delete files, but change nothing before taking the share over', async (t) => {
  await alice.link('take')
  const { sender, ids } = await sendFiles('take', 'came', { 'a.txt': 'a', 'b.txt': 'bb' }, { security: { password: 'secret' } })
  for (const answer of [
    await aliceShares.call('PATCH', '/came', { name: 'mine' }),
    await aliceShares.call('DELETE', '/came/complete'),
    await aliceShares.announce('came', 'c', 1),
    await aliceShares.call('PATCH', `/came/files/${ids[0]}`, { name: 'c' }),
    await aliceShares.call('GET', '/came/recipients'),
    await bobShares.call('POST', '/came/adopt'),
    await bobShares.call('DELETE', `/came/files/${ids[0]}`),
  ]) {
    t.same(refusal(answer), [403, 'forbidden'])
  }
  ok(await sender.call('DELETE', '/came/complete'))
  ok(await aliceShares.call('DELETE', `/came/files/${ids[0]}`))
  t.match(
    ok(await aliceShares.call('GET', '/came')).json(),
    { files: [{ name: 'b.txt' }] },
    'visible at once, although the sender is editing',
  )
  await sender.file('came', 'unsaved.txt', 'x')
  ok(await sender.call('PATCH', `/came/files/${ids[1]}`, { name: 'renamed.txt' }))
  ok(await sender.call('DELETE', `/came/files/${ids[1]}`))
  t.match(ok(await sender.call('GET', '/came/from-owner')).json(), {
    files: [{ name: 'unsaved.txt' }],
    removedFiles: [{ name: 'renamed.txt' }],
  })
  const seen = ok(await aliceShares.call('GET', '/came/from-owner')).json()
  t.match(seen, { files: [{ name: 'b.txt', olderName: null }], removedFiles: [], unfinishedFiles: [], size: 2 }, 'the saved state')
  t.equal(seen.files.length, 1)
  t.same(refusal(await sender.call('POST', '/came/adopt')), [401, 'unauthorized'])

  const adopted = ok(await aliceShares.call('POST', '/came/adopt')).json()
  t.match(adopted, { creator: { username: 'alice' }, received: false, editing: false, files: [{ name: 'b.txt' }], size: 2 })
  t.equal(adopted.files.length, 1, 'unsaved changes of the sender are discarded')
  t.same((await alice.mine('take')).shares, [])
  t.match(ok(await aliceShares.call('GET', '')).json(), [{ id: 'came' }])
  ok(await aliceShares.call('PATCH', '/came', { password: null, expiration: '30-days', name: 'Passed on' }))
  t.equal((await row('came')).reserved, 2)
  await stranger.unlock('came')
  for (const answer of [await sender.call('DELETE', '/came/complete'), await sender.announce('came', 'c', 1)]) {
    t.same(refusal(answer), [401, 'unauthorized'], 'the sender has lost access')
  }
  t.same(refusal(await aliceShares.call('POST', '/came/adopt')), [403, 'forbidden'], 'twice')
  const { id } = await alice.mine('take')
  ok(await alice.call('DELETE', `/${id}`))
  t.equal((await stranger.call('POST', '/came/token', {})).statusCode, 200, 'and it stays when the link is deleted')
})

t.test('keeps an adopted private share private until its owner publishes it', async (t) => {
  await alice.link('closed', { publicAccess: false, maxUseCount: 2 })
  const { sender } = await sendFiles('closed', 'kept', { 'a.txt': 'a' })
  t.same(refusal(await sender.call('PATCH', '/kept', { publicAccess: true })), [403, 'forbidden'], 'the sender may not')
  t.match(ok(await aliceShares.call('POST', '/kept/adopt')).json(), { publicAccess: false, received: false })
  const stranger = sharing(app)
  t.same(refusal(await stranger.call('POST', '/kept/token', {})), [403, 'private_share'])
  t.same(refusal(await bobShares.call('GET', '/kept')), [403, 'private_share'])
  ok(await aliceShares.call('GET', '/kept'))
  t.match(ok(await aliceShares.call('PATCH', '/kept', { publicAccess: true })).json(), { publicAccess: true })
  ok(await stranger.call('POST', '/kept/token', {}))
  await sendFiles('closed', 'opened', { 'a.txt': 'a' })
  t.match(ok(await aliceShares.call('POST', '/opened/adopt', { publicAccess: true })).json(), { publicAccess: true })
})

t.test('deletes a link with all its received shares, except those that were taken over', async (t) => {
  await alice.link('doomed', { maxUseCount: 3 })
  const { ids } = await sendFiles('doomed', 'doomed-1', { 'a.txt': 'a' })
  const { uid } = await row('doomed-1')
  ok((await send('doomed', 'doomed-2')).answer)
  const { id } = await alice.mine('doomed')
  t.same(refusal(await bob.call('DELETE', `/${id}`)), [403, 'forbidden'])
  t.same(refusal(await visitor.call('DELETE', `/${id}`)), [401, 'unauthorized'])
  t.same(refusal(await alice.call('DELETE', '/nonsense')), [404, 'reverse_share_not_found'])
  queue.jobs.length = 0
  t.equal((await alice.call('DELETE', `/${id}`)).statusCode, 200)
  t.match(queue.jobs, [{ name: 'clean-up' }])
  t.same(refusal(await alice.call('DELETE', `/${id}`)), [404, 'reverse_share_not_found'])
  t.same(refusal(await visitor.call('GET', '/doomed')), [404, 'reverse_share_not_found'])
  t.same(refusal(await aliceShares.call('GET', '/doomed-1')), [404, 'share_not_found'])
  t.equal((await visitor.call('GET', '/isReverseShareTokenAvailable/doomed')).json().isAvailable, false, 'it can still be restored')
  await cleanUp({ ...ctx, now: () => new Date(clock.getTime() + 30_000) }, {}, new AbortController().signal)
  t.same(await ctx.db.selectFrom('share').select('id').where('id', 'like', 'doomed-%').execute(), [])
  const key = `shares/${uid}/${ids[0]}`
  t.ok(await ctx.db.selectFrom('deletedObject').select('key').where('key', '=', key).executeTakeFirst(), 'the bytes are queued for removal')
  await alice.link('doomed')
  ok(await root.call('DELETE', `/${(await alice.mine('doomed')).id}`))
})

t.test('deletes a user with links and their received shares, and frees the name', async (t) => {
  const carolHeaders = await signUp(app, 'carol')
  const carol = reversing(app, carolHeaders)
  await carol.link('for-carol', { maxUseCount: 3 })
  const { ids } = await sendFiles('for-carol', 'carols', { 'a.txt': 'a' })
  const { uid } = await row('carols')
  ok(await bobShares.call('POST', '', { id: 'carols-too', reverseShareToken: 'for-carol' }))
  const user = await ctx.db.selectFrom('user').select('id').where('username', '=', 'carol').executeTakeFirstOrThrow()
  ok(await app.inject({ method: 'DELETE', url: `/api/users/${user.id}`, headers: rootHeaders }))
  t.same(await ctx.db.selectFrom('share').select('id').where('id', 'like', 'carols%').execute(), [])
  t.same(await ctx.db.selectFrom('reverseShare').select('id').where('token', '=', 'for-carol').execute(), [])
  const key = `shares/${uid}/${ids[0]}`
  t.ok(await ctx.db.selectFrom('deletedObject').select('key').where('key', '=', key).executeTakeFirst())
  const again = reversing(app, await signUp(app, 'carol'))
  await again.link('for-carol')
  await sendFiles('for-carol', 'carols', { 'b.txt': 'b' })
  t.match((await again.mine('for-carol')).shares, [{ id: 'carols', files: [{ name: 'b.txt' }] }])
})

t.test('deletes the shares that a deleted sender has sent', async (t) => {
  const danHeaders = await signUp(app, 'dan')
  await alice.link('from-dan')
  ok(await sharing(app, danHeaders).call('POST', '', { id: 'dans', reverseShareToken: 'from-dan' }))
  const user = await ctx.db.selectFrom('user').select('id').where('username', '=', 'dan').executeTakeFirstOrThrow()
  ok(await app.inject({ method: 'DELETE', url: `/api/users/${user.id}`, headers: rootHeaders }))
  t.match(await alice.mine('from-dan'), { remainingUses: 1, shares: [] }, 'and the use of the unfinished share is refunded')
})

t.test('lists my links in pages, with the requested number of received shares', async (t) => {
  const headers = await signUp(app, 'erin')
  const erin = reversing(app, headers)
  const frank = reversing(app, await signUp(app, 'frank'))
  for (const token of ['page-1', 'page-2', 'page-3']) {
    clock = new Date(clock.getTime() + 1000)
    await erin.link(token, { maxUseCount: 10 })
  }
  for (const id of ['first', 'second', 'third']) {
    clock = new Date(clock.getTime() + 1000)
    await sendFiles('page-2', id, { 'b.txt': 'bb', 'a.txt': 'a' })
  }
  type Listed = { token: string; shareCount: number; receivedSize: number; shares: Came[] }
  type Came = { id: string; fileCount: number; files: { name: string }[] }
  const ids = (answer: { json(): Came[] }) => answer.json().map(({ id }) => id)
  const page = async (query: string) => {
    const answer = ok(await erin.call('GET', query))
    t.equal(answer.headers['x-total-count'], '3', query)
    return answer.json() as Listed[]
  }
  const tokens = async (query: string) => (await page(query)).map(({ token }) => token)
  t.same(await tokens(''), ['page-3', 'page-2', 'page-1'])
  t.same(await tokens('?limit=2'), ['page-3', 'page-2'])
  t.same(await tokens('?page=2&limit=2'), ['page-1'])
  t.same(await tokens('?page=3&limit=2'), [])

  const [none, link] = await page('?limit=2&shares=2&files=1')
  t.match(none, { shareCount: 0, receivedSize: 0, shares: [] })
  t.match(link, { shareCount: 3, receivedSize: 9 })
  t.same(
    link!.shares.map(({ id, fileCount, files }) => [id, fileCount, files.map(({ name }) => name)]),
    [
      ['third', 2, ['a.txt']],
      ['second', 2, ['a.txt']],
    ],
  )
  t.same((await page('?shares=0'))[1]!.shares, [])

  const { id } = await erin.mine('page-2')
  const came = ok(await erin.call('GET', `/${id}/shares?page=2&limit=2&files=0`))
  t.equal(came.headers['x-total-count'], '3')
  t.match(came.json(), [{ id: 'first', fileCount: 2, files: [] }])
  t.same(ids(ok(await erin.call('GET', `/${id}/shares`))), ['third', 'second', 'first'])
  ok(await sharing(app, headers).call('POST', '/third/adopt'))
  t.same(ids(ok(await erin.call('GET', `/${id}/shares`))), ['second', 'first'], 'adopted shares no longer belong to a link')

  t.same(refusal(await erin.call('GET', '/none/shares')), [404, 'reverse_share_not_found'])
  t.same(refusal(await frank.call('GET', `/${id}/shares`)), [403, 'forbidden'])
  t.same(refusal(await visitor.call('GET', `/${id}/shares`)), [401, 'unauthorized'])
  for (const query of ['?page=0', '?limit=201', '?shares=-1', '?files=1001'])
    t.same(refusal(await erin.call('GET', query)), [400, 'validation_failed'], query)
})
