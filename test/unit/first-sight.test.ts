import t from 'tap'
import messages from '../../locales/en-US.json' with { type: 'json' }
import type { StartData } from '../../src/contract.ts'
import type { OpenedShare } from '../../src/downloads/contract.ts'
import type { BuiltLanguage } from '../../src/http/site.ts'
import { textsOfFirstSight } from '../../web/first-sight/build.ts'
import { html } from '../../web/first-sight/html.ts'
import { drawPage } from '../../web/first-sight/main.ts'

const texts = Object.fromEntries(Object.entries(messages).filter(([key]) => textsOfFirstSight.test(key)))
const language = { code: 'en-US', texts } as BuiltLanguage
const draw = (start: object) => drawPage(start as StartData, language)
const file = (name: string, size = '5', id = name) => ({ id, name, size })
const opened = (
  files: OpenedShare['share']['files'],
  more: object = {},
  zip: object = { state: 'ready', progress: 1, size: 9 },
): OpenedShare => ({
  share: {
    id: 'abc',
    name: null,
    description: null,
    expiration: '1970-01-01T00:00:00.000Z',
    files,
    creator: null,
    hasPassword: false,
    size: 10,
    ...more,
  },
  metaData: { id: 'abc', isZipReady: true, zip } as OpenedShare['metaData'],
  entered: true,
  folder: '',
})
const sightOf = (...given: Parameters<typeof opened>) => draw({ opened: opened(...given), user: null })!
const shareOf = (...given: Parameters<typeof opened>) => sightOf(...given).html

t.test('values in HTML are text, unless they are HTML; null and false are nothing', async (t) => {
  t.equal(
    html`<p title="${'"'}">${'<b>&'}${html`<i>${1}</i>`}${null}${false}${[html`<hr>`, html`<hr>`]}</p>`.source,
    '<p title="&quot;">&lt;b&gt;&amp;<i>1</i><hr><hr></p>',
  )
  t.equal(html`a\n${''}b`.source, 'a\nb')
})

t.test('direction marks in names of shares, folders and files are shown escaped', async (t) => {
  const page = shareOf([file('ann\u202egpj.exe'), file('pho\u200btos/a.jpg')], { name: 'A\u202eB' })
  for (const shown of ['ann[U+202E]gpj.exe', 'pho[U+200B]tos', 'A[U+202E]B']) t.match(page, `>${shown}<`)
  t.match(page, 'folder=pho%E2%80%8Btos', 'the address names the folder as it is')
  t.notMatch(page, /[\u202e\u200b]/)
})

t.test('only signing in and up have a heading before the application; they need it', async (t) => {
  t.match(draw({ page: '/auth/signIn', opened: null }), { html: `<h1>${messages['auth.signInTitle']}</h1>`, whole: false })
  t.match(draw({ page: '/auth/signUp' }), { html: `<h1>${messages['auth.signUpTitle']}</h1>`, whole: false })
  t.equal(draw({ page: '/upload', opened: null }), null)
  t.equal(draw({ page: null, settings: null }), null, 'the database is away')
})

t.test('a share of one file hands that out', async (t) => {
  const page = shareOf([file('a b.bin')])
  t.match(page, '<a class="first-button first-button-main" href="/api/shares/abc/files/a%20b.bin" download>')
  t.notMatch(page, 'files/zip')
  t.match(page, '<h1 class="own-words">Shared files</h1>')
  t.notMatch(page, /expires|from /)
})

t.test('folders come first, then files as people count; of a long list a screenful', async (t) => {
  const names = (page: string) => [...page.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, name]) => name)
  t.same(names(shareOf([file('10.bin'), file('2.bin'), file('z/1.bin')])), ['z', '2.bin', '10.bin'])
  const long = shareOf(Array.from({ length: 500 }, (_, n) => file(`${n}.bin`)))
  t.equal(names(long).length, 30)
  t.match(long, 'file-search')
  t.match(
    sightOf(Array.from({ length: 100 }, (_, n) => file(`${n}.bin`))),
    { usable: true, whole: true },
    'a list that is not long is whole',
  )
  t.match(sightOf(Array.from({ length: 101 }, (_, n) => file(`${n}.bin`))), { usable: true, whole: false })
  t.match(long, '<span>500 files</span>')
})

t.test('an archive that cannot be made is told of', async (t) => {
  t.match(shareOf([file('a'), file('b')], {}, { state: 'failed', progress: 0 }), messages['error.zip_failed'])
})

t.test('who, until when and what for', async (t) => {
  const expiration = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const page = shareOf([file('a')], { name: 'N', creator: { username: 'bo<b>' }, expiration, description: 'Look <here>' })
  t.match(page, /<span>from bo&lt;b&gt;<\/span>\s*<span>expires in 3 days<\/span>/)
  t.match(page, '<p class="share-description own-words">Look &lt;here&gt;</p>')
})

t.test('a folder shows what lies in it, and the way back up', async (t) => {
  const files = [file('a/b%41/photo.jpg', '5', 'one'), file('a/b%41/c/2.bin'), file('top.bin')]
  const page = draw({ opened: { ...opened(files), folder: 'a/b%41' }, user: null })!.html
  t.match(page, 'href="/share/abc">All files</a>')
  t.match(page, '<a class="text-button" href="?folder=a"><bdi>a</bdi></a>')
  t.match(page, 'aria-current="location"><bdi>b%41</bdi></a>')
  t.match(page, 'href="?folder=a%2Fb%2541%2Fc"')
  t.match(
    page,
    '<a class="file-link" href="/api/shares/abc/files/one?download=false"><bdi>photo.jpg</bdi></a>',
    'which a browser shows by itself',
  )
  t.notMatch(page, 'top.bin')
  t.match(draw({ opened: { ...opened(files), folder: 'nowhere' }, user: null })!.html, 'This folder is empty.')
})
