import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { pages } from '../../web/routes.ts'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'

const { app, ctx } = await testApp(t)
const alice = await signUp(app, 'alice')
const open = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers: { accept: 'text/html', ...headers } })
const startOf = (html: string) => JSON.parse(/id="start">(.*?)<\/script>/s.exec(html)![1]!)

t.test('includes the current user, and only public settings', async (t) => {
  const visitor = startOf((await open('/')).body)
  t.match(visitor, {
    user: null,
    accessTokenExpiresAt: null,
    language: 'en-US',
    colorScheme: 'system',
    fileView: null,
    settings: { 'general.appName': 'Razorbill' },
  })
  t.notOk(Object.keys(visitor.settings).includes('general.sessionDuration'))
  const { body } = await open('/', alice)
  t.match(startOf(body), { user: { username: 'alice' } })
  t.ok(Date.parse(startOf(body).accessTokenExpiresAt) > Date.now())
  t.notMatch(body, /argon2|passwordHash|refresh/)
})

t.test('is in the language that the user has chosen on any device', async (t) => {
  const headers = await signUp(app, 'lena')
  const languageOf = async (more: Record<string, string>) => startOf((await open('/', more)).body).language
  const french = { ...headers, cookie: `${headers.cookie}; language=fr-FR` }
  t.equal(await languageOf(french), 'fr-FR')
  await app.inject({ method: 'PATCH', url: '/api/users/me', headers, payload: { language: 'de-DE' } })
  t.equal(await languageOf({ ...headers, 'accept-language': 'fr' }), 'de-DE')
  t.equal(await languageOf(french), 'de-DE')
  t.equal(await languageOf({ cookie: 'language=fr-FR' }), 'fr-FR', 'not after signing out')
  t.match((await open('/manifest.webmanifest', headers)).json(), { lang: 'de-DE' })
  await ctx.db.updateTable('user').set({ language: 'xx-XX' }).where('username', '=', 'lena').execute()
  t.equal(await languageOf(french), 'fr-FR', 'a language that is no longer available is ignored')
})

t.test('allows scripts only with the nonce of the response, and every script has it', async (t) => {
  const answer = await open('/auth/signIn')
  const policy = String(answer.headers['content-security-policy'])
  const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!
  const scripts = answer.body.match(/<script(?! type="application\/json")[^>]*>/g)!
  t.ok(scripts.length > 0)
  for (const script of scripts) t.ok(script.includes(`nonce="${nonce}"`), script)
  t.notMatch(policy, /unsafe|\*|https?:/)
  t.not(/script-src 'nonce-([^']+)'/.exec(String((await open('/auth/signIn')).headers['content-security-policy']))![1], nonce)
})

t.test('protects share links with no referrer, cache or index, and works over plain HTTP', async (t) => {
  const { headers } = await open('/share/abc')
  t.match(headers, {
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-robots-tag': /noindex/,
    'x-content-type-options': 'nosniff',
  })
  t.notOk(headers['strict-transport-security'])
  t.notMatch(headers['content-security-policy'], /upgrade-insecure/)
})

t.test('reveals nothing about a share, whether it exists or not', async (t) => {
  const [one, other] = await Promise.all([open('/share/abc'), open('/share/nothing-like-it')])
  const without = (html: string) => html.replaceAll(/nonce="[^"]+"/g, '')
  t.equal(without(one.body), without(other.body))
})

t.test('redirects the short link only to the share', async (t) => {
  t.match(await open('/s/abc_-1'), { statusCode: 302, headers: { location: '/share/abc_-1' } })
  t.match(await open('/s/%2F%2Fevil.example'), { statusCode: 302, headers: { location: '/share/%2F%2Fevil.example' } })
})

t.test('returns a 404 page to browsers, and JSON under /api and to other clients', async (t) => {
  const page = await open('/no/such/page')
  t.equal(page.statusCode, 404)
  t.match(page.headers['content-type'], /^text\/html/)
  for (const answer of [await open('/api/nothing'), await open('/api'), await open('/assets/x.js', { accept: '*/*' })]) {
    t.equal(answer.statusCode, 404)
    t.equal(answer.json().error, 'not_found')
  }
  t.equal((await app.inject({ method: 'POST', url: '/' })).statusCode, 405)
  for (const odd of ['%', '%ff', '%c0%af', 'a%zz?x=%']) {
    const [page, call] = [await open(`/no/${odd}`), await open(`/api/nothing/${odd}`)]
    t.match([page.statusCode, page.headers['content-type']], [404, /^text\/html/], odd)
    t.match([call.statusCode, call.json().error], [404, 'not_found'], odd)
    t.match([await open(`/share/${odd}`)], [{ statusCode: 200 }], 'the page reports a damaged link')
  }
})

t.test('takes language and color scheme from cookies, and ignores invalid ones', async (t) => {
  t.match((await open('/', { cookie: 'color_scheme=dark; language=en-US' })).body, '<html lang="en-US" dir="ltr" data-theme="dark">')
  t.match(
    (await open('/', { cookie: 'color_scheme="><script>; language=../../x' })).body,
    '<html lang="en-US" dir="ltr" data-theme="system">',
  )
})

t.test('blocks the first paint of the shell only on its own styles', async (t) => {
  const { body } = await open('/')
  t.notMatch(body, /<script type="module"|<script[^>]* src=/)
  t.match(body, /<script data-main="\/assets\/main-[^"]+\.js"/)
  t.match(body, /<link rel="preload" as="style" fetchpriority="low"[^>]* href="\/assets\/application-[^"]+\.css"/)
  const waitedFor = [...body.matchAll(/<link rel="stylesheet"[^>]* href="\/assets\/(\w+)-/g)].map(([, name]) => name)
  t.same(waitedFor, ['main', 'HomePage'])
})

t.test('preloads the styles of exactly the antd components that it shows', async (t) => {
  const announced = (body: string) => [...body.matchAll(/as="style"[^>]* href="\/assets\/([\w-]+)-[\w-]{8}\.css"/g)].map(([, name]) => name)
  t.same(announced((await open('/share/abc')).body).sort(), ['antd', 'application'])
  const signIn = announced((await open('/auth/signIn')).body)
  t.ok(signIn.includes('form') && signIn.includes('input'), signIn.join())
  t.notOk(signIn.includes('select'))
})

t.test('serves precompressed, cacheable files, and revalidates them', async (t) => {
  const path = /href="(\/assets\/application[^"]+\.js)"/.exec((await open('/')).body)![1]!
  const plain = await app.inject({ url: path, headers: { 'accept-encoding': 'identity' } })
  t.match(plain.headers, { 'cache-control': 'public, max-age=31536000, immutable', 'content-type': /javascript/ })
  t.notOk(plain.headers['content-encoding'])
  const brotli = await app.inject({ url: path, headers: { 'accept-encoding': 'gzip, deflate, br' } })
  t.equal(brotli.headers['content-encoding'], 'br')
  t.ok(brotli.rawPayload.length < plain.rawPayload.length / 2)
  t.equal((await app.inject({ url: path, headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'], 'gzip')
  t.equal((await app.inject({ url: path, headers: { 'if-none-match': String(plain.headers.etag) } })).statusCode, 304)
})

t.test("serves none of the build's internal files", async (t) => {
  const paths = ['/site.json', '/index.html', '/sources.sha256', '/server/share-page.mjs', '/favicon.svg.br']
  const statuses = await Promise.all(paths.map(async (url) => (await app.inject({ url, headers: { accept: '*/*' } })).statusCode))
  t.same(
    statuses,
    paths.map(() => 404),
  )
})

t.test('gives every script and style of every page the hash of what is served, compressed or not', async (t) => {
  const hashes = new Map<string, string>()
  const linked = /<link rel="(?:modulepreload|preload" as="style|stylesheet)"[^>]* href="([^"]+)"([^>]*)>/g
  for (const path of [...Object.keys(pages), '/no/such/page']) {
    const { body } = await open(path.replaceAll(/:\w+/g, 'abc'), { cookie: 'language=de-DE' })
    t.notMatch(body, /<script[^>]* src=/)
    const files = [...body.matchAll(linked)].map(([, file = '', rest = '']) => [file, /integrity="([^"]+)"/.exec(rest)?.[1] ?? ''] as const)
    t.ok(files.length > 8, path)
    const imports = JSON.parse(/<script type="importmap"[^>]*>(.*?)<\/script>/.exec(body)![1]!)
    for (const [file, hash] of [...files, ...Object.entries<string>(imports.integrity)]) {
      if (hash !== (hashes.get(file) ?? hash)) t.fail(`${file} has two hashes`)
      hashes.set(file, hash)
    }
  }
  for (const [url, hash] of hashes) {
    const { rawPayload } = await app.inject({ url, headers: { 'accept-encoding': 'br' } })
    const actual = `sha256-${createHash('sha256').update(brotliDecompressSync(rawPayload)).digest('base64')}`
    if (hash !== actual) t.fail(`${url} has another hash than ${hash}`)
  }
  const isOfOtherLanguage = (file: string) => /^[a-z]{2}[-_][A-Z]{2}-/.test(file) && !/^de[-_]DE-/.test(file)
  const modules = readdirSync(join(import.meta.dirname, '../../dist/web/assets')).filter((file) => file.endsWith('.js'))
  const unknown = modules.filter((file) => !isOfOtherLanguage(file) && !hashes.has(`/assets/${file}`))
  t.same(unknown, [], 'nor can a page load a module without a hash later')
})

t.test('escapes the name of the application in the title', async (t) => {
  await storeSetting(ctx.db, 'general.appName', 'Files <b>& more', ctx.now())
  t.match((await open('/')).body, '<title>Files &lt;b&gt;&amp; more</title>')
})

t.test('serves a page that reports the outage when the database is down', async (t) => {
  const { app } = await testApp(t)
  app.identify = () => Promise.reject(new Error('the database is away'))
  const answer = await app.inject({ url: '/share/abc', headers: { accept: 'text/html' } })
  t.equal(answer.statusCode, 503)
  t.match(startOf(answer.body), { user: null, settings: null })
})
