import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import messages from '../../locales/en-US.json' with { type: 'json' }
import type { GrantedShare } from '../../src/downloads/contract.ts'
import { type RenderSharePage, sharePageFile } from '../../src/pages/site.ts'

const module = pathToFileURL(join(import.meta.dirname, '../../dist/web', sharePageFile)).href
const { renderSharePage }: { renderSharePage: RenderSharePage } = await import(module)

const settings = {
  'general.appName': 'Razorbill',
  'general.logo': '',
  'general.footer': 'Imprint https://example.org/imprint',
  'general.showBird': true,
  'share.allowRegistration': true,
}
const file = (name: string, size = '5', id = name) => ({ id, name, size })
const granted = (files: GrantedShare['share']['files'], more: object = {}, zip: object = { state: 'ready', progress: 1, size: 9 }) => ({
  access: 'granted',
  share: {
    id: 'abc',
    kind: 'files',
    encrypted: false,
    name: null,
    description: null,
    expiration: '1970-01-01T00:00:00.000Z',
    files,
    creator: null,
    hasPassword: false,
    size: 10,
    ...more,
  },
  metaData: { id: 'abc', isZipReady: true, zip },
  entered: true,
  folder: '',
})
const render = (share: object | null, more: object = {}) =>
  renderSharePage({ basePath: '', language: 'en-US', languages: [], colorScheme: 'system', user: null, settings, share, ...more })
const htmlOf = async (...parts: Parameters<typeof granted>) => (await render(granted(...parts)))!.html

t.test('renders only a share that the visitor may see', async (t) => {
  t.equal(await render(null), null)
  t.equal(await render({ access: 'password', encrypted: false }), null)
  t.equal(await render(null, { settings: null }), null, 'the database cannot be reached')
})

t.test('renders the whole page, with its header and footer', async (t) => {
  const page = await htmlOf([file('a')])
  t.match(page, /<header class="header">.*<span>Razorbill<\/span>.*<a href="\/auth\/signUp" class="place place-strong">/s)
  t.match(
    page,
    /<main id="content" class="content" tabindex="-1">.*<\/main><footer class="footer">.*<a href="https:\/\/example.org\/imprint">Imprint<\/a>/s,
  )
  t.match(page, 'class="share-picture"')
  const plain = (await render(granted([file('a')]), { settings: { ...settings, 'general.footer': '', 'general.showBird': false } }))!.html
  t.notMatch(plain, /<footer|share-picture/)
})

t.test('renders nothing that the content security policy refuses', async (t) => {
  t.notMatch(await htmlOf([file('a.jpg'), file('b/c')]), /<script|<style|<template|style=|\son\w+=/)
})

t.test('offers the file of a share with one file', async (t) => {
  const page = await htmlOf([file('a b.bin')])
  t.match(page, '<a class="button button-large button-primary" href="/api/shares/abc/files/a%20b.bin" download="">')
  t.notMatch(page, 'files/zip')
  t.match(page, '<h1 class="own-words">Shared files</h1>')
  t.notMatch(page, /expires|from /)
})

t.test('disables controls that need JavaScript', async (t) => {
  const page = await htmlOf([file('a.bin'), file('b.bin')])
  const buttons = page.match(/<button[^>]*>/g)!
  t.ok(buttons.length > 5)
  t.same(
    buttons.filter((button) => !button.includes('disabled=""')),
    [],
  )
})

t.test('lists folders first, then files in natural order, and starts a long list with a screenful', async (t) => {
  const names = (page: string) => [...page.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, name]) => name)
  t.same(names(await htmlOf([file('10.bin'), file('2.bin'), file('z/1.bin')])), ['z', '2.bin', '10.bin'])
  const files = (count: number) => granted(Array.from({ length: count }, (_, n) => file(`${n}.bin`)))
  const long = (await render(files(500)))!
  t.equal(names(long.html).length, 30)
  t.match(long.html, 'file-search')
  t.match(long.html, '<span>500 files</span>')
  t.equal(long.isComplete, false)
  t.equal((await render(files(101)))!.isComplete, false)
  t.equal((await render(files(100)))!.isComplete, true)
  t.equal((await render({ ...files(101), folder: 'none' }))!.isComplete, true)
})

t.test('reports an archive that cannot be created', async (t) => {
  t.match(await htmlOf([file('a'), file('b')], {}, { state: 'failed', progress: 0 }), messages['error.zip_failed'])
})

t.test('shows the creator, expiration and description of a share', async (t) => {
  const expiration = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const page = await htmlOf([file('a')], { name: 'N', creator: { username: 'bo<b>' }, expiration, description: 'Look <here>' })
  t.match(page, '<span>from bo&lt;b&gt;</span>')
  t.match(page, `<time class="relative-time" dateTime="${expiration}" tabindex="0">in 3 days</time>`)
  t.match(page, '<p dir="auto" class="share-description">Look &lt;here&gt;</p>')
})

t.test('shows the files of a folder, and the way back up', async (t) => {
  const files = [file('a/b%41/photo.jpg', '5', 'one'), file('a/b%41/c/2.bin'), file('top.bin')]
  const page = (await render({ ...granted(files), folder: 'a/b%41' }))!.html
  t.match(page, /href="\/share\/abc"[^>]*>All files<\/a>/)
  t.match(page, /<a[^>]* href="\/share\/abc\?folder=a"[^>]*><bdi>a<\/bdi><\/a>/)
  t.match(page, /aria-current="location"[^>]*><bdi>b%41<\/bdi>/)
  t.match(page, 'href="/share/abc?folder=a%2Fb%2541%2Fc"')
  t.match(
    page,
    '<a class="file-link quiet-link" href="/api/shares/abc/files/one?download=false"><bdi>photo.jpg</bdi></a>',
    'the browser shows it without JavaScript',
  )
  t.notMatch(page, 'top.bin')
  t.match((await render({ ...granted(files), folder: 'nowhere' }))!.html, 'This folder is empty.')
})

t.test('renders only the nearest folders of a long path from the address bar', async (t) => {
  const folder = Array.from({ length: 7000 }, (_, n) => n % 10).join('/')
  const page = (await render({ ...granted([file('a'), file('b')]), folder }))!.html
  t.equal(page.match(/<bdi>\d<\/bdi>/g)?.length, 12)
  t.match(page, '<span>…</span>')
  t.match(page, /aria-current="location"[^>]*><bdi>9<\/bdi>/)
  t.notMatch((await render({ ...granted([file('a')]), folder: 'a/b/c' }))!.html, '…')
})

t.test('escapes direction marks in names of shares, folders and files', async (t) => {
  const page = await htmlOf([file('ann\u202egpj.exe', '5', 'one'), file('pho\u200btos/a.jpg')], { name: 'A\u202eB' })
  for (const shown of ['ann[U+202E]gpj.exe', 'pho[U+200B]tos', 'A[U+202E]B']) t.match(page, `>${shown}<`)
  t.match(page, 'folder=pho%E2%80%8Btos', 'the address contains the unchanged folder name')
  t.notMatch(page, /[\u202e\u200b]/)
})

t.test('keeps languages apart when pages are rendered at the same time', async (t) => {
  const files = [file('a', '1500000'), file('b')]
  const pages = await Promise.all(['de-DE', 'en-US', 'ar-EG', 'de-DE'].map((language) => render(granted(files), { language })))
  t.match(pages[0]!.html, /<span>2 Dateien<\/span>.*1,5/s)
  t.match(pages[1]!.html, /<span>2 files<\/span>.*1\.5/s)
  t.notMatch(pages[2]!.html, 'files</span>')
  t.equal(pages[3]!.html, pages[0]!.html)
})
