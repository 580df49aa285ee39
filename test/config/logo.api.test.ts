import { deflateSync, gzipSync } from 'node:zlib'
import { PNG } from 'pngjs'
import t from 'tap'
import { pageHtml } from '../../src/pages/page-html.ts'
import type { BuiltLanguage, Site } from '../../src/pages/site.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { settingsCalls } from '../support/app/settings.ts'
import { storedFiles } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { chunk, header, png, pngOf } from '../support/png.ts'
import { refusal } from '../support/sharing.ts'

t.setTimeout(120_000)
const { app, ctx, database } = await testApp(t)
const other = await testApp(t, { database, storage: ctx.storage })
const admin = await signUp(app, 'admin')
const { patch } = settingsCalls(app, admin)

const send = (image: Buffer, { type = 'image/png', field = 'file' } = {}) =>
  app.inject({
    method: 'POST',
    url: '/api/configs/admin/logo',
    headers: { ...admin, 'content-type': 'multipart/form-data; boundary=edge' },
    payload: Buffer.concat([
      Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${field}"; filename="logo.png"\r\nContent-Type: ${type}\r\n\r\n`),
      image,
      Buffer.from('\r\n--edge--\r\n'),
    ]),
  })
const get = (path: string, headers = {}, from = other.app) => from.inject({ url: `/api/logo/${path}`, headers })
const version = async () => (await other.app.inject('/api/configs')).json().find(({ key }: { key: string }) => key === 'general.logo').value
const red = [255, 0, 0, 255]
const clear = [0, 255, 0, 0]
/** Red on the left, transparent on the right. */
const half = (size: number) => png(size, size, (x) => (x < size / 2 ? red : clear))

t.test('serves a logo in all its sizes at every replica, decoded and encoded again', async (t) => {
  t.equal(await version(), '')
  t.same(refusal(await get('192.png')), [404, 'not_found'])
  const secret = chunk('tEXt', Buffer.from('Comment\0<script>where this was made</script>'))
  const answer = await send(png(64, 64, (x) => (x < 32 ? red : clear), [secret]))
  t.equal(answer.statusCode, 201, answer.body)
  const { version: made } = answer.json()
  t.equal(await version(), made)
  for (const size of [32, 180, 192, 512]) {
    const logo = await get(`${size}.png`)
    t.equal(logo.headers['content-type'], 'image/png')
    t.equal(logo.headers['x-content-type-options'], 'nosniff')
    const { width, height, data } = PNG.sync.read(logo.rawPayload)
    t.same([width, height], [size, size])
    t.same([...data.subarray(0, 4)], red)
    t.equal(data[4 * (size - 1) + 3], 0, 'transparent on the right')
    t.notMatch(logo.rawPayload.toString('latin1'), 'script')
  }
  const { headers } = await get('32.png')
  t.equal(headers['cache-control'], 'no-cache')
  t.equal((await get('32.png', { 'if-none-match': headers.etag })).statusCode, 304)
  t.match((await get(`32.png?v=${made}`)).headers['cache-control'], /immutable/)
  t.equal((await get('32.png?v=older')).headers['cache-control'], 'no-cache')
  for (const path of ['33.png', '32.svg', '32', '..%2F..%2Fx.png']) t.same(refusal(await get(path)), [404, 'not_found'], path)
})

t.test('averages edges by their visible pixels, not by transparent ones', async (t) => {
  await send(png(36, 36, (x) => (x < 18 ? red : clear)))
  const { data } = PNG.sync.read((await get('32.png')).rawPayload)
  const line = Array.from({ length: 32 }, (_, x) => [...data.subarray(4 * x, 4 * x + 4)])
  t.same(line[15], red)
  t.same(line[16], [0, 0, 0, 0])
  await send(png(33, 33, (x) => (x < 16 ? red : clear)))
  const { data: between } = PNG.sync.read((await get('32.png')).rawPayload)
  const [r, g, b, alpha] = [...between.subarray(4 * 15, 4 * 16)]
  t.same([r, g, b], [255, 0, 0], 'no green shows through')
  t.ok(alpha! > 100 && alpha! < 150, `half visible: ${alpha}`)
})

t.test('deletes the former logo at the next cleanup, and restores the default', async (t) => {
  await send(half(10))
  const first = await version()
  await send(half(20))
  t.not(await version(), first)
  await cleanUp(ctx, {}, new AbortController().signal)
  t.notOk((await storedFiles(ctx)).some((path) => path.includes(first)))
  t.equal((await storedFiles(ctx)).length, 4, 'one in four sizes')
  t.same(refusal(await patch([{ key: 'general.logo', value: 'mine' }])), [400, 'config_invalid'])
  t.equal((await patch([{ key: 'general.logo', value: '' }])).statusCode, 200)
  t.equal(await version(), '')
  t.same(refusal(await get('192.png')), [404, 'not_found'])
  await cleanUp(ctx, {}, new AbortController().signal)
  t.same(await storedFiles(ctx), [])
})

t.test('keeps one of several concurrent uploads, complete, and deletes the others', async (t) => {
  const answers = await Promise.all([send(half(8)), send(half(9)), send(half(12))])
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [201, 201, 201],
  )
  const { statusCode } = await get(`512.png?v=${await version()}`)
  t.equal(statusCode, 200)
  await cleanUp(ctx, {}, new AbortController().signal)
  t.equal((await storedFiles(ctx)).length, 4)
})

t.test('rejects invalid logos', async (t) => {
  await send(half(16))
  const before = await version()
  const good = half(16)
  const broken = Buffer.from(good)
  broken[good.length - 30]! ^= 0xff
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><script>alert(1)</script></svg>')
  const zeros = (size: number) => chunk('IDAT', deflateSync(Buffer.alloc(size), { level: 1 }))
  const bomb = zeros(200_000_000)
  const cases: [name: string, image: Buffer, code: string][] = [
    ['an SVG that says it is a PNG', svg, 'logo_not_png'],
    ['an SVG behind a signature', Buffer.concat([good.subarray(0, 8), svg]), 'logo_not_png'],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]), 'logo_not_png'],
    ['something compressed', gzipSync('x'), 'logo_not_png'],
    ['nothing', Buffer.alloc(0), 'logo_not_png'],
    ['half of one', good.subarray(0, 40), 'logo_not_png'],
    ['one that was damaged', broken, 'logo_not_png'],
    ['one without pixels', pngOf(header(16, 16)), 'logo_not_png'],
    ['one with too few pixels', pngOf(header(16, 16), zeros(10)), 'logo_not_png'],
    ['one of no size', pngOf(header(0, 0), zeros(1)), 'logo_not_png'],
    ['one that is wider than high', png(20, 10, () => red), 'logo_not_square'],
    ['one that claims to be huge', pngOf(header(100_000, 100_000), zeros(100)), 'logo_too_large'],
    ['one that claims to be a little too large', pngOf(header(2049, 2049), zeros(100)), 'logo_too_large'],
    ['one whose second header is huge', pngOf(header(16, 16), header(60_000, 60_000), zeros(1000)), 'logo_not_png'],
    ['a plain one whose pixels are 200 MB', pngOf(header(16, 16), bomb), 'logo_not_png'],
    ['an interlaced one whose pixels are 200 MB', pngOf(header(16, 16, true), bomb), 'logo_not_png'],
  ]
  for (const [name, image, code] of cases) t.same(refusal(await send(image)), [400, code], name)
  t.equal((await send(Buffer.alloc(6 * 1_048_576))).statusCode, 413, 'more than 5 MiB')
  const json = await app.inject({ method: 'POST', url: '/api/configs/admin/logo', headers: admin, payload: { file: 'x' } })
  t.equal(json.statusCode, 400)
  t.equal(await version(), before, 'the logo stays')
  t.equal((await get('32.png')).statusCode, 200)
})

t.test('decodes one logo at a time and asks a flood of uploads to wait', async (t) => {
  const rss = () => process.memoryUsage().rss
  const before = rss()
  let highest = before
  const watch = setInterval(() => {
    highest = Math.max(highest, rss())
  }, 20)
  const large = pngOf(header(2048, 2048), chunk('IDAT', deflateSync(Buffer.alloc(2048 * (1 + 2048 * 4)), { level: 1 })))
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(large)))
  clearInterval(watch)
  const taken = answers.filter(({ statusCode }) => statusCode === 201)
  const refused = answers.filter(({ statusCode }) => statusCode === 503)
  t.equal(taken.length + refused.length, 10)
  t.equal(taken.length, 4)
  for (const answer of refused) t.equal(answer.headers['retry-after'], '10')
  t.ok(highest - before < 400_000_000, `it takes ${Math.round((highest - before) / 1e6)} MB`)
  t.equal((await send(half(8))).statusCode, 201, 'the queue is free again')
})

t.test('accepts an interlaced image', async (t) => {
  const line = (width: number) => Buffer.alloc(1 + 4 * width, Buffer.from([0]))
  const passes = [line(1), line(1), line(1), line(1), line(1), line(1), line(2)] // 2 × 2 pixels need passes 1, 6 and 7 only
  const image = pngOf(header(2, 2, true), chunk('IDAT', deflateSync(Buffer.concat([passes[0]!, passes[5]!, passes[6]!]))))
  t.equal((await send(image)).statusCode, 201)
})

t.test('updates the icon of the pages', (t) => {
  const site = {
    basePath: '',
    html: '<html><head><link rel="icon" href="/favicon.svg" type="image/svg+xml"></head></html>',
    renderSharePage: async () => null,
  } as unknown as Site
  const parts = {
    nonce: 'n',
    appName: 'a',
    baseUrl: 'https://a.example',
    language: {} as BuiltLanguage,
    colorScheme: 'system',
    palettes: null,
    showBird: true,
    page: null,
    prerendered: null,
    start: {},
  } as const
  const language = {
    ...parts.language,
    description: '',
    noScript: '',
    failed: '',
    headings: {},
    previews: {},
    scripts: [] as string[],
    integrity: {},
  } as BuiltLanguage
  const icons = { 32: '/api/logo/32.png?v=1', 180: '/api/logo/180.png?v=1', 192: '/api/logo/192.png?v="x', 512: '/api/logo/512.png?v=1' }
  t.match(pageHtml(site, { ...parts, language, icons: null }), 'href="/favicon.svg"')
  const html = pageHtml(site, { ...parts, language, icons })
  t.notMatch(html, 'favicon.svg')
  t.match(html, '<link rel="icon" type="image/png" sizes="32x32" href="/api/logo/32.png?v=1">')
  t.match(html, 'href="/api/logo/192.png?v=&quot;x"')
  t.match(html, '<link rel="apple-touch-icon" href="/api/logo/180.png?v=1">')
  t.match(html, '<meta property="og:image" content="https://a.example/api/logo/512.png?v=1">')
  t.match(html, '<meta name="twitter:card" content="summary">')
  t.end()
})

t.test("rejects a broken form as the caller's fault", async (t) => {
  const part = 'Content-Disposition: form-data; name="file"; filename="logo.png"\r\n\r\nx'
  const long = 'x'.repeat(300)
  for (const [boundary, payload] of [
    ['edge', `--edge\r\n${part}`], // without an end
    ['edge', '--edge\r\n'],
    ['edge', '--edge--\r\n'],
    [long, `--${long}\r\n${part}\r\n--${long}--\r\n`], // longer than the parser accepts
  ] as const) {
    const headers = { ...admin, 'content-type': `multipart/form-data; boundary=${boundary}` }
    const answer = await app.inject({ method: 'POST', url: '/api/configs/admin/logo', headers, payload })
    t.same(refusal(answer), [400, 'logo_not_png'], payload)
  }
})
