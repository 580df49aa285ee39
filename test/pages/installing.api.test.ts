import { PNG } from 'pngjs'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { png } from '../support/png.ts'
import { set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const admin = await signUp(app, 'admin')
const owner = sharing(app, await signUp(app, 'alice'))
const open = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers: { accept: 'text/html', ...headers } })
const manifest = async (headers: Record<string, string> = {}) => app.inject({ url: '/manifest.webmanifest', headers })
/** Returns the head tags of a page as a link preview reads them, without those that vary. */
const head = async (url: string) => (await open(url)).body.split('id="start"')[0]!.replaceAll(/nonce="[^"]+"/g, '')
const meta = (html: string, name: string) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1]

t.test("offers the pages as an app under the installation's name, with a share target", async (t) => {
  await set(ctx, 'general.appName', 'Files & "more"')
  const answer = await manifest()
  t.match(answer.headers, {
    'content-type': /^application\/manifest\+json/,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  })
  t.match(answer.json(), {
    name: 'Files & "more"',
    short_name: 'Files & "more"',
    lang: 'en-US',
    dir: 'ltr',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    share_target: {
      action: '/upload',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: 'files', accept: ['*/*'] }] },
    },
  })
  t.match((await open('/')).body, '<link rel="manifest" crossorigin="use-credentials" href="/manifest.webmanifest">')
})

t.test('serves every icon in its declared size, one of them maskable', async (t) => {
  const { icons } = (await manifest()).json()
  for (const { src, sizes } of icons) {
    const answer = await app.inject(src)
    t.equal(answer.headers['content-type'], 'image/png', src)
    const { width, height } = PNG.sync.read(answer.rawPayload)
    t.equal(`${width}x${height}`, sizes, src)
  }
  t.same(
    icons.map(({ purpose, sizes }: Record<string, string>) => `${purpose} ${sizes}`),
    ['any 192x192', 'any 512x512', 'maskable 512x512'],
  )
  const maskable = PNG.sync.read((await app.inject(icons[2].src)).rawPayload)
  t.equal(maskable.data[3], 255, 'its corner is filled')
  const html = (await open('/')).body
  for (const [link, size] of [
    ['rel="icon" type="image/png"', 32],
    ['rel="apple-touch-icon"', 180],
  ] as const) {
    const href = new RegExp(`<link ${link}[^>]* href="([^"]+)"`).exec(html)![1]!
    t.equal(PNG.sync.read((await app.inject(href)).rawPayload).width, size, href)
  }
  t.match(html, 'href="/favicon.svg"')
})

t.test('revalidates the service worker, limits it to this server, and lists the files of this build', async (t) => {
  const answer = await app.inject('/service-worker.js')
  t.match(answer.headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    'x-content-type-options': 'nosniff',
  })
  t.match((await open('/')).headers['content-security-policy'], "worker-src 'self'")
  const assets = [...answer.body.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([path]) => path)
  t.ok(assets.length > 20)
  const statuses = await Promise.all(assets.map(async (url) => (await app.inject({ method: 'GET', url })).statusCode))
  t.same(new Set(statuses), new Set([200]), 'each of them exists')
})

t.test('redirects files shared without a service worker to the page, which reports it', async (t) => {
  const shared = await app.inject({
    method: 'POST',
    url: '/upload',
    headers: { 'content-type': 'multipart/form-data; boundary=edge', 'sec-fetch-site': 'none' },
    payload: '--edge\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nx\r\n--edge--\r\n',
  })
  t.match([shared.statusCode, shared.headers.location], [303, '/upload?received'])
  const foreign = await app.inject({ method: 'POST', url: '/upload', headers: { 'sec-fetch-site': 'cross-site' } })
  t.equal(foreign.statusCode, 403)
})

t.test('returns the same link preview for every share, existing or not, and counts no view', async (t) => {
  await owner.share(
    'protected',
    { 'secret plan.txt': 'x' },
    { name: 'Merger', description: 'Confidential', security: { password: 'open sesame' } },
  )
  await owner.share('once', { 'gift.txt': 'x' }, { name: 'Surprise', security: { maxViews: 1 } })
  await owner.share('openly', { 'photo.jpg': 'x' }, { name: 'Iceland' })
  const pages = await Promise.all(['protected', 'once', 'openly', 'nothing'].map((id) => head(`/share/${id}`)))
  const [first] = pages
  for (const page of pages) t.equal(page, first)
  t.equal(meta(first!, 'og:title'), 'Files for you')
  t.equal(meta(first!, 'og:site_name'), 'Files &amp; &quot;more&quot;')
  t.ok(meta(first!, 'og:description'))
  for (const word of ['Merger', 'Confidential', 'secret', 'Surprise', 'Iceland', 'alice', 'protected']) t.notMatch(first, word)
  await sharing(app).unlock('once') // fails if the only view is used
})

t.test('describes an upload link, names the installation on all other pages, and indexes none', async (t) => {
  const send = await head('/upload/some-token')
  t.equal(meta(send, 'og:title'), 'Send files')
  t.notMatch(send, 'some-token')
  t.equal(meta(await head('/account/shares'), 'og:title'), 'Files &amp; &quot;more&quot;')
  for (const path of ['/', '/share/openly', '/upload/some-token']) t.match((await open(path)).headers['x-robots-tag'], 'noindex')
})

t.test('gives the preview picture an absolute address at the configured host', async (t) => {
  const html = (await open('/share/openly', { host: 'files.example:8080' })).body
  t.equal(meta(html, 'og:image'), 'http://files.example:8080/preview.png')
  t.equal(meta(html, 'twitter:card'), 'summary_large_image')
  const { width, height } = PNG.sync.read((await app.inject('/preview.png')).rawPayload)
  t.same([width, height], [1200, 630])
  t.same([meta(html, 'og:image:width'), meta(html, 'og:image:height')], ['1200', '630'])
  await set(ctx, 'general.appUrl', 'https://share.example/')
  t.equal(meta((await open('/')).body, 'og:image'), 'https://share.example/preview.png')
})

t.test('uses a custom logo as the app icon and preview picture', async (t) => {
  const sent = await app.inject({
    method: 'POST',
    url: '/api/configs/admin/logo',
    headers: { ...admin, 'content-type': 'multipart/form-data; boundary=edge' },
    payload: Buffer.concat([
      Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="logo.png"\r\nContent-Type: image/png\r\n\r\n'),
      png(64, 64, () => [255, 0, 0, 255]),
      Buffer.from('\r\n--edge--\r\n'),
    ]),
  })
  const { version } = sent.json()
  const { icons } = (await manifest()).json()
  t.same(
    icons.map(({ src, purpose }: Record<string, string>) => [src, purpose]),
    [192, 512].map((size) => [`/api/logo/${size}.png?v=${version}`, 'any']),
  )
  for (const { src, sizes } of icons) t.equal(`${PNG.sync.read((await app.inject(src)).rawPayload).width}x`, sizes.replace(/\d+$/, ''))
  t.equal(meta((await open('/share/openly')).body, 'og:image'), `https://share.example/api/logo/512.png?v=${version}`)
})
