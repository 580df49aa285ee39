import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

const queue = waitingJobs()
let clock = new Date('2026-01-31T10:00:00.000Z')
const { app, ctx } = await testApp(t, { queue, now: () => clock })
const root = sharing(app, await signUp(app, 'root'))
const alice = sharing(app, await signUp(app, 'alice'))
const bob = sharing(app, await signUp(app, 'bob'))
const visitor = sharing(app)

const zipJobs = () => queue.jobs.filter(({ name }) => name === 'build-zip')

t.test('creates a share with the requested link, text and expiration', async (t) => {
  const answer = await alice.create('trip', { name: ' Trip ', description: 'a\nb', expiration: '2-hours' })
  t.equal(answer.statusCode, 201)
  t.same(answer.json(), {
    id: 'trip',
    name: 'Trip',
    expiration: '2026-01-31T12:00:00.000Z',
    description: 'a\nb',
    link: 'http://localhost:80/share/trip',
  })
  t.same(answer.cookies, [])
})

t.test('uses a random link and the default expiration when none is requested', async (t) => {
  const answer = ok(await alice.call('POST', '', {})).json()
  t.match(answer.id, /^[A-Za-z0-9]{12}$/)
  t.equal(answer.expiration, '2026-02-07T10:00:00.000Z')
  t.equal(answer.name, null)
})

t.test('takes the address of a link from the deployment, the setting, or the request with its port, in this order', async (t) => {
  const link = async (host: string) => ok(await alice.call('POST', '', { expiration: '1-day' }, { host })).json().link
  t.match(await link('files.example:8443'), /^http:\/\/files\.example:8443\/share\/\w+$/)
  await set(ctx, 'general.appUrl', 'https://share.example/')
  t.match(await link('files.example:8443'), /^https:\/\/share\.example\/share\/\w+$/)
  ctx.env.appUrl = 'https://env.example/base'
  t.match(await link('files.example:8443'), /^https:\/\/env\.example\/base\/share\/\w+$/)
  ctx.env.appUrl = null
  await set(ctx, 'general.appUrl', '')
})

t.test('accepts every unit of time, by the calendar in UTC', async (t) => {
  const cases: [string, string][] = [
    ['1-minute', '2026-01-31T10:01:00.000Z'],
    ['90-minutes', '2026-01-31T11:30:00.000Z'],
    ['1-hour', '2026-01-31T11:00:00.000Z'],
    ['3-day', '2026-02-03T10:00:00.000Z'],
    ['2-weeks', '2026-02-14T10:00:00.000Z'],
    ['1-month', '2026-02-28T10:00:00.000Z'],
    ['25-months', '2028-02-29T10:00:00.000Z'],
    ['2-years', '2028-01-31T10:00:00.000Z'],
    ['never', '1970-01-01T00:00:00.000Z'],
  ]
  for (const [expiration, expected] of cases) {
    t.equal(ok(await alice.call('POST', '', { expiration })).json().expiration, expected, expiration)
  }
})

t.test('rejects invalid expirations', async (t) => {
  for (const expiration of [
    '',
    'soon',
    '0-days',
    '-1-days',
    '1.5-days',
    '1-second',
    '1-days ',
    '999999-years',
    '9999999-days',
    '1-month-2',
    '2026-02-01T00:00:00Z',
  ]) {
    t.same(refusal(await alice.call('POST', '', { expiration })), [400, 'expiration_invalid'], expiration)
  }
  t.same(refusal(await alice.call('POST', '', { expiration: 7 })), [400, 'validation_failed'])
})

t.test('applies the maximum to every unit and to never, and to the default', async (t) => {
  await set(ctx, 'share.maxExpiration', 48)
  for (const expiration of ['never', '3-days', '49-hours', '2881-minutes', '1-week', '1-month', '1-year']) {
    const answer = await alice.call('POST', '', { expiration })
    t.same(refusal(answer), [400, 'expiration_exceeds_maximum'], expiration)
    t.equal(answer.json().max, '2026-02-02T10:00:00.000Z')
  }
  t.equal(ok(await alice.call('POST', '', { expiration: '48-hours' })).json().expiration, '2026-02-02T10:00:00.000Z')
  t.equal(ok(await alice.call('POST', '', {})).json().expiration, '2026-02-02T10:00:00.000Z')
  await set(ctx, 'share.maxExpiration', 0)
  t.equal(ok(await alice.call('POST', '', { expiration: 'never' })).json().expiration, '1970-01-01T00:00:00.000Z', '0 means no limit')
})

t.test('rejects an invalid link, name, description, password or number of views at its field', async (t) => {
  const cases: [string, object][] = [
    ['id', { id: 'ab' }],
    ['id', { id: 'a'.repeat(51) }],
    ['id', { id: 'a b' }],
    ['id', { id: 'a/b' }],
    ['id', { id: 'ä'.repeat(5) }],
    ['id', { id: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 5 }],
    ['description', { description: 'x'.repeat(513) }],
    ['description', { description: 'a\0b' }],
    ['security.password', { security: { password: 'ab' } }],
    ['security.password', { security: { password: 'x'.repeat(129) } }],
    ['security.maxViews', { security: { maxViews: 0 } }],
    ['security.maxViews', { security: { maxViews: '5' } }],
    ['security.maxView', { security: { maxView: 5 } }],
    ['maxViews', { maxViews: 5 }],
    ['sender.mail', { sender: { mail: 'a@example.com' } }],
    ['password', { password: 'beside security', security: {} }],
    ['recipients', { recipients: 'a@example.com' }],
    ['recipients.0', { recipients: ['not an address'] }],
  ]
  for (const [path, payload] of cases) {
    const answer = await alice.call('POST', '', payload)
    t.same(refusal(answer), [400, 'validation_failed'], JSON.stringify(payload))
    t.equal(answer.json().issues[0].path, path)
  }
  const many = await alice.call('POST', '', { recipients: Array(60_000).fill(1) })
  t.same(refusal(many), [400, 'validation_failed'])
  t.equal(many.json().issues.length, 1, 'a short response to a long list of invalid values')
  t.same(refusal(await alice.create('all')), [400, 'share_id_invalid'], 'a path of the API is not a valid link')
  t.same(refusal(await alice.create('isShareIdAvailable')), [400, 'share_id_invalid'])
  t.same(refusal(await alice.create('with-mail', { recipients: ['a@example.com'] })), [400, 'recipients_disabled'])
  t.same(await ctx.db.selectFrom('share').select('id').where('id', 'in', ['all', 'with-mail']).execute(), [])
})

t.test('rejects a link that is in use, and isShareIdAvailable reports it', async (t) => {
  const free = async (id: string) => ok(await visitor.call('GET', `/isShareIdAvailable/${id}`)).json().isAvailable
  t.equal(await free('once'), true)
  ok(await alice.create('once'))
  t.equal(await free('once'), false)
  t.same(refusal(await bob.create('once')), [400, 'share_id_taken'])
  t.same(refusal(await bob.create('ONCE')), [400, 'share_id_taken'], 'regardless of case')
  t.equal(await free('Once'), false)
  for (const id of ['all', 'ab', 'a%20b', 'x'.repeat(51), '%00']) t.equal(await free(id), false, id)
})

t.test('closes an expired share at once, and without grace frees its link and queues its bytes for removal', async (t) => {
  await set(ctx, 'share.graceDays', 0)
  const [fileId] = await alice.share('brief', { 'a.txt': 'a' }, { expiration: '1-minute' })
  const cookies = await visitor.unlock('brief')
  const old = await ctx.db.selectFrom('share').select('uid').where('id', '=', 'brief').executeTakeFirstOrThrow()
  clock = new Date(clock.getTime() + 60_000)
  for (const url of ['/brief', '/brief/metaData', `/brief/files/${fileId}`, '/brief/files/zip']) {
    t.same(refusal(await visitor.call('GET', url, undefined, cookies)), [404, 'share_not_found'], url)
  }
  t.same(refusal(await visitor.call('POST', '/brief/token', {})), [404, 'share_not_found'])
  t.same(refusal(await alice.call('GET', '/brief/from-owner')), [404, 'share_not_found'])
  t.notOk(
    ok(await alice.call('GET', ''))
      .json()
      .some(({ id }: { id: string }) => id === 'brief'),
  )
  t.equal(ok(await visitor.call('GET', '/isShareIdAvailable/brief')).json().isAvailable, true)
  queue.jobs.length = 0
  await bob.share('brief', { 'b.txt': 'b' })
  t.same(
    refusal(await visitor.call('GET', '/brief', undefined, cookies)),
    [403, 'share_token_required'],
    'an old token does not open a new share',
  )
  t.match(await ctx.db.selectFrom('deletedObject').select('key').execute(), [{ key: `shares/${old.uid}/${fileId}` }])
  t.match(queue.jobs[0], { name: 'clean-up' })
  await set(ctx, 'share.graceDays', 7)
})

t.test('creates shares without an account only where allowed, and returns a token to continue', async (t) => {
  t.same(refusal(await visitor.create('guest')), [403, 'unauthenticated_shares_disabled'])
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const answer = ok(await visitor.create('guest', { security: { password: 'secret' } }))
  const [cookie] = answer.cookies
  t.match(cookie, {
    name: 'share_guest_owner',
    value: answer.json().ownerToken,
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    maxAge: 86_400,
  })
  const stored = await ctx.db.selectFrom('share').selectAll().where('id', '=', 'guest').executeTakeFirstOrThrow()
  t.notMatch(JSON.stringify(stored), answer.json().ownerToken, 'stored as a hash')
  const guest = sharing(app, cookiesOf(answer))
  t.same(refusal(await visitor.announce('guest', 'a', 1)), [401, 'unauthorized'])
  t.same(refusal(await alice.announce('guest', 'a', 1)), [404, 'share_not_found'])
  const other = sharing(app, { cookie: `share_guest_owner=${'A'.repeat(43)}` })
  t.same(refusal(await other.announce('guest', 'a', 1)), [404, 'share_not_found'])
  const prober = sharing(app, { cookie: `share_absent_owner=${'A'.repeat(43)}` })
  t.same(refusal(await prober.announce('absent', 'a', 1)), [404, 'share_not_found'], 'as for an unknown link')
  await guest.file('guest', 'a.txt', 'a')
  t.equal((await guest.call('POST', '/guest/complete')).statusCode, 202)
  t.match(ok(await guest.call('GET', '/guest/from-owner')).json(), { creator: null, hasPassword: true, files: [{ name: 'a.txt' }] })
  t.equal((await guest.call('GET', '/guest')).statusCode, 200, 'and the creator sees it without the password')
  t.same(refusal(await guest.call('DELETE', '/guest')), [403, 'anonymous_share_not_deletable'])
  t.same(refusal(await visitor.call('DELETE', '/guest')), [403, 'forbidden'])
  t.equal((await root.call('DELETE', '/guest')).statusCode, 200)
  await set(ctx, 'share.allowUnauthenticatedShares', false)
})

t.test('opens a share when all its files are complete', async (t) => {
  ok(await alice.create('steps', { name: 'Steps' }))
  t.same(refusal(await alice.call('POST', '/steps/complete')), [400, 'share_has_no_files'])
  const { id } = ok(await alice.announce('steps', 'a.txt', 3)).json()
  const early = await alice.call('POST', '/steps/complete')
  t.same(refusal(early), [400, 'upload_incomplete'])
  t.same(early.json().files, [id])
  t.same(refusal(await visitor.call('GET', '/steps')), [404, 'share_not_found'], 'not visible before')
  t.same(refusal(await visitor.call('POST', '/steps/token', {})), [404, 'share_not_found'])
  ok(await alice.part('steps', id, 1, Buffer.from('abc')))
  ok(await alice.call('POST', `/steps/files/${id}/complete`))
  queue.jobs.length = 0
  const answer = await alice.call('POST', '/steps/complete')
  t.equal(answer.statusCode, 202)
  t.match(answer.json(), { id: 'steps', name: 'Steps', link: 'http://localhost:80/share/steps' })
  t.same(zipJobs(), [], 'no archive is built at level 0')
  t.same(refusal(await alice.call('POST', '/steps/complete')), [400, 'share_already_completed'])
  t.same(refusal(await alice.announce('steps', 'b.txt', 3)), [400, 'share_already_completed'])
  t.match(await row('steps'), { revision: 1, size: 3, zipState: 'none', uploadOpen: false })
})

t.test('requests a zip once above level 0', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 6)
  queue.jobs.length = 0
  await alice.share('packed', { 'a.txt': 'a' })
  const { uid } = await row('packed')
  t.same(zipJobs(), [{ name: 'build-zip', payload: { shareId: 'packed', revision: 1 }, id: `zip-${uid}-1` }])
  t.match(await row('packed'), { zipState: 'preparing', zipProgress: 0 })
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('lets only the owner and administrators change a share', async (t) => {
  await alice.share('mine', { 'a.txt': 'a' })
  ok(await alice.create('unfinished'))
  for (const [method, call] of [
    ['GET', 'from-owner'],
    ['POST', 'complete'],
    ['POST', 'files'],
  ] as const) {
    const payload = call === 'files' ? { name: 'x', size: 1 } : undefined
    t.same(refusal(await bob.call(method, `/mine/${call}`, payload)), [403, 'forbidden'], call)
    t.same(refusal(await visitor.call(method, `/mine/${call}`, payload)), [401, 'unauthorized'], call)
    t.same(refusal(await bob.call(method, `/unfinished/${call}`, payload)), [404, 'share_not_found'], call)
    t.same(refusal(await bob.call(method, `/nothing/${call}`, payload)), [404, 'share_not_found'], call)
    t.same(refusal(await bob.call(method, `/%00/${call}`, payload)), [404, 'share_not_found'], call)
    for (const link of ['unfinished', 'nothing', '%00'])
      t.same(refusal(await visitor.call(method, `/${link}/${call}`, payload)), [401, 'unauthorized'], `${link}: looks the same`)
  }
  t.same(refusal(await bob.call('DELETE', '/mine')), [403, 'forbidden'])
  t.same(refusal(await visitor.call('DELETE', '/mine')), [401, 'unauthorized'])
  t.equal((await root.call('GET', '/mine/from-owner')).statusCode, 200)
})

t.test('closes a deleted unfinished share, removes its bytes and frees its link', async (t) => {
  ok(await alice.create('doomed'))
  const fileId = await alice.file('doomed', 'a.txt', 'a')
  const { uid } = await row('doomed')
  queue.jobs.length = 0
  const answer = await alice.call('DELETE', '/doomed')
  t.equal(answer.statusCode, 200)
  t.equal(answer.body, '')
  t.match(queue.jobs, [{ name: 'clean-up' }])
  t.ok(await ctx.db.selectFrom('deletedObject').select('key').where('key', '=', `shares/${uid}/${fileId}`).executeTakeFirst())
  t.same(refusal(await alice.call('DELETE', '/doomed')), [404, 'share_not_found'])
  t.same(refusal(await visitor.call('GET', '/doomed')), [404, 'share_not_found'])
  t.equal((await bob.create('doomed')).statusCode, 201)
})

t.test('lists my completed shares, newest first, in pages and by search', async (t) => {
  const carol = sharing(app, await signUp(app, 'carol'))
  t.same(refusal(await visitor.call('GET', '')), [401, 'unauthorized'])
  for (const n of [1, 2, 3]) {
    clock = new Date(clock.getTime() + 1000)
    await carol.share(
      `list-${n}`,
      { 'b.txt': 'bb', 'a.txt': 'a' },
      { name: `100%_${n}`, ...(n === 2 && { security: { password: 'secret', maxViews: 5 } }) },
    )
  }
  ok(await carol.create('list-open'))
  const all = ok(await carol.call('GET', ''))
  t.same(
    all.json().map(({ id }: { id: string }) => id),
    ['list-3', 'list-2', 'list-1'],
  )
  t.equal(all.headers['x-total-count'], '3')
  const [, second] = all.json()
  t.same(Object.keys(second).sort(), [
    'createdAt',
    'description',
    'editing',
    'encrypted',
    'expiration',
    'fileCount',
    'files',
    'id',
    'keptUntil',
    'kind',
    'link',
    'name',
    'received',
    'recipients',
    'security',
    'size',
    'totalViews',
    'views',
  ])
  t.match(second, { size: 3, fileCount: 2, views: 0, recipients: [], security: { passwordProtected: true, maxViews: 5 } })
  t.match(second.files, [
    { name: 'a.txt', size: '1' },
    { name: 'b.txt', size: '2' },
  ])
  const page = ok(await carol.call('GET', '?page=2&limit=2'))
  t.same(
    page.json().map(({ id }: { id: string }) => id),
    ['list-1'],
  )
  t.equal(page.headers['x-total-count'], '3')
  const search = async (text: string) => ok(await carol.call('GET', `?search=${encodeURIComponent(text)}`)).json().length
  t.equal(await search('LIST-2'), 1)
  t.equal(await search('%_'), 3, 'LIKE wildcards are literal')
  t.equal(await search('_%'), 0)
  t.equal(await search('\0'), 3)
  const names = async (query: string) =>
    ok(await carol.call('GET', query))
      .json()
      .map((share: { fileCount: number; files: { name: string }[] }) => [share.fileCount, ...share.files.map(({ name }) => name)])
  t.same(await names('?limit=1&files=0'), [[2]], 'only the requested number of files')
  t.same(await names('?limit=1&files=1'), [[2, 'a.txt']])
  for (const query of ['page=0', 'limit=0', 'limit=201', 'page=x', 'limit=1.5', 'files=-1', 'files=1001']) {
    t.same(refusal(await carol.call('GET', `?${query}`)), [400, 'validation_failed'], query)
  }
})

t.test('lists every share with its creator for administrators', async (t) => {
  t.same(refusal(await alice.call('GET', '/all')), [403, 'forbidden'])
  t.same(refusal(await visitor.call('GET', '/all')), [401, 'unauthorized'])
  const answer = ok(await root.call('GET', '/all?limit=100'))
  const shares: { id: string; creator: unknown; completed: boolean }[] = answer.json()
  t.equal(answer.headers['x-total-count'], String(shares.length))
  t.match(
    shares.find(({ id }) => id === 'mine'),
    { creator: { username: 'alice' }, completed: true },
  )
  t.match(
    shares.find(({ id }) => id === 'unfinished'),
    { completed: false },
  )
  t.notMatch(answer.body, 'argon2id')
})

t.test('rejects a body that is not JSON or too large', async (t) => {
  const headers = { ...(await signUp(app, 'larry')), 'content-type': 'application/json' }
  t.same(refusal(await app.inject({ method: 'POST', url: '/api/shares', headers, payload: '{' })), [400, 'validation_failed'])
  const large = JSON.stringify({ name: 'x'.repeat(131_072) })
  t.same(refusal(await app.inject({ method: 'POST', url: '/api/shares', headers, payload: large })), [413, 'payload_too_large'])
})

function row(id: string) {
  return ctx.db.selectFrom('share').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}
