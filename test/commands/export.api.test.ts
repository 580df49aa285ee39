import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDocument } from '../../uploader/encryption/document.ts'
import { type TestApp, testApp } from '../support/app/app.ts'
import { eventually } from '../support/app/worker.ts'
import { encrypting } from '../support/encrypted-share.ts'
import { startCommand } from '../support/import-command.ts'
import { signUp } from '../support/people/people.ts'
import { sharing } from '../support/sharing.ts'

const run = ({ ctx, database }: TestApp, ...words: string[]) => startCommand(ctx, database, 'export', words).ended
const parsed = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

function temporary(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const listed = (folder: string) =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

async function filled(t: Test) {
  const app = await testApp(t)
  const ann = await signUp(app.app, 'ann')
  const bob = await signUp(app.app, 'bob')
  const long = `${'very '.repeat(30)}long names/${'é'.repeat(100)}.txt`
  await sharing(app.app, ann).share('holiday', { 'photos/a.jpg': 'a photo', 'Photos/A.jpg': 'another', [long]: 'long' })
  await sharing(app.app, bob).share('bobs', { 'b.txt': 'from bob' })
  await sharing(app.app, bob).share('nobodys', { 'c.txt': 'from nobody' })
  await app.ctx.db.updateTable('share').set({ ownerId: null }).where('id', '=', 'nobodys').execute()
  return { app, long }
}

t.test('exports one user into a folder, with names and folders, and without secrets', async (t) => {
  const { app, long } = await filled(t)
  const folder = temporary(t)
  const { code, output, errors } = await run(app, '--user', 'ANN', folder)
  t.equal(code, 0, errors)
  t.match(output, '3 files exported')
  t.same(
    listed(folder),
    [
      'export.json',
      'users/ann/reverse-shares.json',
      'users/ann/shares/holiday/files/Photos/A (1).jpg',
      'users/ann/shares/holiday/files/photos/a.jpg',
      `users/ann/shares/holiday/files/${long}`,
      'users/ann/shares/holiday/share.json',
      'users/ann/user.json',
    ].sort(),
  )
  t.match(parsed(folder, 'users/ann/user.json'), { username: 'ann', email: 'ann@example.com', isAdmin: true, hasPassword: true })
  const share = parsed(folder, 'users/ann/shares/holiday/share.json')
  t.match(share, { link: 'holiday', hasPassword: false, views: 0 })
  for (const { path, name, size, crc32 } of share.files) {
    t.equal(readFileSync(join(folder, 'users/ann/shares/holiday', path)).length, size, name)
    t.match(crc32, /^[0-9a-f]{8}$/)
  }
  const secrets = await app.ctx.db.selectFrom('user').select('passwordHash').execute()
  const texts = listed(folder)
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join()
  for (const { passwordHash } of secrets) t.notOk(texts.includes(passwordHash!))
  t.notMatch(texts, /argon2|[hH]ash"|objectKey|from bob|from nobody/)
})

t.test('exports everything into a tar file that tar reads', async (t) => {
  const { app, long } = await filled(t)
  const folder = temporary(t)
  const file = join(folder, 'all.tar')
  const { code, errors } = await run(app, '--all', file)
  t.equal(code, 0, errors)
  t.notOk(existsSync(`${file}.part`))
  execFileSync('tar', ['-xf', file], { cwd: folder })
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  t.equal(read(`users/ann/shares/holiday/files/${long}`), 'long')
  t.equal(read('users/bob/shares/bobs/files/b.txt'), 'from bob')
  t.equal(read('without-account/nobodys/files/c.txt'), 'from nobody')
  t.match(parsed(folder, 'settings.json'), { 'general.appName': String })
  t.notOk('smtp.password' in parsed(folder, 'settings.json'))
})

t.test('reports files that are damaged or missing, and leaves them out', async (t) => {
  const { app } = await filled(t)
  const folder = temporary(t)
  const files = await app.ctx.db.selectFrom('file').select(['name', 'objectKey']).execute()
  const pathOf = (name: string) => {
    const { objectKey } = files.find((file) => file.name === name)!
    return globSync(`**/${objectKey.split('/').at(-1)}*`, { cwd: app.ctx.env.dataDir })[0]!
  }
  writeFileSync(join(app.ctx.env.dataDir, pathOf('b.txt')), 'from eve')
  rmSync(join(app.ctx.env.dataDir, pathOf('c.txt')))
  const { code, output, errors } = await run(app, '--all', folder)
  t.equal(code, 1)
  t.match(errors, /bobs: "b.txt" is damaged in the store/)
  t.match(errors, /nobodys: "c.txt" is missing in the store/)
  t.match(output, '3 files exported')
  t.notOk(existsSync(join(folder, 'users/bob/shares/bobs/files/b.txt')))
  t.match(parsed(folder, 'users/bob/shares/bobs/share.json'), { files: [{ problem: /damaged/ }] })
})

t.test('ends at a file that the store has cut, and keeps the tar file unfinished', async (t) => {
  const { app } = await filled(t)
  const file = join(temporary(t), 'all.tar')
  const { objectKey } = await app.ctx.db.selectFrom('file').select('objectKey').where('name', '=', 'b.txt').executeTakeFirstOrThrow()
  const [stored] = globSync(`**/${objectKey.split('/').at(-1)}*`, { cwd: app.ctx.env.dataDir })
  writeFileSync(join(app.ctx.env.dataDir, stored!), 'cut')
  const { code, errors } = await run(app, '--all', file)
  t.equal(code, 1)
  t.match(errors, /The export ended at users\/bob\/shares\/bobs\/files\/b\.txt/)
  t.notOk(existsSync(file))
  t.ok(existsSync(`${file}.part`))
})

t.test('continues in a folder after being killed', async (t) => {
  const app = await testApp(t)
  const ann = await signUp(app.app, 'ann')
  const large = 'large '.repeat(10_000_000)
  await sharing(app.app, ann).share('big', { '1': 'one', '2': large, '3': large })
  const folder = temporary(t)
  const first = startCommand(app.ctx, app.database, 'export', ['--all', folder])
  await eventually(
    async () => listed(folder).some((path) => path.endsWith('.part')) && listed(folder).length > 3,
    'the export is under way',
  )
  first.child.kill('SIGKILL')
  await first.ended
  const { code, output } = await run(app, '--all', folder)
  t.equal(code, 0)
  t.match(output, /, [1-3] were already there/)
  t.equal(listed(folder).filter((path) => path.endsWith('.part')).length, 0)
  t.equal(readFileSync(join(folder, 'users/ann/shares/big/files/3'), 'utf8').length, large.length)
  t.match((await run(app, '--all', folder)).output, /^0 files exported .*, 3 were already there/)
})

t.test('reports what it cannot export', async (t) => {
  const app = await testApp(t)
  const folder = temporary(t)
  for (const words of [[], [folder], ['--all', '--user', 'ann', folder], ['--all', folder, 'more'], ['--none', folder]])
    t.match(await run(app, ...words), { code: 2, errors: /^Usage: npm run export/ })
  t.match(await run(app, '--user', 'nobody', folder), { code: 1, errors: /There is no user nobody/ })
})

t.test('exports the links of a share with their rules', async (t) => {
  const app = await testApp(t)
  const ann = sharing(app.app, await signUp(app.app, 'ann'))
  await ann.share('linked', { 'a.txt': 'a' }, { security: { maxDownloads: 3 } })
  const bob = { id: 'for-bob', label: 'Bob', password: 'secret', expiration: '1-day', maxViews: 4, maxDownloads: 2, enabled: false }
  t.equal((await ann.call('POST', '/linked/links', bob)).statusCode, 201)
  t.equal((await ann.call('PATCH', '/linked/links/linked', { label: 'Everyone' })).statusCode, 200)
  t.equal((await ann.call('PATCH', '/linked', { notify: 'first' })).statusCode, 200)
  const folder = temporary(t)
  t.equal((await run(app, '--user', 'ann', folder)).code, 0)
  const share = parsed(folder, 'users/ann/shares/linked/share.json')
  t.match(share, { linkLabel: 'Everyone', linkEnabled: true, maxDownloads: 3, downloads: 0, deleteAfterDownloads: false, notify: 'first' })
  const rules = { label: 'Bob', hasPassword: true, expiresAt: /^20/, maxViews: 4, views: 0, maxDownloads: 2, downloads: 0, enabled: false }
  t.match(share.links, [{ link: 'for-bob', recipient: null, verifyEmail: false, ...rules }])
  t.notMatch(JSON.stringify(share), /argon2/)
})

t.test('exports an encrypted share as it is stored, with its document', async (t) => {
  const app = await testApp(t)
  const { key, content } = await encrypting(app.app, await signUp(app.app, 'ann')).encrypt('private', { 'a.txt': 'text' })
  const folder = temporary(t)
  const { code, errors } = await run(app, '--all', folder)
  t.equal(code, 0, errors)
  const share = parsed(folder, 'users/ann/shares/private/share.json')
  t.match(share, { encrypted: true, name: null, files: [{ name: content.files[0]!.file }] })
  t.same((await openDocument(key, new Uint8Array(Buffer.from(share.document, 'base64')))).content, content)
})
