import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import t from 'tap'
import { ObjectMissing } from '../../src/storage/object-store.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { answerTo, begin, fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { type Answer, cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const log = keptLog()
let clock = new Date('2026-03-01T10:00:00.000Z')
const { app, ctx } = await testApp(t, { log, now: () => clock })
const port = await listen(app)
const alice = sharing(app, await signUp(app, 'alice'))
const bob = sharing(app, await signUp(app, 'bob'))
const visitor = sharing(app)
const viewsOf = async (id: string) =>
  (await ctx.db.selectFrom('share').select('views').where('id', '=', id).executeTakeFirstOrThrow()).views

t.test('opens a share by its token, and returns only what a visitor may see', async (t) => {
  const [b, a] = await alice.share('plain', { 'b.txt': 'bb', 'a/a.txt': 'a' }, { name: 'Plain', description: 'words', expiration: 'never' })
  t.same(refusal(await visitor.call('GET', '/plain')), [403, 'share_token_required'])
  const opened = ok(await visitor.call('POST', '/plain/token', {}))
  t.same(Object.keys(opened.json()), ['token'])
  t.match(opened.cookies, [{ name: 'share_plain_token', value: opened.json().token, httpOnly: true, sameSite: 'Lax', path: '/' }])
  t.notOk('maxAge' in opened.cookies[0]!)
  const answer = ok(await visitor.call('GET', '/plain', undefined, cookiesOf(opened)))
  t.same(answer.json(), {
    id: 'plain',
    kind: 'files',
    encrypted: false,
    name: 'Plain',
    expiration: '1970-01-01T00:00:00.000Z',
    files: [
      { id: a, name: 'a/a.txt', size: '1' },
      { id: b, name: 'b.txt', size: '2' },
    ],
    creator: { username: 'alice' },
    description: 'words',
    hasPassword: false,
    size: 3,
  })
  t.equal(await viewsOf('plain'), 1)
})

t.test('accepts a token for its own share only, until it expires and unless modified', async (t) => {
  await alice.share('one', { 'a.txt': 'a' }, { expiration: '90-days' })
  await alice.share('two', { 'a.txt': 'a' })
  const token = ok(await visitor.call('POST', '/one/token', {})).json().token
  const see = (id: string, value: string) => visitor.call('GET', `/${id}`, undefined, { cookie: `share_${id}_token=${value}` })
  t.equal((await see('one', token)).statusCode, 200)
  t.same(refusal(await see('two', token)), [403, 'share_token_required'])
  for (const value of [
    '',
    'x',
    '...',
    `${token}x`,
    token.replace('.', ',.'),
    token.slice(0, -1),
    token.split('.').with(3, 'zzzzzzzzz').join('.'),
  ]) {
    t.same(refusal(await see('one', value)), [403, 'share_token_required'], value)
  }
  await ctx.db.updateTable('share').set({ passwordVersion: 1 }).where('id', '=', 'one').execute()
  t.same(refusal(await see('one', token)), [403, 'share_token_required'], 'after the password has changed')
  await ctx.db.updateTable('share').set({ passwordVersion: 0 }).where('id', '=', 'one').execute()
  const now = clock
  clock = new Date(now.getTime() + 30 * 86_400_000)
  t.same(refusal(await see('one', token)), [403, 'share_token_required'], 'after 30 days')
  clock = now
})

t.test('keeps the newest ten unlock cookies', async (t) => {
  const jar = new Map<string, string>()
  for (let n = 0; n < 12; n++) {
    clock = new Date(clock.getTime() + 1000)
    await alice.share(`jar-${n}`, { 'a.txt': 'a' })
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = ok(await visitor.call('POST', `/jar-${n}/token`, {}, { cookie }))
    for (const { name, value, maxAge } of answer.cookies) maxAge === 0 ? jar.delete(name) : jar.set(name, value)
  }
  t.same(
    [...jar.keys()],
    Array.from({ length: 10 }, (_, n) => `share_jar-${n + 2}_token`),
  )
})

t.test('keeps the response short, no matter how many cookies are sent', async (t) => {
  await alice.share('stuffed', { 'a.txt': 'a' })
  const cookie = Array.from({ length: 300 }, (_, n) => `share_s${n}_token=x`).join('; ')
  t.equal(ok(await visitor.call('POST', '/stuffed/token', {}, { cookie })).cookies.length, 11)
})

t.test('requires and verifies a password, and counts attempts by address and share', async (t) => {
  const [fileId] = await alice.share(
    'locked',
    { 'secret-name.txt': 'x' },
    { name: 'Hidden', description: 'hidden too', security: { password: 'open sesame', maxViews: 2 } },
  )
  const everything = [
    '/locked',
    '/locked/metaData',
    `/locked/files/${fileId}`,
    '/locked/files/00000000-0000-4000-8000-000000000000',
    '/locked/files/x',
    '/locked/files/zip',
  ]
  const bodies = new Set<string>()
  for (const url of everything) {
    const answer = await visitor.call('GET', url)
    t.same(refusal(answer), [403, 'share_password_required'], url)
    bodies.add(answer.body)
    const head = await visitor.call('HEAD', url)
    t.equal(head.statusCode, 403, `HEAD ${url}`)
    t.equal(head.body, '')
    for (const { headers } of [answer, head]) {
      t.notMatch(JSON.stringify(headers), /hidden|secret|etag|disposition|last-modified/i)
      t.equal(headers['cache-control'], 'no-store')
    }
  }
  t.equal(bodies.size, 1, 'the response reveals only that a password is needed')
  t.notMatch([...bodies][0], /hidden|secret|locked/i)
  for (const payload of [{}, { password: '' }])
    t.same(refusal(await visitor.call('POST', '/locked/token', payload)), [403, 'share_password_required'])
  t.same(refusal(await visitor.call('POST', '/locked/token')), [403, 'share_password_required'], 'without a body')
  const wrong = await visitor.call('POST', '/locked/token', { password: 'guess' })
  t.same(refusal(wrong), [403, 'wrong_password'])
  t.same(wrong.cookies, [])
  t.equal(await viewsOf('locked'), 0)
  const cookies = await visitor.unlock('locked', 'open sesame')
  for (const url of ['/locked', '/locked/metaData', `/locked/files/${fileId}`, '/locked/files/zip']) {
    t.equal((await visitor.call('GET', url, undefined, cookies)).statusCode, 200, url)
  }
  await visitor.unlock('locked', 'open sesame')
  t.same(refusal(await visitor.call('POST', '/locked/token', { password: 'guess' })), [403, 'wrong_password'], 'also when no view is left')
  t.same(refusal(await visitor.call('POST', '/locked/token', { password: 'open sesame' })), [403, 'share_max_views_exceeded'])
  t.equal((await visitor.call('GET', '/locked', undefined, cookies)).statusCode, 200, 'visitors with a token keep access')
  t.equal(await viewsOf('locked'), 2)

  await alice.share('guessed', { 'a.txt': 'a' }, { security: { password: 'abc' } })
  const guess = (id: string, remoteAddress: string) =>
    app.inject({ method: 'POST', url: `/api/shares/${id}/token`, payload: { password: 'guess' }, remoteAddress })
  const statuses = []
  for (let n = 0; n < 21; n++) statuses.push((await guess('guessed', '192.0.2.1')).statusCode)
  t.same(statuses, [...Array.from({ length: 20 }, () => 403), 429])
  const refused = await guess('guessed', '192.0.2.1')
  t.equal(refused.json().error, 'too_many_requests')
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal((await guess('guessed', '192.0.2.2')).statusCode, 403, 'another address')
  t.equal((await guess('locked', '192.0.2.1')).statusCode, 403, 'another share')
})

t.test('shows every visitor why a share was removed', async (t) => {
  await alice.share('removed', { 'a.txt': 'a' }, { security: { password: 'secret' } })
  const cookies = await visitor.unlock('removed', 'secret')
  await ctx.db.updateTable('share').set({ removedReason: 'Not this here.' }).where('id', '=', 'removed').execute()
  for (const answer of [
    await visitor.call('GET', '/removed'),
    await visitor.call('GET', '/removed', undefined, cookies),
    await visitor.call('POST', '/removed/token', { password: 'wrong' }),
    await visitor.call('GET', '/removed/files/zip', undefined, cookies),
  ]) {
    t.same(refusal(answer), [404, 'share_removed'])
    t.equal(answer.json().message, 'Not this here.')
  }
})

t.test('shows the share to its owner without a password or a view, but not to others', async (t) => {
  const [fileId] = await alice.share('own', { 'a.txt': 'abc' }, { security: { password: 'secret', maxViews: 1 } })
  for (const url of ['/own', '/own/metaData', `/own/files/${fileId}`, '/own/files/zip', '/own/from-owner']) {
    t.equal((await alice.call('GET', url)).statusCode, 200, url)
  }
  t.same(refusal(await bob.call('GET', '/own')), [403, 'share_password_required'])
  t.equal(await viewsOf('own'), 0)
  await alice.unlock('own', 'secret')
  t.equal(await viewsOf('own'), 0, 'nor does the page of its owner use up a visit')
  await visitor.unlock('own', 'secret')
  t.equal(await viewsOf('own'), 1)
})

t.test('serves a file of a public share without a token, as one view per client', async (t) => {
  const [fileId] = await alice.share('direct', { 'a.txt': 'abc' }, { security: { maxViews: 2 } })
  const url = `/direct/files/${fileId}`
  const head = await visitor.call('HEAD', url)
  t.equal(head.statusCode, 200)
  t.same(head.cookies, [])
  t.same(refusal(await visitor.call('GET', '/direct/files/00000000-0000-4000-8000-000000000000')), [404, 'file_not_found'])
  t.equal(await viewsOf('direct'), 0, 'HEAD requests and missing files are not counted')
  const first = ok(await visitor.call('GET', url))
  t.equal(first.body, 'abc')
  t.equal(first.headers['cache-control'], 'private, no-cache, no-transform')
  const cookies = cookiesOf(first)
  t.equal((await visitor.call('GET', url, undefined, { ...cookies, range: 'bytes=1-' })).body, 'bc')
  t.equal((await visitor.call('GET', '/direct', undefined, cookies)).statusCode, 200)
  t.equal(await viewsOf('direct'), 1)
  const zip = ok(await visitor.call('GET', '/direct/files/zip'))
  t.match(zip.cookies, [{ name: 'share_direct_token' }])
  t.equal(await viewsOf('direct'), 2, 'the archive counts too')
  t.same(refusal(await visitor.call('GET', url)), [403, 'share_max_views_exceeded'])
  t.equal((await visitor.call('HEAD', url)).statusCode, 403)
  t.same(refusal(await visitor.call('GET', '/direct/files/zip')), [403, 'share_max_views_exceeded'])
  t.equal((await visitor.call('GET', url, undefined, cookies)).statusCode, 200)
})

t.test('counts no view without a download, and resumes an interrupted download without cookies', async (t) => {
  const [fileId] = await alice.share('one-view', { 'a.txt': 'abc' }, { security: { maxViews: 1 } })
  const slack = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'
  for (const url of [`/one-view/files/${fileId}`, '/one-view/files/zip']) {
    for (const [status, headers] of [
      [206, { range: 'bytes=0-0' }],
      [416, { range: 'bytes=99999-' }],
      [304, { 'if-none-match': '*' }],
      [412, { 'if-match': '"x"' }],
      [403, { 'sec-purpose': 'prefetch' }],
      [403, { purpose: 'prefetch' }],
      [403, { 'user-agent': slack }],
    ] as const) {
      const answer = await visitor.call('GET', url, undefined, headers)
      t.equal(answer.statusCode, status, `${url} ${JSON.stringify(headers)}`)
      t.same(answer.cookies, [])
    }
    t.equal(await viewsOf('one-view'), 0)
  }
  const url = `/one-view/files/${fileId}`
  t.equal(ok(await visitor.call('GET', url)).body, 'abc')
  t.equal(await viewsOf('one-view'), 1)
  const rest = await visitor.call('GET', url, undefined, { range: 'bytes=1-' })
  t.equal(rest.statusCode, 206)
  t.equal(rest.body, 'bc', 'as curl -C - does')
  t.equal((await visitor.call('GET', url, undefined, { range: 'bytes=0-' })).statusCode, 403, 'from the beginning it would be another view')
  t.equal((await visitor.call('GET', url)).statusCode, 403)
  t.equal(await viewsOf('one-view'), 1)
})

t.test('resumes an interrupted archive without cookies on a share with one view', async (t) => {
  await alice.share('one-zip', { 'a.txt': 'abc', 'b.txt': 'def' }, { security: { maxViews: 1 } })
  const url = '/one-zip/files/zip'
  const whole = ok(await visitor.call('GET', url)).rawPayload
  const rest = await visitor.call('GET', url, undefined, { range: 'bytes=50-' })
  t.equal(rest.statusCode, 206)
  t.same(rest.rawPayload, whole.subarray(50))
  t.equal((await visitor.call('GET', url)).statusCode, 403)
  t.equal(await viewsOf('one-zip'), 1)
})

t.test('counts a download from the middle as a view when none was started before', async (t) => {
  const [fileId] = await alice.share('middle', { 'a.txt': 'abc' }, { security: { maxViews: 1 } })
  ok(await visitor.call('GET', `/middle/files/${fileId}`, undefined, { range: 'bytes=1-' }))
  t.equal(await viewsOf('middle'), 1)
  t.equal((await visitor.call('GET', `/middle/files/${fileId}`, undefined, { range: 'bytes=1-' })).statusCode, 403)
})

t.test('serves robots and prefetching without counting them if views are unlimited', async (t) => {
  const [fileId] = await alice.share('preview', { 'a.txt': 'abc' })
  const automatic: Record<string, string>[] = [{ 'sec-purpose': 'prefetch;prerender' }, { 'user-agent': 'TelegramBot (like TwitterBot)' }]
  for (const headers of automatic) {
    t.equal(ok(await visitor.call('GET', `/preview/files/${fileId}`, undefined, headers)).body, 'abc')
  }
  t.equal(await viewsOf('preview'), 0)
})

t.test('limits an address to ten views in ten minutes of a share with limited views', async (t) => {
  const [fileId] = await alice.share('few', { 'a.txt': 'abc' }, { security: { maxViews: 100 } })
  for (let n = 0; n < 9; n++) ok(await visitor.call('POST', '/few/token', {}))
  ok(await visitor.call('GET', `/few/files/${fileId}`))
  const refused = await visitor.call('POST', '/few/token', {})
  t.same(refusal(refused), [429, 'too_many_requests'])
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal((await visitor.call('GET', `/few/files/${fileId}`)).statusCode, 429)
  t.equal(await viewsOf('few'), 10)
})

t.test('stops counting views at the largest number that can be stored', async (t) => {
  const [fileId] = await alice.share('famous', { 'a.txt': 'abc' })
  await ctx.db.updateTable('share').set({ views: 2_147_483_647 }).where('id', '=', 'famous').execute()
  ok(await visitor.call('POST', '/famous/token', {}))
  ok(await visitor.call('GET', `/famous/files/${fileId}`))
  t.equal(await viewsOf('famous'), 2_147_483_647)
})

t.test('does not find files of other shares and unpublished files', async (t) => {
  const [other] = await alice.share('foreign', { 'a.txt': 'a' })
  await alice.share('home', { 'a.txt': 'a' })
  const cookies = await visitor.unlock('home')
  for (const id of [other!, 'x', '%00', 'zip%00', '..%2Fx', other!.toUpperCase()]) {
    t.same(refusal(await visitor.call('GET', `/home/files/${id}`, undefined, cookies)), [404, 'file_not_found'], id)
  }
  for (const id of ['nothing', '%00', 'a%20b', 'x'.repeat(200)]) {
    t.same(refusal(await visitor.call('GET', `/${id}`)), [404, 'share_not_found'], id)
    t.same(refusal(await visitor.call('POST', `/${id}/token`, {})), [404, 'share_not_found'], id)
    t.same(refusal(await visitor.call('GET', `/${id}/files/zip`)), [404, 'share_not_found'], id)
  }
  t.same(refusal(await visitor.call('GET', `/home/files/${other}?download=maybe`, undefined, cookies)), [400, 'validation_failed'])
})

t.test('supports ranges, conditional requests and HEAD', async (t) => {
  const bytes = randomBytes(1000)
  const [fileId, emptyId] = await alice.share('ranges', { 'a.bin': bytes, empty: '' }, { security: { password: 'secret' } })
  const cookies = await visitor.unlock('ranges', 'secret')
  const get = (more: Record<string, string>, method: 'GET' | 'HEAD' = 'GET', id = fileId) =>
    visitor.call(method, `/ranges/files/${id}`, undefined, { ...cookies, ...more })
  const whole = await get({})
  t.equal(whole.statusCode, 200)
  t.ok(whole.rawPayload.equals(bytes))
  const { etag = '', 'last-modified': modified = '' } = whole.headers as Record<string, string>
  t.match(etag, /^"[^"]+"$/)
  t.match(whole.headers, {
    'accept-ranges': 'bytes',
    'content-length': '1000',
    'cache-control': 'private, no-store, no-transform',
    'x-content-type-options': 'nosniff',
  })

  const ranges: [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199', 100, 199],
    ['bytes=-100', 900, 999],
    ['bytes=-5000', 0, 999],
    ['bytes=0-', 0, 999],
    ['bytes=990-99999', 990, 999],
    ['Bytes= 5 - 6 ', 5, 6],
  ]
  const partial = []
  for (const [range, start, end] of ranges) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, rawPayload } = await get({ range }, method)
      const complete = rawPayload.equals(method === 'GET' ? bytes.subarray(start, end + 1) : Buffer.alloc(0))
      partial.push([method, range, statusCode, headers['content-range'], headers['content-length'], complete])
    }
  }
  t.same(
    partial,
    ranges.flatMap(([range, start, end]) =>
      ['GET', 'HEAD'].map((method) => [method, range, 206, `bytes ${start}-${end}/1000`, String(end - start + 1), true]),
    ),
  )
  for (const range of ['bytes=1000-', 'bytes=999999-', 'bytes=-0', 'bytes=99999999999999999999-']) {
    const answer = await get({ range })
    t.same(refusal(answer), [416, 'range_not_satisfiable'], range)
    t.equal(answer.headers['content-range'], 'bytes */1000')
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'lines=0-5', 'bytes 0-5', '']) {
    const answer = await get({ range })
    t.equal(answer.statusCode, 200, range)
    t.equal(answer.rawPayload.length, 1000)
  }
  const earlier = new Date(Date.parse(modified) - 1000).toUTCString()
  const conditions: [Record<string, string>, number][] = [
    [{ range: 'bytes=5-', 'if-range': etag }, 206],
    [{ range: 'bytes=5-', 'if-range': modified }, 206],
    [{ range: 'bytes=5-', 'if-range': '"old"' }, 200],
    [{ range: 'bytes=5-', 'if-range': `W/${etag}` }, 200],
    [{ range: 'bytes=5-', 'if-range': earlier }, 200],
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': etag, range: 'bytes=5-' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-none-match': '"x"', 'if-modified-since': modified }, 200],
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': earlier }, 200],
    [{ 'if-modified-since': 'nonsense' }, 200],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-unmodified-since': modified }, 200],
    [{ 'if-unmodified-since': earlier }, 412],
  ]
  const statuses: typeof conditions = []
  for (const method of ['GET', 'HEAD'] as const) {
    for (const [headers] of conditions) statuses.push([headers, (await get(headers, method)).statusCode])
  }
  t.same(statuses, [...conditions, ...conditions])
  const unchanged = await get({ 'if-none-match': etag })
  t.equal(unchanged.rawPayload.length, 0)
  t.equal(unchanged.headers.etag, etag)
  t.notOk('content-length' in unchanged.headers)

  const head = await get({}, 'HEAD')
  t.equal(head.rawPayload.length, 0)
  t.same(withoutDate(head), withoutDate(whole))
  t.notOk('content-encoding' in (await get({ 'accept-encoding': 'gzip, br' })).headers)

  const empty = await get({ range: 'bytes=0-' }, 'GET', emptyId)
  t.equal(empty.statusCode, 200)
  t.equal(empty.headers['content-length'], '0')
})

t.test('keeps names intact, and shows only types that cannot run a script inline', async (t) => {
  const names: [string, string, string, string][] = [
    ['plain.txt', 'text/plain; charset=utf-8', 'inline', 'filename="plain.txt"'],
    ['a;b,c"d(e).txt', 'text/plain; charset=utf-8', 'inline', `filename="a;b,c\\"d(e).txt"; filename*=UTF-8''a%3Bb%2Cc%22d%28e%29.txt`],
    [
      '100% [final] {v2}.pdf',
      'application/pdf',
      'inline',
      `filename="100% [final] {v2}.pdf"; filename*=UTF-8''100%25%20%5Bfinal%5D%20%7Bv2%7D.pdf`,
    ],
    ['fotos/größe 😀.JPG', 'image/jpeg', 'inline', `filename="gr__e _.JPG"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%F0%9F%98%80.JPG`],
    ["it's*.mp4", 'video/mp4', 'inline', `filename="it's*.mp4"`],
    ['a.html', 'application/octet-stream', 'attachment', 'filename="a.html"'],
    ['a.svg', 'image/svg+xml', 'attachment', 'filename="a.svg"'],
    ['a.xml', 'application/octet-stream', 'attachment', 'filename="a.xml"'],
    ['a.xhtml', 'application/octet-stream', 'attachment', 'filename="a.xhtml"'],
    ['a.js', 'application/octet-stream', 'attachment', 'filename="a.js"'],
    ['a.zip', 'application/zip', 'attachment', 'filename="a.zip"'],
    ['constructor', 'application/octet-stream', 'attachment', 'filename="constructor"'],
    ['a.constructor', 'application/octet-stream', 'attachment', 'filename="a.constructor"'],
    ['.png', 'image/png', 'inline', 'filename=".png"'],
  ]
  const ids = await alice.share('names', Object.fromEntries(names.map(([name]) => [name, '<script>alert(1)</script>'])))
  const cookies = await visitor.unlock('names')
  const [served, expected]: unknown[][] = [[], []]
  for (const [index, [name, type, shown, filename]] of names.entries()) {
    for (const [query, disposition] of [
      ['', 'attachment'],
      ['?download=true', 'attachment'],
      ['?download=false', shown],
    ]) {
      const { headers } = ok(await visitor.call('GET', `/names/files/${ids[index]}${query}`, undefined, cookies))
      const policy = String(headers['content-security-policy'])
      const viewer = disposition === 'inline' && /^(video|application)\//.test(type)
      served!.push({
        url: `${name} ${query}`,
        type: headers['content-type'],
        disposition: headers['content-disposition'],
        sniffing: headers['x-content-type-options'],
        loadsNothing: policy.includes("default-src 'none'"),
        sandboxed: policy.startsWith('sandbox; '),
      })
      expected!.push({
        url: `${name} ${query}`,
        type,
        disposition: `${disposition}; ${filename}`,
        sniffing: 'nosniff',
        loadsNothing: true,
        sandboxed: !viewer,
      })
    }
  }
  t.same(served, expected)
})

t.test('finishes a running download when its share expires and is swept', async (t) => {
  const bytes = randomBytes(24 * MiB)
  const [fileId] = await alice.share('ending', { 'a.bin': bytes }, { expiration: '1-minute' })
  const cookies = await visitor.unlock('ending')
  const sent = begin(port, `/api/shares/ending/files/${fileId}`, { headers: cookies })
  sent.end()
  const answer = await answerTo(sent)
  answer.pause()
  const now = clock
  clock = new Date(now.getTime() + 60_000)
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', fileId!).executeTakeFirstOrThrow()
  await ctx.db.deleteFrom('share').where('id', '=', 'ending').execute()
  await ctx.storage.remove([objectKey])
  t.same(refusal(await visitor.call('GET', `/ending/files/${fileId}`, undefined, cookies)), [404, 'share_not_found'])
  const received = Buffer.concat(await answer.toArray())
  t.ok(received.equals(bytes))
  clock = now
})

t.test('logs no error when a visitor leaves in the middle', async (t) => {
  const [fileId] = await alice.share('left', { 'a.bin': randomBytes(24 * MiB) })
  log.lines.length = 0
  for (const path of [`/api/shares/left/files/${fileId}`, '/api/shares/left/files/zip']) {
    const over = Promise.withResolvers<void>()
    const { send } = ctx.storage
    ctx.storage.send = (...bytes) => send(...bytes).finally(over.resolve)
    const sent = begin(port, path)
    sent.on('error', () => {})
    sent.end()
    const answer = await answerTo(sent)
    await once(answer, 'readable')
    sent.destroy()
    await over.promise
    ctx.storage.send = send
  }
  t.equal((await fetchWhole(port, '/api/shares/isShareIdAvailable/left')).status, 200)
  t.same(
    log.lines.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  )
})

t.test('reports missing bytes before the first byte, and cuts the connection after it', async (t) => {
  const [fileId] = await alice.share('broken', { 'a.bin': randomBytes(MiB) })
  const path = `/api/shares/broken/files/${fileId}`
  const { send } = ctx.storage
  ctx.storage.send = () => Promise.reject(new ObjectMissing('gone'))
  const early = await fetchWhole(port, path)
  t.equal(early.status, 404)
  t.match(JSON.parse(String(early.body)), { error: 'file_not_found' })
  t.match(early.headers, { 'content-type': /json/, 'content-length': String(early.body.length) })
  t.notOk('etag' in early.headers)
  log.lines.length = 0
  ctx.storage.send = async (_key, _range, to, onOpen) => {
    await onOpen?.(null)
    await new Promise((resolve) => to.write(Buffer.alloc(1000), resolve))
    throw new ObjectMissing('gone')
  }
  await t.rejects(fetchWhole(port, path), 'never a short response that looks complete')
  ctx.storage.send = send
  t.match(log.lines.filter(({ level }) => level === 'error').length, 1)
  t.equal((await fetchWhole(port, path)).body.length, MiB)
})

t.test('sets secure cookies over HTTPS', async (t) => {
  const proxied = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
  await set(proxied.ctx, 'share.allowUnauthenticatedShares', true)
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'files.example' }
  const guest = sharing(proxied.app, headers)
  const made: Answer = ok(await guest.create('tls'))
  t.equal(made.json().link, 'https://files.example/share/tls')
  t.match(made.cookies, [{ secure: true }])
  const maker = sharing(proxied.app, { ...headers, ...cookiesOf(made) })
  await maker.file('tls', 'a.txt', 'a')
  ok(await maker.call('POST', '/tls/complete'))
  t.match(ok(await guest.call('POST', '/tls/token', {})).cookies, [{ name: 'share_tls_token', secure: true }])
})

function withoutDate({ headers: { date, ...headers } }: Answer) {
  return headers
}
