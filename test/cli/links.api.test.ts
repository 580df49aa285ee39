import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { installation, Machine } from '../support/command.ts'
import { letMailsWait } from '../support/mails.ts'
import { refusal, set, sharing } from '../support/sharing.ts'

const { app, ctx, url, alice, token } = await installation(t)
const own = new Machine(t)
own.env = { RAZORBILL_URL: url, RAZORBILL_TOKEN: token }
const owner = sharing(app, alice)
const visitor = sharing(app)

t.test('lists, adds, changes, replaces, turns off and removes links of a share', async (t) => {
  await owner.share('trip', { a: 'a' })
  const add = [
    'links',
    'add',
    `${url}/share/trip`,
    '--label',
    'Bob \u202e',
    '--id',
    'for-bob',
    '--password=a secret',
    '--max-downloads',
    '1',
  ]
  t.match(await own.run(...add), { code: 0, out: `${url}/share/for-bob\n`, err: /Bob \? is open/ })
  t.same(refusal(await visitor.call('GET', '/for-bob')), [403, 'share_password_required'])
  const { code, out } = await own.run('links', 'list', 'trip')
  t.equal(code, 0)
  const [head, ...rows] = out.trimEnd().split('\n')
  t.match(head, /^LINK +LABEL +STATE +VIEWS +DOWNLOADS +PASSWORD +EXPIRES$/)
  t.match(rows, [/^trip +open +0 +0 +20\d\d-/, /^for-bob +Bob \? +open +0 +0\/1 +yes +with the share$/])
  t.match(await own.run('links', 'change', 'trip', 'for-bob', '--max-downloads', 'none', '--expires', '1h'), { code: 0 })
  const listed = JSON.parse((await own.run('links', 'list', 'trip', '--json')).out)
  t.match(listed, [
    { id: 'trip', first: true },
    { id: 'for-bob', maxDownloads: null, expiration: /^20/ },
  ])
  t.match(await own.run('links', 'off', 'trip', 'trip'), { code: 0, err: /is off/ })
  t.same(refusal(await visitor.call('POST', '/trip/token', {})), [404, 'link_turned_off'])
  t.match(await own.run('links', 'on', 'trip', 'trip'), { code: 0, err: /is open/ })
  t.match(await own.run('links', 'replace', 'trip', 'for-bob', '--id', 'for-bob-2'), { code: 0, out: `${url}/share/for-bob-2\n` })
  t.match(await own.run('links', 'remove', 'trip', 'for-bob-2', '--json'), { code: 0, out: '{"removed":"for-bob-2"}\n' })
  t.match(await own.run('links', 'remove', 'trip', 'trip'), { code: 1, err: /Turn it off/ })
})

t.test('lists, adds, emails and removes the recipients of a share', async (t) => {
  await letMailsWait(ctx)
  await set(ctx, 'email.enableShareEmailRecipients', true)
  writeFileSync(join(own.files, 'letter.txt'), 'a')
  const up = await own.run('up', 'letter.txt', '--id', 'letter', '--to', 'ann@example.com', '--verify-email')
  t.equal(up.code, 0, up.err)
  t.match(await own.run('recipients', 'letter', '--add', 'bo@example.com', '--add', 'cy@example.com'), { code: 0 })
  const emailed = await own.run('recipients', 'letter', '--mail', 'BO@example.com', '--remove', 'cy@example.com', '--no-verify-email')
  const [head, ...rows] = emailed.out.trimEnd().split('\n')
  t.match(head, /^RECIPIENT +LINK +SENT +OPENED +DOWNLOADED +CODE$/)
  t.match(rows, [/^ann@example.com +\w{12} +queued +none$/, /^bo@example.com +\w{12} +queued +none$/])
  t.match(await own.run('links', 'add', 'letter', '--to', 'dee@example.com', '--verify-email', '--id', 'for-dee'), { code: 0 })
  t.match(JSON.parse((await own.run('recipients', 'letter', '--json')).out), [
    { verifyEmail: false },
    {},
    { link: 'for-dee', verifyEmail: true },
  ])
  t.match(await own.run('recipients', 'letter', '--mail', 'cy@example.com'), { code: 4, err: /not a recipient/ })
  for (const words of [[], ['letter', 'more'], ['letter', '--verify-email', '--no-verify-email']])
    t.match(await own.run('recipients', ...words), { code: 2 }, words.join(' '))
})

t.test('says how it is used', async (t) => {
  for (const words of [
    [],
    ['show'],
    ['list'],
    ['off', 'trip'],
    ['list', 'trip', 'trip'],
    ['change', 'trip', 'trip'],
    ['add', 'trip', '--max-views', '0'],
  ])
    t.match(await own.run('links', ...words), { code: 2 }, words.join(' '))
  t.match(await own.run('links', '--help'), { code: 0, out: /links add SHARE/ })
})

t.test('limits the downloads of a new share', async (t) => {
  t.match(await own.run('up', own.folder, '--max-downloads', 'x'), { code: 2, err: /whole number/ })
})
