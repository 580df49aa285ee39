import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { readQuantum } from '../../src/import/filebrowser/quantum.ts'
import { readFileBrowser } from '../../src/import/filebrowser/read.ts'
import { sharedFiles } from '../../src/import/filebrowser/walk.ts'
import { unlimitedUses } from '../../src/reverse-shares/limits.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { copyOfFixture, everything, runImport } from '../support/import-command.ts'
import { headersOf } from '../support/people/people.ts'
import { refusal, sharing } from '../support/sharing.ts'

// test/fixtures/filebrowser was written by FileBrowser 2.63, filebrowser-quantum by FileBrowser
// Quantum 1.5.1, and filebrowser-quantum-2 by its version 2.0.0 from the data of the former.
const quantumFiles = join(import.meta.dirname, '../fixtures/filebrowser-quantum/srv')

const namesOf = ({ files }: { files: { name: string }[] }) => files.map(({ name }) => name).sort()

t.test('imports shared files and folders of FileBrowser, and their old links work', async (t) => {
  const app = await testApp(t)
  const folder = copyOfFixture(t, 'filebrowser')
  const words = ['filebrowser', join(folder, 'filebrowser.db'), '--files', join(folder, 'srv')]
  const before = await everything(app.ctx)
  const dryRun = await runImport(app, words)
  t.equal(dryRun.code, 0, dryRun.errors)
  t.match(dryRun.output, /accounts +2 +0 +0\n/)
  t.match(dryRun.output, /shares +64 +0 +1\n/)
  t.match(dryRun.output, /shares: 31XS73gq \(denied.raw\): none of its files exist/)
  t.same(await everything(app.ctx), before)

  t.match(await runImport(app, [...words, '--apply']), { code: 0, output: /Done\.\n$/, errors: '' })
  const get = (url: string) => app.app.inject({ url, headers: { accept: 'text/html' } })
  const anyone = sharing(app.app)
  const unlocked = sharing(app.app, await anyone.unlock('VtK2tl35'))
  t.same(namesOf((await unlocked.call('GET', '/VtK2tl35')).json()), ['.hidden', '2025/two.jpg', 'one.jpg'], 'without the denied file')
  t.equal((await get('/share/VtK2tl35')).statusCode, 200)
  t.match(await get('/share/VtK2tl35/2025'), { statusCode: 302, headers: { location: '/share/VtK2tl35?folder=2025' } })
  const file = await get('/api/public/dl/VtK2tl35/2025/two.jpg?inline=true')
  t.equal((await get(String(file.headers.location))).body, 'another')
  t.match(await get('/api/public/dl/VtK2tl35'), { headers: { location: '/api/shares/VtK2tl35/files/zip' } })
  const single = await get('/api/public/dl/J3ICasPG/readme.txt')
  t.equal((await get(String(single.headers.location))).body, 'readme')

  for (const path of ['', '/', '/readme.txt', '/other.txt'])
    t.equal((await get(`/api/public/dl/gctpt0_t${path}`)).headers.location, '/share/gctpt0_t', 'reveals no names of a locked share')
  t.same(refusal(await anyone.call('GET', '/gctpt0_t')), [403, 'share_password_required'])
  t.same(refusal(await anyone.call('POST', '/gctpt0_t/token', { password: 'wrong' })), [403, 'wrong_password'])
  t.equal((await anyone.call('POST', '/gctpt0_t/token', { password: 'open sesame' })).statusCode, 200)
  const signedIn = await callsOf(app.app)('POST auth/signIn', { username: 'admin', password: 'penguins swim' })
  t.equal(signedIn.statusCode, 200, 'the bcrypt password works')
  const hashOfAdmin = () => app.ctx.db.selectFrom('user').select('passwordHash').where('username', '=', 'admin').executeTakeFirst()
  t.match(await hashOfAdmin(), { passwordHash: /^\$argon2id\$/ }, 'the sign-in renewed the hash')
  t.equal((await callsOf(app.app)('POST auth/signIn', { username: 'admin', password: 'penguins swim' })).statusCode, 200)
  t.match((await callsOf(app.app, headersOf(signedIn))('GET users/me')).json(), { isAdmin: true, email: 'admin@import.invalid' })
  const after = await everything(app.ctx)
  t.match(await runImport(app, [...words, '--apply']), { code: 0, output: /shares +0 +64 +1\n/ })
  t.same(await everything(app.ctx), after)
})

t.test('does not follow links out of a shared folder of FileBrowser', async (t) => {
  const app = await testApp(t)
  const folder = copyOfFixture(t, 'filebrowser')
  const photos = join(folder, 'srv/photos')
  mkdirSync(join(folder, 'outside'))
  writeFileSync(join(folder, 'outside/secret'), 'secret')
  symlinkSync('../../outside/secret', join(photos, 'leak'))
  symlinkSync('../docs/readme.txt', join(photos, 'other-share'))
  symlinkSync('../../outside', join(photos, 'leaks'))
  symlinkSync('one.jpg', join(photos, 'inside.jpg'))
  const { output } = await runImport(app, ['filebrowser', folder, '--files', join(folder, 'srv'), '--apply'])
  for (const name of ['leak', 'other-share', 'leaks']) t.match(output, `"${name}" does not exist and is skipped`)
  const unlocked = sharing(app.app, await sharing(app.app).unlock('VtK2tl35'))
  t.same(namesOf((await unlocked.call('GET', '/VtK2tl35')).json()), ['.hidden', '2025/two.jpg', 'inside.jpg', 'one.jpg'])
})

t.test('does not follow a link in the path of a share out of the folder of its owner', async (t) => {
  const folder = copyOfFixture(t, 'filebrowser')
  mkdirSync(join(folder, 'outside/photos'), { recursive: true })
  writeFileSync(join(folder, 'outside/photos/secret'), 'secret')
  symlinkSync('../outside', join(folder, 'srv/leak'))
  t.same(await sharedFiles('hash', join(folder, 'srv'), '/leak/photos', () => true), [])
  t.same(await sharedFiles('hash', join(folder, 'srv'), '/leak/photos/secret', () => true), [])
})

t.test('reports damaged and incomplete databases of FileBrowser without a stack', async (t) => {
  const folder = copyOfFixture(t, 'filebrowser')
  const path = join(folder, 'filebrowser.db')
  const bytes = readFileSync(path)
  const damages = [
    bytes.subarray(0, 5000),
    bytes.subarray(0, 3 * 4096),
    Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length)]),
  ]
  for (const damaged of damages) {
    writeFileSync(path, damaged)
    t.throws(() => readFileBrowser(folder, folder), { name: 'StartError', message: /filebrowser\.db cannot be read: .*Stop FileBrowser/ })
  }
})

t.test('refuses a relative root of FileBrowser, which would be a folder of Razorbill', async (t) => {
  const folder = copyOfFixture(t, 'filebrowser')
  const path = join(folder, 'filebrowser.db')
  const bytes = readFileSync(path)
  const rootAt = bytes.indexOf('"root":"/')
  t.ok(rootAt > 0)
  bytes.write('.', rootAt + '"root":"'.length)
  writeFileSync(path, bytes)
  t.throws(() => readFileBrowser(folder, null), { name: 'StartError', message: /root in FileBrowser's database is "\..*--files/ })
  t.ok(readFileBrowser(folder, join(folder, 'srv')).shares.length > 0)
})

for (const [fixture, count] of [
  ['filebrowser-quantum', 3],
  ['filebrowser-quantum-2', 4],
] as const) {
  t.test(`imports shares and upload links of ${fixture}, and their old links work`, async (t) => {
    const app = await testApp(t)
    const folder = copyOfFixture(t, fixture)
    const { code, output, errors } = await runImport(app, ['filebrowser-quantum', folder, '--files', quantumFiles, '--apply'])
    t.equal(code, 0, errors)
    t.match(output, /reverse shares +1 +0 +0\n/)
    t.match(output, new RegExp(`\\nshares +${count} +0 +1\\n`))
    t.match(output, /shares: N8dKhySSL2t126nVjdJYcw \(readme.txt\): only some signed-in users may open it/)
    const get = (url: string) => app.app.inject({ url, headers: { accept: 'text/html' } })
    const photos = 'fG9MMB28kY208cim6clLmw'
    const unlocked = sharing(app.app, await sharing(app.app).unlock(photos))
    const share = (await unlocked.call('GET', `/${photos}`)).json()
    t.match(share, { name: 'Our photos', description: 'From 2025' })
    t.same(namesOf(share), ['2025/two.jpg', 'one.jpg'])
    t.match(await get(`/public/share/${photos}/2025`), { statusCode: 302, headers: { location: `/share/${photos}?folder=2025` } })
    const file = await get(`/public/api/resources/download?hash=${photos}&file=/2025/two.jpg`)
    t.equal((await get(String(file.headers.location))).body, 'another')
    t.match(await get('/public/share/cugeS3Kq7XXPtyvBrr6FvQ'), { headers: { location: '/upload/cugeS3Kq7XXPtyvBrr6FvQ' } })
    t.same(await app.ctx.db.selectFrom('reverseShare').select('maxUses').execute(), [{ maxUses: unlimitedUses }])
    const bob = await callsOf(app.app)('POST auth/signIn', { username: 'bob', password: 'bobs long password' })
    t.match((await sharing(app.app, headersOf(bob)).call('GET', '')).json(), [{ id: 'NazJt4sbFes4sZofrYxXoA' }])
  })
}

t.test('imports what version 2 of FileBrowser Quantum added: numbers of 64 bits and hidden extensions', async (t) => {
  const app = await testApp(t)
  const { output } = await runImport(app, [
    'filebrowser-quantum',
    copyOfFixture(t, 'filebrowser-quantum-2'),
    '--files',
    quantumFiles,
    '--apply',
  ])
  t.match(output, /accounts +3 /)
  const carol = sharing(
    app.app,
    headersOf(await callsOf(app.app)('POST auth/signIn', { username: 'carol', password: 'carols long password' })),
  )
  const [share] = (await carol.call('GET', '')).json()
  t.equal(share.name, 'No pictures')
  t.match(refusal(await sharing(app.app).call('GET', `/${share.id}`)), [403, 'share_password_required'])
  const unlocked = sharing(app.app, await sharing(app.app).unlock(share.id, 'carols share'))
  t.same(namesOf((await unlocked.call('GET', `/${share.id}`)).json()), ['docs/readme.txt'])
})

t.test('imports no share of a source with access rules in version 2 of FileBrowser Quantum', async (t) => {
  const folder = copyOfFixture(t, 'filebrowser-quantum-2')
  const database = new DatabaseSync(join(folder, 'filebrowser.sqlite'))
  const rule = JSON.stringify({ denyAll: true, Deny: {}, Allow: {} })
  database.prepare("insert into access_rules (source, path, rule_data) select distinct source, '/docs/', ? from shares").run(rule)
  database.close()
  const { shares } = readQuantum(folder, quantumFiles)
  t.ok(shares.length > 0)
  for (const { problem } of shares) t.match(problem, /its source has access rules|only some signed-in users/)
})

t.test('reports a damaged database of version 2 of FileBrowser Quantum without a stack', async (t) => {
  const folder = copyOfFixture(t, 'filebrowser-quantum-2')
  const path = join(folder, 'filebrowser.sqlite')
  writeFileSync(path, readFileSync(path).subarray(0, 5000))
  t.throws(() => readQuantum(folder, null), {
    name: 'StartError',
    message: /filebrowser\.sqlite cannot be read: .*Stop FileBrowser Quantum/,
  })
})
