import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { addVerifiedLink } from '../support/email-codes.ts'
import { signUp } from '../support/people/people.ts'
import { cookiesOf, ok, set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const alice = await signUp(app, 'alice')
const maker = sharing(app, alice)
const shown = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
const open = async (path: string, headers: Record<string, string> = {}) =>
  ok(await app.inject({ url: path, headers: { ...shown, ...headers } })).body
const startOf = (html: string) => JSON.parse(/id="start">(.*?)<\/script>/s.exec(html)![1]!)
const viewsOf = async (id: string) => (await maker.call('GET', `/${id}/from-owner`)).json().views

const [photo] = await maker.share('iceland', { 'photo.jpg': 'x', 'north/fjord.bin': 'yy' }, { name: 'Iceland' })
await maker.share('locked', { 'secret.txt': 'x' }, { name: 'Locked', security: { password: 'open it' } })
await maker.share('once', { 'secret.txt': 'x' }, { name: 'Once', security: { maxViews: 1 } })
ok(await maker.create('unsent', { name: 'Unsent' }))

t.test('prerenders the page of a public share', async (t) => {
  const page = await open('/share/iceland')
  t.match(page, '<h1 class="own-words">Iceland</h1>')
  t.match(page, /<span>2 files<\/span><span>3 B<\/span>/)
  t.match(page, `href="/api/shares/iceland/files/${photo}?download=false"`)
  t.match(page, `href="/api/shares/iceland/files/${photo}" download=""`)
  t.match(page, 'href="/share/iceland?folder=north"')
  t.match(page, 'href="/api/shares/iceland/files/zip" download=""')
  t.notMatch(page, /aria-busy="|<noscript/, 'it works without JavaScript')
  const folder = await open('/share/iceland?folder=north&utm_source=x')
  t.match(folder, 'fjord.bin')
  t.notMatch(folder, 'photo.jpg</bdi>')
  t.match(startOf(await open('/share/iceland?folder=a&folder=b')).share, { folder: '' })
  t.match(startOf(page).share, {
    access: 'granted',
    share: (await sharing(app, await sharing(app).unlock('iceland')).call('GET', '/iceland')).json(),
    metaData: { isZipReady: true },
    entered: false,
  })
})

t.test('counts no view, and lets the visitor download the files', async (t) => {
  const before = await viewsOf('iceland')
  await open('/share/iceland')
  t.equal(await viewsOf('iceland'), before)
  t.equal((await sharing(app).call('GET', `/iceland/files/${photo}`)).body, 'x')
  t.equal(await viewsOf('iceland'), before + 1, 'a download counts as a visit')
})

t.test('shows that a link needs a code by email, and nothing of the share', async (t) => {
  await addVerifiedLink(ctx, 'iceland', 'for-ann', 'ann@example.com')
  const page = await open('/share/for-ann')
  t.same(startOf(page).share, { access: 'code' })
  t.notMatch(page, /Iceland|photo\.jpg|alice|ann@/)
  t.match(startOf(await open('/share/for-ann', alice)).share, { access: 'granted' }, 'but its owner sees it')
})

t.test('prerenders the page of each link by its own rules, without the id of the share', async (t) => {
  ok(await maker.call('POST', '/iceland/links', { id: 'for-bob', maxDownloads: 2 }))
  ok(await maker.call('POST', '/iceland/links', { id: 'for-eve', password: 'open it' }))
  const page = await open('/share/for-bob')
  t.match(page, '<h1 class="own-words">Iceland</h1>')
  t.match(page, `href="/api/shares/for-bob/files/${photo}" download=""`)
  t.match(page, 'href="/share/for-bob?folder=north"')
  t.notMatch(page, /shares?\/iceland|"id":"iceland"/)
  t.match(startOf(page).share, { access: 'granted', share: { id: 'for-bob', downloadsLeft: 2 }, metaData: { id: 'for-bob' } })
  t.match(startOf(await open('/share/for-eve')).share, { access: 'password' })
  const own = await open('/share/for-eve', alice)
  t.match(startOf(own).share, { ownId: 'iceland', share: { id: 'for-eve' } })
  t.match(own, 'href="/share/iceland/edit"', 'its creator edits the share itself')
  const unlocked = await open('/share/for-eve', await sharing(app).unlock('for-eve', 'open it'))
  t.notMatch(unlocked, /ownId|shares?\/iceland|"id":"iceland"/)
  ok(await maker.call('PATCH', '/iceland/links/for-bob', { enabled: false }))
  t.equal(startOf(await open('/share/for-bob')).share, null)
})

t.test('lets a visitor without an account edit their share from a further link', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const cookies = cookiesOf(ok(await sharing(app).create('guests')))
  const guest = sharing(app, cookies)
  await guest.file('guests', 'a.txt', 'a')
  ok(await guest.call('POST', '/guests/complete'))
  ok(await guest.call('POST', '/guests/links', { id: 'guests-bob' }))
  t.match(startOf(await open('/share/guests-bob', cookies)).share, { ownId: 'guests', share: { id: 'guests-bob' } })
  t.notMatch(await open('/share/guests-bob'), /ownId|shares?\/guests\b(?!-)/)
})

t.test('uses the language of the visitor', async (t) => {
  t.match(await open('/share/iceland', { cookie: 'language=de-DE' }), /<span>2 Dateien<\/span>.*Alle herunterladen/s)
  t.match(await open('/share/iceland', { cookie: 'language=pl-PL' }), '<span>2 pliki</span>')
})

t.test('shows only the password prompt of a share that has to be unlocked or counted first', async (t) => {
  const bare = (html: string) => html.replaceAll(/nonce="[^"]+"/g, '')
  const nothing = bare(await open('/share/not-there-at-all'))
  t.notMatch(nothing, /<h1|class="button/)
  t.match(startOf(nothing).share, null)
  for (const id of ['once', 'unsent']) t.equal(bare(await open(`/share/${id}`)), nothing, id)
  t.equal(bare(await open('/share/locked')), nothing.replace('"share":null', '"share":{"access":"password","encrypted":false}'))
  t.equal(await viewsOf('once'), 0)
})

t.test('asks for the key of an encrypted share with limited views before one is counted', async (t) => {
  await maker.share('sealed', { 'secret.txt': 'x' }, { security: { maxViews: 1 } })
  await ctx.db.updateTable('share').set({ encrypted: true }).where('id', '=', 'sealed').execute()
  t.same(startOf(await open('/share/sealed')).share, { access: 'key', id: 'sealed' })
  t.match(startOf(await open('/share/sealed', await sharing(app).unlock('sealed'))).share, { access: 'granted' })
  t.equal(startOf(await open('/share/sealed')).share, null, 'no view is left')
})

t.test('shows a share at once to its owner and to a visitor who has unlocked it', async (t) => {
  for (const [id, password] of [['locked', 'open it'], ['once']] as const) {
    const page = await open(`/share/${id}`, await sharing(app).unlock(id, password))
    t.match(page, 'secret.txt')
    t.equal(startOf(page).share.entered, true)
  }
  const own = await open('/share/locked', alice)
  t.match(own, 'href="/share/locked/edit"')
  t.notMatch(await open('/share/locked', await sharing(app).unlock('locked', 'open it')), '/edit"')
})

t.test('reveals nothing of the share to link previews and clients that do not render the page', async (t) => {
  for (const headers of [{ accept: 'text/html' }, { accept: 'text/html', 'sec-fetch-mode': 'cors' }])
    t.notMatch((await app.inject({ url: '/share/iceland', headers })).body, /Iceland|photo/)
  const head = /<head>.*<\/head>/s.exec(await open('/share/iceland'))![0]
  t.notMatch(head, /Iceland|photo/, 'and the preview is the same for all')
})

t.test('escapes user-provided text', async (t) => {
  const evil = '<img src=x onerror=alert(1)>"&__nonce__'
  await maker.share('evil', { [evil.replaceAll('/', '')]: 'x', 'a.bin': 'y' }, { name: evil, description: `${evil}</script>` })
  const page = await open('/share/evil')
  t.notMatch(page, '<img src=x')
  t.match(page, '<h1 class="own-words">&lt;img src=x onerror=alert(1)&gt;&quot;&amp;__nonce__</h1>')
  t.equal(startOf(page).share.share.name, evil)
})

t.test('does not offer an archive that is being built', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 6)
  await maker.share('packed', { 'a.txt': 'a', 'b.txt': 'b' })
  const page = await open('/share/packed')
  t.match(page, /<button type="button" class="button button-large button-primary" disabled="">.*Preparing… 0%/s)
  t.notMatch(page, 'files/zip')
  await set(ctx, 'share.zipCompressionLevel', 0)
})

t.test('leaves reporting a removed share to the application', async (t) => {
  await maker.share('removed', { 'a.txt': 'a' })
  const cookies = await sharing(app).unlock('removed')
  await ctx.db.updateTable('share').set({ removedReason: 'Not allowed here' }).where('id', '=', 'removed').execute()
  const page = await open('/share/removed', cookies)
  t.equal(startOf(page).share, null)
  t.notMatch(page, /a\.txt|Not allowed/)
})

t.test('shows nothing of a private share to others', async (t) => {
  await maker.share('private', { 'a.txt': 'a' })
  await ctx.db.updateTable('share').set({ private: true }).where('id', '=', 'private').execute()
  t.equal(startOf(await open('/share/private')).share, null)
  t.equal(startOf(await open('/share/private', await signUp(app, 'bob'))).share, null)
  t.match(startOf(await open('/share/private', alice)).share, { share: { id: 'private' } })
})
