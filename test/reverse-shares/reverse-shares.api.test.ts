import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { signUp } from '../support/people/people.ts'
import { reversing, sending } from '../support/reverse.ts'
import { type Answer, cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

const queue = waitingJobs()
let clock = new Date('2026-03-01T10:00:00.000Z')
const { app, ctx } = await testApp(t, { queue, now: () => clock })
await signUp(app, 'root') // the administrator
const aliceHeaders = await signUp(app, 'alice')
const bobHeaders = await signUp(app, 'bob')
const alice = reversing(app, aliceHeaders)
const bob = reversing(app, bobHeaders)
const visitor = reversing(app)
const { send, sendFiles } = sending(app)
const aliceShares = sharing(app, aliceHeaders)
const stranger = sharing(app)

const row = (id: string) => ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

t.test('creates a link by the compatible call, and returns its address', async (t) => {
  const answer = await alice.make()
  t.equal(answer.statusCode, 201)
  const { id, token, link } = answer.json()
  t.match(token, /^[A-Za-z0-9]{24}$/)
  t.equal(link, `http://localhost:80/upload/${token}`)
  t.same(ok(await visitor.call('GET', `/${token}`)).json(), {
    id,
    token,
    name: null,
    creator: { username: 'alice' },
    shareExpiration: '2026-03-02T10:00:00.000Z',
    maxShareSize: '1000',
    remainingUses: 1,
    simplified: false,
    publicAccess: true,
    hasPassword: false,
    fields: { name: 'off', email: 'off', message: 'off' },
    allowedTypes: [],
  })
  t.match(await alice.mine(token), { id, link, remainingUses: 1, maxUseCount: 1, sendEmailNotification: false, shares: [] })
})

t.test('has a default for every option, and accepts a value', async (t) => {
  const plain = ok(await alice.call('POST', '', {})).json()
  t.match(await alice.mine(plain.token), {
    maxShareSize: '1000000000000',
    maxUseCount: 1,
    shareExpiration: '2026-03-08T10:00:00.000Z',
    publicAccess: true,
  })
  const chosen = {
    token: 'photos-for-alice',
    name: ' Photos ',
    shareExpiration: 'never',
    maxShareSize: '5000',
    maxUseCount: 1000,
    sendEmailNotification: true,
    simplified: true,
    publicAccess: false,
    fields: { name: 'required', message: 'optional' },
    allowedTypes: ['.jpg', 'image/*'],
    password: 'open sesame',
  }
  ok(await alice.call('POST', '', chosen))
  t.match(await alice.mine('photos-for-alice'), {
    name: 'Photos',
    shareExpiration: '1970-01-01T00:00:00.000Z',
    maxShareSize: '5000',
    remainingUses: 1000,
    sendEmailNotification: true,
    simplified: true,
    publicAccess: false,
    hasPassword: true,
    fields: { name: 'required', email: 'off', message: 'optional' },
    allowedTypes: ['.jpg', 'image/*'],
  })
})

t.test('rejects invalid values at their fields, and visitors altogether', async (t) => {
  const cases: [string, object][] = [
    ['token', { token: 'ab' }],
    ['token', { token: 'a b c' }],
    ['token', { token: 'x'.repeat(51) }],
    ['name', { name: 'x'.repeat(101) }],
    ['maxShareSize', { maxShareSize: '0' }],
    ['maxShareSize', { maxShareSize: '-5' }],
    ['maxShareSize', { maxShareSize: '1e3' }],
    ['maxShareSize', { maxShareSize: 1000 }],
    ['maxUseCount', { maxUseCount: 0 }],
    ['maxUseCount', { maxUseCount: 1001 }],
    ['sendEmailNotification', { sendEmailNotification: 'yes' }],
    ['fields.name', { fields: { name: 'maybe' } }],
    ['fields.phone', { fields: { phone: 'required' } }],
    ['allowedTypes.0', { allowedTypes: ['image/'] }],
    ['allowedTypes', { allowedTypes: Array(51).fill('.a') }],
    ['password', { password: 'ab' }],
  ]
  for (const [path, payload] of cases) {
    const answer = await alice.make(payload)
    t.same(refusal(answer), [400, 'validation_failed'], JSON.stringify(payload))
    t.equal(answer.json().issues[0].path, path)
  }
  t.same(refusal(await alice.make({ shareExpiration: 'soon' })), [400, 'expiration_invalid'])
  const large = await alice.make({ maxShareSize: '1000000000001' })
  t.same(refusal(large), [400, 'reverse_share_size_exceeds_maximum'])
  t.equal(large.json().max, 1_000_000_000_000)
  await set(ctx, 'share.maxExpiration', 24)
  t.same(refusal(await alice.make({ shareExpiration: 'never' })), [400, 'expiration_exceeds_maximum'])
  t.same(refusal(await alice.make({ shareExpiration: '25-hours' })), [400, 'expiration_exceeds_maximum'])
  await set(ctx, 'share.maxExpiration', 0)
  t.same(refusal(await visitor.make()), [401, 'unauthorized'])
  t.same(refusal(await visitor.call('GET', '')), [401, 'unauthorized'])
})

t.test('keeps a custom link unique until it expires', async (t) => {
  const free = async (token: string) => ok(await visitor.call('GET', `/isReverseShareTokenAvailable/${token}`)).json().isAvailable
  t.equal(await free('mine'), true)
  await alice.link('mine', { shareExpiration: '1-minute' })
  t.equal(await free('mine'), false)
  t.same(refusal(await bob.make({ token: 'mine' })), [400, 'reverse_share_token_taken'])
  t.same(refusal(await bob.make({ token: 'MINE' })), [400, 'reverse_share_token_taken'], 'regardless of case')
  t.equal(await free('Mine'), false)
  t.same(refusal(await bob.make({ token: 'isReverseShareTokenAvailable' })), [400, 'reverse_share_token_taken'])
  for (const token of ['ab', 'a%20b', '%00', 'x'.repeat(51)]) t.equal(await free(token), false, token)
  clock = new Date(clock.getTime() + 60_000)
  t.equal(await free('mine'), true)
  await bob.link('mine')
  const { id } = await bob.mine('mine')
  ok(await bob.call('DELETE', `/${id}`))
  t.equal(await free('mine'), false, 'it can still be restored')
  t.same(refusal(await alice.make({ token: 'mine' })), [400, 'reverse_share_token_taken'])
  clock = new Date(clock.getTime() + 30_000)
  t.equal(await free('mine'), true)
  await alice.link('mine')
  clock = new Date(clock.getTime() - 30_000)
})

t.test("lets a sender without an account send, and gives the share to the link's owner", async (t) => {
  await alice.link('inbox', { fields: { name: 'required', email: 'optional', message: 'optional' } })
  const { answer, sender } = await send('inbox', 'sent', {
    name: 'Holiday',
    expiration: 'never',
    sender: { name: ' Sam ', email: 'sam@example.com', message: 'Here\nyou are' },
  })
  t.equal(answer.statusCode, 201, 'although shares without an account are turned off')
  t.equal(answer.json().expiration, '2026-03-02T10:01:00.000Z', 'the link sets the expiration')
  t.match(answer.cookies, [{ name: 'share_sent_owner', value: answer.json().ownerToken, httpOnly: true, sameSite: 'Lax' }])
  t.same((await alice.mine('inbox')).shares, [], 'no share has been received yet')
  t.same(refusal(await aliceShares.call('GET', '/sent/from-owner')), [404, 'share_not_found'])
  const fileId = await sender.file('sent', 'a.txt', 'hello')
  const completed = ok(await sender.call('POST', '/sent/complete'))
  t.equal(completed.json().notifyReverseShareCreator, false)

  const { shares, remainingUses } = await alice.mine('inbox')
  t.equal(remainingUses, 0)
  t.match(shares, [
    {
      id: 'sent',
      name: 'Holiday',
      creator: null,
      sender: { name: 'Sam', email: 'sam@example.com', message: 'Here\nyou are' },
      size: 5,
      files: [{ id: fileId, name: 'a.txt', size: '5' }],
      completedAt: '2026-03-01T10:01:00.000Z',
      link: 'http://localhost:80/share/sent',
    },
  ])
  t.equal(ok(await aliceShares.call('GET', `/sent/files/${fileId}`)).body, 'hello')
  t.match(ok(await aliceShares.call('GET', '/sent')).json(), { name: 'Holiday' })
  t.match(ok(await aliceShares.call('GET', '/sent/from-owner')).json(), { received: true, sender: { name: 'Sam' } })
  t.equal((await row('sent')).views, 0, 'that does not count as a visit')
  t.notMatch(ok(await stranger.call('GET', '/sent', undefined, await stranger.unlock('sent'))).body, 'sam@example.com')
  t.same(ok(await aliceShares.call('GET', '')).json(), [], 'it is not listed in my shares')
})

t.test('turns a link off and on again, and lets uploads that have begun go on', async (t) => {
  await alice.link('switch', { maxUseCount: 5 })
  const { id } = await alice.mine('switch')
  const { answer, sender } = await send('switch', 'begun-before')
  ok(answer)
  ok(await alice.call('PATCH', `/${id}`, { enabled: false }))
  t.match(await alice.mine('switch'), { enabled: false, remainingUses: 4 })
  for (const refused of [await visitor.call('GET', '/switch'), await visitor.call('POST', '/switch/unlock', { password: 'x' })])
    t.same(refusal(refused), [404, 'link_turned_off'])
  t.same(refusal((await send('switch', 'begun-after')).answer), [404, 'link_turned_off'])
  const form = { 'x-share-password': '' }
  const script = await app.inject({ method: 'PUT', url: '/api/upload/a.txt?reverseShareToken=switch', headers: form, payload: 'a' })
  t.same(refusal(script), [404, 'link_turned_off'])
  await sender.file('begun-before', 'a.txt', 'a')
  ok(await sender.call('POST', '/begun-before/complete'))
  for (const [method, path, body] of [
    ['DELETE', '/complete'],
    ['PATCH', '', { name: 'Changed' }],
    ['POST', '/files', { name: 'b.txt', size: 1 }],
  ] as const)
    t.same(refusal(await sender.call(method, `/begun-before${path}`, body)), [404, 'link_turned_off'], `${method} ${path}`)
  ok(await alice.call('PATCH', `/${id}`, { enabled: true }))
  ok(await visitor.call('GET', '/switch'))
  t.same(refusal(await bob.call('PATCH', `/${id}`, { enabled: false })), [404, 'reverse_share_not_found'])
  ok(await sender.call('DELETE', '/begun-before/complete'))
  ok(await alice.call('PATCH', `/${id}`, { enabled: false }))
  await sender.file('begun-before', 'b.txt', 'b')
  ok(await sender.call('POST', '/begun-before/complete')) // changes that have begun can be finished
  await alice.link('later', { enabled: false })
  t.match(await alice.mine('later'), { enabled: false })
})

t.test('replaces a link: the old one stops, and what was received stays', async (t) => {
  await alice.link('leaked', { maxUseCount: 5, password: 'password' })
  const { id } = await alice.mine('leaked')
  await ctx.db.insertInto('oldLink').values({ address: 'palmr:leaked', reverseShareId: id }).execute()
  const replaced = ok(await alice.call('POST', `/${id}/replace`)).json()
  t.match(replaced, { id, token: /^[A-Za-z0-9]{24}$/, link: `http://localhost:80/upload/${replaced.token}` })
  t.same(refusal(await visitor.call('GET', '/leaked')), [404, 'reverse_share_not_found'])
  t.same(refusal(await visitor.call('GET', `/${replaced.token}`)), [403, 'reverse_share_password_required'], 'with the same rules')
  t.equal((await ctx.db.selectFrom('oldLink').select('address').where('reverseShareId', '=', id).execute()).length, 0)
  t.equal(ok(await alice.call('POST', `/${id}/replace`, { token: 'chosen-one' })).json().token, 'chosen-one')
  await bob.link('of-bob')
  t.same(refusal(await alice.call('POST', `/${id}/replace`, { token: 'OF-BOB' })), [400, 'reverse_share_token_taken'])
  t.same(refusal(await bob.make({ token: 'LEAKED' })), [400, 'reverse_share_token_taken'], 'senders have the old link')
  t.same(ok(await visitor.call('GET', '/isReverseShareTokenAvailable/leaked')).json(), { isAvailable: false })
  t.equal(ok(await alice.call('POST', `/${id}/replace`, { token: 'leaked' })).json().token, 'leaked', 'its owner can use it again')
  t.same(refusal(await alice.call('POST', `/${id}/replace`, { token: 'isReverseShareTokenAvailable' })), [400, 'reverse_share_token_taken'])
  t.same(refusal(await alice.call('POST', `/${id}/replace`, { token: 'a b' })), [400, 'validation_failed'])
  t.same(refusal(await alice.call('POST', `/${id}/replace`, { name: 'x' })), [400, 'validation_failed'])
  t.same(refusal(await bob.call('POST', `/${id}/replace`)), [404, 'reverse_share_not_found'])
  t.same(refusal(await alice.call('POST', '/no-id/replace')), [404, 'reverse_share_not_found'])
  const tokens = await Promise.all(['both', 'both'].map((token) => alice.call('POST', `/${id}/replace`, { token })))
  t.same(tokens.map(({ statusCode }) => statusCode).sort(), [200, 400], 'one of two calls at the same time gets it')
})

t.test('limits the total size of what is received through a link', async (t) => {
  await alice.link('total', { maxUseCount: null, maxShareSize: '1000', maxTotalSize: '1500' })
  t.match(await alice.mine('total'), { maxTotalSize: '1500' })
  await sendFiles('total', 'total-1', { 'a.txt': 'x'.repeat(900) })
  t.equal(ok(await visitor.call('GET', '/total')).json().maxShareSize, '600', 'senders see what is left')
  const senders = await Promise.all([2, 3].map(async (n) => (await send('total', `total-${n}`)).sender))
  const both = await Promise.all(senders.map((sender, index) => sender.announce(`total-${index + 2}`, 'a.txt', 600)))
  t.same(both.map(({ statusCode }) => statusCode).sort(), [201, 413], 'two senders do not share the last bytes')
  const refused = both.find(({ statusCode }) => statusCode === 413)!
  t.match(refused.json(), { error: 'reverse_share_full', max: 1500 })
  t.same(refusal(await visitor.call('GET', '/total')), [413, 'reverse_share_full'])
  ok(await aliceShares.call('POST', '/total-1/adopt', {}))
  t.equal(ok(await visitor.call('GET', '/total')).json().maxShareSize, '900', 'an adopted share no longer counts')
  const { id } = await alice.mine('total')
  ok(await alice.call('PATCH', `/${id}`, { maxTotalSize: null }))
  t.match(await alice.mine('total'), { maxTotalSize: null })
  t.equal(ok(await visitor.call('GET', '/total')).json().maxShareSize, '1000')
  t.same(refusal(await alice.make({ maxTotalSize: '0' })), [400, 'validation_failed'])
})

t.test('responds the same to unknown, used-up and expired links', async (t) => {
  await alice.link('spent')
  ok((await send('spent', 'spent-1')).answer)
  await alice.link('late', { shareExpiration: '1-minute' })
  clock = new Date(clock.getTime() + 60_000)
  for (const token of ['unknown', 'spent', 'late', '%00', 'a%20b']) {
    t.same(refusal(await visitor.call('GET', `/${token}`)), [404, 'reverse_share_not_found'], token)
    t.same(refusal(await visitor.call('POST', `/${token}/unlock`, { password: 'x' })), [404, 'reverse_share_not_found'], token)
    const { answer } = await send(decodeURIComponent(token), 'never-made')
    if (token !== '%00') t.same(refusal(answer), [404, 'reverse_share_not_found'], token)
    t.not(answer.statusCode, 201)
  }
  t.same(await ctx.db.selectFrom('share').select('id').where('id', '=', 'never-made').execute(), [])
  t.match(await alice.mine('spent'), { remainingUses: 0 })
})

t.test('refunds a use when the sender cancels, but not when the received share is deleted', async (t) => {
  await alice.link('again')
  const first = await send('again', 'given-up')
  t.match(await alice.mine('again'), { remainingUses: 0 })
  t.same(refusal(await stranger.call('DELETE', '/given-up')), [401, 'unauthorized'])
  t.same(refusal(await aliceShares.call('DELETE', '/given-up')), [404, 'share_not_found'], 'it has not been received yet')
  ok(await first.sender.call('DELETE', '/given-up'))
  t.match(await alice.mine('again'), { remainingUses: 1 })
  const { sender } = await sendFiles('again', 'kept', { 'a.txt': 'a' })
  t.same(refusal(await sender.call('DELETE', '/kept')), [403, 'anonymous_share_not_deletable'])
  ok(await aliceShares.call('DELETE', '/kept'))
  t.match(await alice.mine('again'), { remainingUses: 0, shares: [] })
  t.same(refusal(await stranger.call('GET', '/kept')), [404, 'share_not_found'])
})

t.test('consumes no use for a rejected creation', async (t) => {
  await alice.link('strict', { fields: { name: 'required', email: 'required' } })
  ok(await aliceShares.create('taken-link'))
  const withSender = { sender: { name: 'Sam', email: 'sam@example.com' } }
  const refusals: [Answer, string][] = [
    [(await send('strict', 'taken-link', withSender)).answer, 'share_id_taken'],
    [(await send('strict', 'all', withSender)).answer, 'share_id_invalid'],
    [(await send('strict', 'mails', { ...withSender, recipients: ['a@example.com'] })).answer, 'recipients_disabled'],
    [(await send('strict', 'silent')).answer, 'validation_failed'],
    [(await send('strict', 'silent', { sender: { name: ' ', email: 'sam@example.com' } })).answer, 'validation_failed'],
    [(await send('strict', 'silent', { sender: { name: 'Sam', email: 'nonsense' } })).answer, 'validation_failed'],
  ]
  for (const [answer, error] of refusals) t.same(refusal(answer), [400, error])
  t.same(
    refusals[3]![0].json().issues.map(({ path }: { path: string }) => path),
    ['sender.name', 'sender.email'],
  )
  t.match(await alice.mine('strict'), { remainingUses: 1 })
  t.equal((await send('strict', 'said', withSender)).answer.statusCode, 201)
})

t.test('does not keep sender details that were not requested', async (t) => {
  await alice.link('curious')
  await sendFiles('curious', 'unasked', { 'a.txt': 'a' }, { sender: { name: 'Sam', email: 'sam@example.com', message: 'm' } })
  t.match((await alice.mine('curious')).shares, [{ sender: { name: null, email: null, message: null } }])
})

t.test('limits the total size of a share, and never above the server’s limit', async (t) => {
  await alice.link('small', { maxShareSize: '100', maxUseCount: 2 })
  const { sender } = await send('small', 'many')
  for (let n = 0; n < 10; n++) await sender.file('many', `${n}.txt`, 'x'.repeat(10))
  const more = await sender.announce('many', 'one-more.txt', 1)
  t.same(refusal(more), [413, 'share_too_large'])
  t.equal(more.json().max, 100)
  t.match(ok(await sender.call('GET', '/many/from-owner')).json(), { size: 100, maxSize: 100 })
  ok(await sender.call('POST', '/many/complete'))
  ok(await sender.call('DELETE', '/many/complete'))
  t.same(refusal(await sender.announce('many', 'later.txt', 1)), [413, 'share_too_large'], 'nor by editing')
  ok(await sender.call('POST', '/many/restore'))
  await set(ctx, 'share.maxSize', 50)
  t.match(ok(await visitor.call('GET', '/small')).json(), { maxShareSize: '50' })
  const second = await send('small', 'fewer')
  t.same(refusal(await second.sender.announce('fewer', 'a', 51)), [413, 'share_too_large'])
  await set(ctx, 'share.maxSize', 1_000_000_000_000)
})

t.test('accepts only allowed types, and no renames to others', async (t) => {
  await alice.link('papers', { allowedTypes: ['.PDF', 'tar.gz', 'image/*', 'video/mp4'] })
  const { sender } = await send('papers', 'typed')
  const announce = (name: string, type?: string) => sender.call('POST', '/typed/files', { name, size: 1, ...(type && { type }) })
  for (const name of ['a.pdf', 'b.Pdf', 'c.tar.gz', 'd.jpg', 'e.mp4', 'folder/f.png']) t.equal((await announce(name)).statusCode, 201, name)
  t.equal((await announce('raw.cr3', 'image/x-canon-cr3')).statusCode, 201)
  for (const name of ['a.exe', 'pdf', 'a.pdf.exe', 'b.gz', 'c.txt', 'jpg']) {
    const answer = await announce(name)
    t.same(refusal(answer), [400, 'file_type_not_allowed'], name)
    t.same(answer.json().allowed, ['.PDF', 'tar.gz', 'image/*', 'video/mp4'])
  }
  const fileId = await sender.file('typed', 'x.mp4', 'a')
  t.same(refusal(await sender.call('PATCH', `/typed/files/${fileId}`, { name: 'x.exe' })), [400, 'file_type_not_allowed'])
  ok(await sender.call('PATCH', `/typed/files/${fileId}`, { name: 'y.mp4' }))
})

t.test('requires the password of a link before it can be used', async (t) => {
  await alice.link('locked', { password: 'open sesame' })
  t.same(refusal(await visitor.call('GET', '/locked')), [403, 'reverse_share_password_required'])
  t.same(refusal((await send('locked', 'behind')).answer), [403, 'reverse_share_password_required'])
  t.same(refusal(await visitor.call('POST', '/locked/unlock', { password: 'guess' })), [403, 'wrong_password'])
  const answer = await visitor.call('POST', '/locked/unlock', { password: 'open sesame' })
  t.equal(answer.statusCode, 204)
  t.match(answer.cookies, [{ httpOnly: true, sameSite: 'Lax', path: '/' }])
  const unlocked = cookiesOf(answer)
  t.equal(ok(await visitor.call('GET', '/locked', undefined, unlocked)).json().hasPassword, true)
  await alice.link('locked-too', { password: 'open sesame' })
  t.same(refusal(await visitor.call('GET', '/locked-too', undefined, unlocked)), [403, 'reverse_share_password_required'])
  const forged = { cookie: unlocked.cookie!.replace(/=\w+\./, '=zzzzzzzzz.') }
  t.same(refusal(await visitor.call('GET', '/locked', undefined, forged)), [403, 'reverse_share_password_required'])
  t.equal((await send('locked', 'behind', {}, unlocked)).answer.statusCode, 201)
})

t.test('counts wrong passwords', async (t) => {
  await alice.link('guarded', { password: 'open sesame' })
  for (let n = 0; n < 20; n++) t.equal((await visitor.call('POST', '/guarded/unlock', { password: `${n}` })).statusCode, 403)
  t.same(refusal(await visitor.call('POST', '/guarded/unlock', { password: 'open sesame' })), [429, 'too_many_requests'])
})

t.test("accepts the cookie of compatible clients only without a session, never for a signed-in user's own shares", async (t) => {
  await alice.link('by-cookie', { maxUseCount: 10 })
  const cookie = 'reverse_share_token=by-cookie'
  const create = (id: string, more: object, cookies: string) =>
    sharing(app, { cookie: cookies }).call('POST', '', { id, expiration: '1-day', recipients: [], security: {}, ...more })
  const throughWhich = async (id: string) => (await row(id)).receiverId
  ok(await create('cookie-guest', {}, cookie))
  t.ok(await throughWhich('cookie-guest'))
  ok(await create('cookie-user', {}, `${bobHeaders.cookie}; ${cookie}`))
  t.equal(await throughWhich('cookie-user'), null)
  t.equal((await row('cookie-user')).ownerId !== null, true)
  const ended = `${bobHeaders.cookie.replace(/access_token=[^;]*/, 'access_token=ended')}; ${cookie}`
  t.same(
    refusal(await create('cookie-ended', {}, ended)),
    [403, 'unauthenticated_shares_disabled'],
    'an expired session is not treated as a visitor',
  )
  t.same(refusal(await create('cookie-null', { reverseShareToken: null }, cookie)), [403, 'unauthenticated_shares_disabled'])
  t.same(refusal(await create('cookie-stale', {}, 'reverse_share_token=unknown')), [403, 'unauthenticated_shares_disabled'])
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  ok(await create('cookie-stale', {}, 'reverse_share_token=unknown'))
  ok(await create('cookie-null', { reverseShareToken: null }, cookie))
  t.equal(await throughWhich('cookie-stale'), null)
  t.equal(await throughWhich('cookie-null'), null)
  await set(ctx, 'share.allowUnauthenticatedShares', false)
  await alice.link('by-body')
  ok(await create('body-first', { reverseShareToken: 'by-body' }, `${bobHeaders.cookie}; ${cookie}`))
  t.ok(await throughWhich('body-first'))
  t.match(await alice.mine('by-body'), { remainingUses: 0 })
  t.match(await alice.mine('by-cookie'), { remainingUses: 9 })
})

t.test('keeps a link unlocked for a day', async (t) => {
  const { token } = ok(await alice.make({ password: 'open sesame', shareExpiration: 'never' })).json()
  const fresh = cookiesOf(await visitor.call('POST', `/${token}/unlock`, { password: 'open sesame' }))
  clock = new Date(clock.getTime() + 86_400_000 - 1000)
  ok(await visitor.call('GET', `/${token}`, undefined, fresh))
  clock = new Date(clock.getTime() + 1000)
  t.same(refusal(await visitor.call('GET', `/${token}`, undefined, fresh)), [403, 'reverse_share_password_required'])
})

t.test('changes an upload link and the expiration of its received shares, and never its address', async (t) => {
  const dave = reversing(app, await signUp(app, 'dave'))
  const other = reversing(app, await signUp(app, 'erin'))
  await dave.link('changing', { maxUseCount: 2, shareExpiration: '1-day', password: 'secret' })
  const { id } = await dave.mine('changing')
  const { cookies } = await visitor.call('POST', '/changing/unlock', { password: 'secret' })
  const unlocked = { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
  const { answer } = await send('changing', 'changing-1', {}, unlocked)
  const sender = sharing(app, { cookie: `${unlocked.cookie}; ${cookiesOf(answer).cookie}` })
  await sender.file('changing-1', 'a.txt', 'a')
  ok(await sender.call('POST', '/changing-1/complete'))
  const change = (body: object, person = dave) => person.call('PATCH', `/${id}`, body)
  t.match(ok(await change({ name: 'Photos', maxUseCount: null, password: null, fields: { name: 'required' } })).json(), {
    token: 'changing',
  })
  t.match(await dave.mine('changing'), {
    name: 'Photos',
    maxUseCount: null,
    remainingUses: null,
    hasPassword: false,
    fields: { name: 'required', email: 'off' },
    shares: [{ id: 'changing-1' }],
  })
  t.match(ok(await visitor.call('GET', '/changing')).json(), { remainingUses: null })
  ok(await change({ shareExpiration: '14-days', maxUseCount: 1, maxShareSize: '5' }))
  const changed = await dave.mine('changing')
  t.match(changed, { maxUseCount: 1, remainingUses: 0, maxShareSize: '5', name: 'Photos' })
  t.equal(changed.shares[0]!.expiration, changed.shareExpiration, 'received shares last as long as the link')
  t.equal(Date.parse(String(changed.shareExpiration)), clock.getTime() + 14 * 86_400_000)
  t.same(refusal(await change({ name: 'x' }, other)), [404, 'reverse_share_not_found'])
  t.same(refusal(await change({ name: 'x' }, visitor)), [401, 'unauthorized'])
  t.same(refusal(await change({ shareExpiration: 'soon' })), [400, 'expiration_invalid'])
  t.same(refusal(await change({ maxShareSize: '9000000000000000' })), [400, 'reverse_share_size_exceeds_maximum'])
  for (const body of [{ token: 'other' }, { maxUseCount: 0 }, { other: 1 }]) t.equal((await change(body)).statusCode, 400)
})

t.test('accepts any number of shares through a link without a limit of uses', async (t) => {
  const dave = reversing(app, await signUp(app, 'frank'))
  await dave.link('endless', { maxUseCount: null })
  for (let n = 0; n < 3; n++) ok((await send('endless', `endless-${n}`)).answer)
  t.match(await dave.mine('endless'), { maxUseCount: null, remainingUses: null })
})
