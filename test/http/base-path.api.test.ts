import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { type EnvError, readEnv } from '../../src/env.ts'
import { testApp } from '../support/app/app.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { ok, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { env: { appUrl: 'https://example.org/files' } })
const alice = await signUp(app, 'alice')
const open = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers: { accept: 'text/html', ...headers } })
/** Returns the addresses in a page. */
const addressesIn = (html: string) => [...html.matchAll(/(?:href|src|data-main)\^?="([^"#]*)/g)].map(([, address = '']) => address)

t.test('accepts a path in APP_URL unless it hides pages of Razorbill', (t) => {
  const problemsOf = (url: string) => {
    try {
      readEnv({ APP_URL: url })
      return []
    } catch (error) {
      return (error as EnvError).problems
    }
  }
  for (const url of ['https://example.org/files', 'https://example.org/files/', 'https://example.org/a/b-c', 'https://example.org/shares'])
    t.same(problemsOf(url), [], url)
  t.equal(readEnv({ APP_URL: 'https://example.org/files/' }).appUrl, 'https://example.org/files')
  t.match(problemsOf('https://example.org/share'), [/must not have a path that starts with \/share,/])
  for (const url of ['https://example.org/a b', 'https://example.org/a;b', 'https://example.org/a//b', 'https://example.org/%41'])
    t.match(problemsOf(url), [/letters, digits/], url)
  t.end()
})

t.test('serves pages, files and calls below the path and without it', async (t) => {
  for (const base of ['', '/files']) {
    const page = await open(`${base}/auth/signIn?redirect=%2Faccount`)
    t.equal(page.statusCode, 200)
    const [script = ''] = addressesIn(page.body).filter((address) => address.endsWith('.js'))
    t.match(script, /^\/files\/assets\//)
    t.equal((await open(base + script.slice('/files'.length))).statusCode, 200)
    t.match(await open(`${base}/api/users/me`, alice), { statusCode: 200 })
    t.match(await open(`${base}/api/users/nothing/here`), { statusCode: 404 })
    t.match(await app.inject({ method: 'DELETE', url: `${base}/api/health` }), { statusCode: 405, headers: { allow: 'GET, HEAD' } })
  }
  for (const url of ['/files', '/files/', '/files?a=b']) t.equal((await open(url)).statusCode, 200, url)
  for (const url of ['/filesystem/upload', '/files/files/upload']) t.equal((await open(url)).statusCode, 404, url)
})

t.test('leads to addresses below the path only', async (t) => {
  await sharing(app, alice).share('iceland', { 'a.txt': 'a', 'b.txt': 'b' })
  const shown = { ...alice, 'sec-fetch-mode': 'navigate' }
  for (const url of ['/', '/share/iceland', '/upload', '/nothing', '/api/docs']) {
    const { body } = await open(url, shown)
    const addresses = addressesIn(body)
    t.ok(addresses.length > 2, url)
    t.same(
      addresses.filter((address) => address.startsWith('/') && !address.startsWith('/files/')),
      [],
      url,
    )
  }
  t.match((await open('/share/iceland', shown)).body, '<meta property="og:image" content="https://example.org/files/preview.png">')
  const manifest = (await open('/manifest.webmanifest')).json()
  t.match(manifest, { id: '/files/', start_url: '/files/', scope: '/files/', share_target: { action: '/files/upload' } })
  for (const { src } of manifest.icons) t.match(src, /^\/files\/icons\//)
  t.match(await open('/s/iceland'), { statusCode: 302, headers: { location: '/files/share/iceland' } })
  t.match(await app.inject({ method: 'POST', url: '/files/upload' }), { statusCode: 303, headers: { location: '/files/upload?received' } })
  t.match(await open('/api/oauth/auth/github', alice), { statusCode: 302, headers: { location: '/files/account' } })
  t.same((await open('/api/openapi.json')).json().servers, [{ url: '/files' }])
  const [listed] = ok(await app.inject({ url: '/api/shares', headers: alice })).json()
  t.equal(listed.link, 'https://example.org/files/share/iceland')
})

t.test('limits every cookie to the path', async (t) => {
  const shares = sharing(app, alice)
  await shares.share('locked', { 'a.txt': 'a' }, { security: { password: 'open sesame' } })
  const signedIn = await app.inject({ method: 'POST', url: '/api/auth/signIn', payload: { email: 'alice@example.com', password } })
  const secure = signedIn.cookies.filter(({ name }) => name === '__Secure-access_token')
  t.match(await open('/files/api/users/me', headersOf({ cookies: secure })), { statusCode: 200 })
  const unlocked = await app.inject({ method: 'POST', url: '/api/shares/locked/token', payload: { password: 'open sesame' } })
  const signedOut = await app.inject({ method: 'POST', url: '/api/auth/signOut', headers: headersOf(signedIn) })
  const paths = [signedIn, unlocked, signedOut].map((reply) => reply.cookies.map(({ name, path }) => `${name} ${path}`).sort())
  const session = ['__Secure-access_token /files', '__Secure-refresh_token /files/api/auth/token', 'access_token /files']
  t.same(paths[0], [...session, 'known_device /files/api/auth', 'refresh_token /files/api/auth/token'].sort())
  t.same(paths[1], ['share_locked_token /files'])
  t.same(paths[2], [...session, 'refresh_token /files/api/auth/token'].sort())
})

t.test('returns from a provider below the path', async (t) => {
  const now = new Date()
  await storeSetting(ctx.db, 'oauth.github-enabled', true, now)
  await storeSetting(ctx.db, 'oauth.github-clientId', 'razorbill', now)
  await storeSetting(ctx.db, 'oauth.github-clientSecret', ctx.sealer.seal('the secret of the client'), now)
  const { headers, cookies } = await open('/files/api/oauth/auth/github')
  const target = new URL(String(headers.location))
  t.equal(target.searchParams.get('redirect_uri'), 'https://example.org/files/api/oauth/callback/github')
  t.match(cookies, [{ name: /^__Secure-oauth_github_/, path: '/files' }])
  const denied = await open(
    `/files/api/oauth/callback/github?error=access_denied&state=${target.searchParams.get('state')}`,
    headersOf({ cookies }),
  )
  t.match(denied.headers.location, /^\/files\/error\?error=access_denied&redirect=%2Fauth%2FsignIn&/)
})
