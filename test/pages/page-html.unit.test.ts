import t from 'tap'
import { pageHtml } from '../../src/pages/page-html.ts'
import { palettesOf } from '../../src/pages/palette.ts'
import type { Site } from '../../src/pages/site.ts'

const language = {
  code: 'ar-EG',
  name: 'العربية',
  direction: 'rtl' as const,
  description: 'Files & "more"',
  noScript: 'No <script>',
  failed: 'Load "again"',
  headings: { '/auth/signIn': 'Sign <in>' },
  previews: { '/share/:id': { title: 'Files "for" you', text: 'Open <it>' } },
  scripts: ['/assets/ar.js'],
  integrity: { '/assets/ar.js': 'sha256-Ar+/=', '/assets/ar-admin.js': 'sha256-Admin' },
}
const html =
  '<html lang="en-US"><head><title>__title__</title><meta name="t" content="__previewTitle__"><meta name="d" content="__previewText__"><link rel="icon" href="/x"><script nonce="__nonce__"></script></head><body><div id="root" data-failed="__failed__">__frame__</div> __noscript__ __start__ __other__ <script type="importmap">__imports__</script>__modules__</body></html>'
const integrity = { '/assets/Home.js': 'sha256-Home', '/assets/Home.css': 'sha256-Styles', '/assets/Later.js': 'sha256-Later' }
const renderSharePage = async () => null
const site: Site = { basePath: '', pages: [], aliases: {}, languages: [language], integrity, html, renderSharePage }
const page = (path: string, needs = {}) => ({ path, scripts: [], styles: [], laterStyles: [], ...needs })
const fill = (more: object) =>
  pageHtml(site, {
    nonce: 'N0nce',
    appName: 'Razorbill',
    baseUrl: 'https://files.example',
    icons: null,
    palettes: null,
    showBird: true,
    language,
    colorScheme: 'dark',
    page: null,
    prerendered: null,
    start: {},
    ...more,
  })

t.test('sets language, direction and color scheme on the root element, to avoid a flash', async (t) => {
  t.match(fill({}), '<html lang="ar-EG" dir="rtl" data-theme="dark">')
})

t.test('sets the accent color after the styles of the pages, and marks pages without the bird', async (t) => {
  t.match(fill({ palettes: palettesOf('#c2185b') }), '<style nonce="N0nce">:root,[data-theme="light"]{--primary:#c2185b;')
  t.notMatch(fill({}), '<style')
  t.match(fill({ showBird: false }), 'data-theme="dark" data-bird="off">')
})

t.test('keeps start data inside its script, and preserves it', async (t) => {
  const start = { name: '</script><script>alert(1)</script><!--', separators: '\u2028\u2029', title: '__nonce__ __title__ $& $1' }
  const page = fill({ start })
  const json = /<script type="application\/json" id="start">(.*?)<\/script>/s.exec(page)![1]!
  t.same(JSON.parse(json), start)
  t.notMatch(json, /[<>\u2028\u2029]/)
  t.equal(page.match(/<script/g)!.length, 3)
})

t.test('contains the shell of a page before its scripts, with the logo and the name', async (t) => {
  t.match(fill({}), '<img src="/favicon.svg" alt="" width="34" height="34"><span>Razorbill</span>')
  t.match(fill({ icons: { 32: '/32', 180: '/180', 192: '/logo?"', 512: '/512' } }), '<img src="/logo?&quot;" alt=""')
  t.match(fill({ appName: '<b>' }), '<span>&lt;b&gt;</span></span></div></header><main')
  t.match(fill({}), '<div id="root" data-failed="Load &quot;again&quot;">')
  t.match(fill({ page: page('/auth/signIn') }), /<main class="content" aria-busy="true">.*<h1>Sign &lt;in&gt;<\/h1>/)
  t.match(fill({ page: page('/admin/config/:category') }), '<header')
})

t.test('replaces the shell with a prerendered page, and omits the JavaScript notice if it is complete', async (t) => {
  const complete = fill({ prerendered: { html: '<main>All</main>', isComplete: true } })
  t.match(complete, '<div id="root" data-failed="Load &quot;again&quot;"><main>All</main></div>')
  t.notMatch(complete, 'No &lt;script')
  t.match(fill({ prerendered: { html: '<main>Some</main>', isComplete: false } }), 'No &lt;script')
})

t.test('escapes the name of the application', async (t) => {
  const page = fill({ appName: '</title><img src=x onerror=alert(1)> __start__' })
  t.match(page, '<title>&lt;/title&gt;&lt;img src=x onerror=alert(1)&gt; __start__</title>')
  t.match(page, 'No &lt;script&gt;')
})

t.test('preloads the files of a page with the nonce and their hashes', async (t) => {
  const home = { scripts: ['/assets/Home.js'], styles: ['/assets/Home.css'], laterStyles: ['/assets/form.css'] }
  const body = fill({ page: page('/', home) })
  const module = '<link rel="modulepreload" fetchpriority="low"'
  t.match(body, `${module} href="/assets/ar.js" integrity="sha256-Ar+/=" nonce="N0nce">`)
  t.match(body, `${module} href="/assets/Home.js" integrity="sha256-Home" nonce="N0nce">`)
  t.match(body, '<link rel="stylesheet" href="/assets/Home.css" integrity="sha256-Styles" nonce="N0nce">')
  t.match(body, '<link rel="preload" as="style" fetchpriority="low" href="/assets/form.css" nonce="N0nce">')
})

t.test('lists the hashes of all modules that the page may load later', async (t) => {
  const imports = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(fill({}))![1]!)
  const { '/assets/Home.css': _, ...modules } = { ...integrity, ...language.integrity }
  t.same(imports, { integrity: modules })
})

t.test('describes the kind of page in a link preview, with an absolute picture address', async (t) => {
  const share = fill({ page: page('/share/:id') })
  t.match(share, '<meta name="t" content="Files &quot;for&quot; you"><meta name="d" content="Open &lt;it&gt;">')
  t.match(share, '<meta property="og:image" content="https://files.example/preview.png">')
  t.match(share, '<meta name="twitter:card" content="summary_large_image">')
  t.match(fill({}), '<meta name="t" content="Razorbill"><meta name="d" content="Files &amp; &quot;more&quot;">')
})

t.test('escapes an address from the request', async (t) => {
  const page = fill({ baseUrl: 'http://"><script>__nonce__</script>' })
  t.match(page, 'content="http://&quot;&gt;&lt;script&gt;__nonce__&lt;/script&gt;/preview.png"')
})
