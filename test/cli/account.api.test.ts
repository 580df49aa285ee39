import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { callsOf } from '../support/calls.ts'
import { installation, Machine } from '../support/command.ts'
import { password } from '../support/people/people.ts'
import { codeAt, switchTotpOn } from '../support/people/totp.ts'
import { sharing } from '../support/sharing.ts'

const { app, url, alice, token } = await installation(t)
const calls = callsOf(app, alice)
const tokens = async () => (await calls('GET auth/tokens')).json().map(({ name }: { name: string }) => name)
const login = (own: Machine, ...lines: string[]) => own.start(['login', url], lines.map((line) => `${line}\n`).join('')).ended

t.test('verifies a token and stores it readable by its owner only; logout deletes it', async (t) => {
  const own = new Machine(t)
  t.match(await own.run('ls'), { code: 3, err: /Run: razorbill login/ })
  t.match(await own.start(['login'], `${url}/\n${token}\n`).ended, { code: 0, err: new RegExp(`Signed in to ${url}`) })
  const file = join(own.folder, '.config/razorbill/account.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.same(JSON.parse(readFileSync(file, 'utf8')), { url, token })
  t.match(await own.run('ls'), { code: 0, out: '', err: /no shares/ })
  t.match(await own.run('logout'), { code: 0, err: /Signed out/ })
  t.notOk(existsSync(file))
  t.match(await own.run('ls'), { code: 3 })
  t.match(await own.run('logout', '--json'), { code: 0, out: '{"signedOut":false}\n' })
})

t.test('creates a token from username and password, and ends the session used for it', async (t) => {
  const own = new Machine(t)
  const sessions = async () => (await calls('GET auth/sessions')).json().length
  const before = await sessions()
  t.match(await login(own, '', 'alice', password), { code: 0, out: '' })
  t.equal(await sessions(), before)
  t.match(await tokens(), [/^razorbill on /, 'cli'])
  t.match(await own.run('ls'), { code: 0 })
  t.match(await login(own, '', 'alice@example.com', 'wrong password'), { code: 3, err: /Wrong username/ })
  t.match(await own.run('ls'), { code: 0 }, 'the earlier sign-in still works')
  t.match(await login(own, 'rzb_nonsense'), { code: 3, err: /does not know this API token/ })
  t.match(await login(own), { code: 2, err: /The answer is missing/ })
})

t.test('signs in with a second factor', async (t) => {
  const own = new Machine(t)
  const now = new Date()
  const { secret } = await switchTotpOn(calls, now)
  t.match(await login(own, '', 'alice', password, '000000'), { code: 1, err: /code is wrong/ })
  t.match(await login(own, '', 'alice', password, codeAt(secret, now, 1)), { code: 0, err: /authenticator/ })
  t.match(await own.run('ls'), { code: 0 })
})

t.test('does not sign in to a server that is not Razorbill', async (t) => {
  const own = new Machine(t)
  t.match(await own.start(['login', 'ftp://example.org']).ended, { code: 2 })
  t.match(await own.start(['login', 'http://127.0.0.1:9']).ended, { code: 7 })
  t.match(await own.start(['login', `${url}/api`]).ended, { code: 7, err: /not as Razorbill does/ })
})

t.test('lists and deletes shares', async (t) => {
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: `${url}/`, RAZORBILL_TOKEN: token }
  const owner = sharing(app, alice)
  await owner.share('one', { a: 'a' }, { name: 'First \u202e', expiration: 'never' })
  await owner.share('two', { a: 'a', b: 'b'.repeat(2000) }, { security: { maxViews: 7 } })
  const { code, out } = await own.run('ls')
  t.equal(code, 0)
  const [head, ...rows] = out.trimEnd().split('\n')
  t.match(head, /^ID +NAME +FILES +SIZE +VIEWS +EXPIRES$/)
  t.match(rows, [/^two +2 +2\.0 kB +0\/7 +20\d\d-\d\d-\d\d \d\d:\d\d$/, /^one +First .* 1 +1 B +0 +never$/])
  t.match(JSON.parse((await own.run('ls', '--json')).out), [{ id: 'two', fileCount: 2 }, { id: 'one' }])
  t.match(await own.run('rm', 'one'), { code: 2, err: /--yes/ })
  t.match(await own.run('rm', 'http://elsewhere.example/share/one', '--yes'), { code: 2, err: /is not on/ })
  const removed = await own.run('rm', 'missing', `${url}/share/one`, '--yes', '--json')
  t.match([removed.code, JSON.parse(removed.err)], [4, { error: 'share_not_found', id: 'missing' }])
  t.match(await own.run('rm', 'two', '-y', '--json'), { code: 0, out: '{"deleted":["two"]}\n' })
  t.same(JSON.parse((await own.run('ls', '--json')).out), [])
})

t.test('builds the command as one file that needs only Node, and serves it from every server', async (t) => {
  const own = new Machine(t)
  const alone = join(mkdtempSync(join(own.folder, 'alone-')), 'razorbill.mjs')
  copyFileSync('dist/web/razorbill.js', alone)
  t.equal(statSync('dist/web/razorbill.js').mode & 0o111, 0o111, 'npx can run it')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.equal(execFileSync(process.execPath, [alone, '--version'], { encoding: 'utf8' }), `${version}\n`)
  t.match(execFileSync(process.execPath, [alone, 'up', '--help'], { encoding: 'utf8' }), /^Usage: razorbill up FILE…/)
  const text = readFileSync(alone, 'utf8')
  const imported = [...text.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name!)
  t.ok(imported.length > 0 && imported.every((name) => name.startsWith('node:')), imported.join())
  t.notMatch(text, /fastify/, 'it reveals nothing about the server')
  const answer = await fetch(`${url}/razorbill.js`)
  t.match(answer.headers.get('content-type'), /^text\/javascript/)
  t.equal(await answer.text(), text)
})
