import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../support/app/worker.ts'
import { installation, Machine } from '../support/command.ts'
import { addVerifiedLink, mailedCode } from '../support/email-codes.ts'
import { sharing } from '../support/sharing.ts'
import { switchMailOn } from '../support/smtp.ts'

const MiB = 1_048_576
/** The byte ranges that were requested of the files. */
const asked: { file: string; range: string | undefined; status: number }[] = []

const { app, ctx, url, alice, token } = await installation(t, (app) => {
  app.addHook('onResponse', async (request, reply) => {
    const [, file] = /\/files\/([^/]+)$/.exec(request.url) ?? []
    if (file && request.method === 'GET') asked.push({ file, range: request.headers.range, status: reply.statusCode })
  })
})
t.beforeEach(() => asked.splice(0))
const owner = sharing(app, alice)
const viewsOf = async (id: string) => (await owner.call('GET', `/${id}/from-owner`)).json().views

t.test('downloads all files with their folders and counts one view', async (t) => {
  const own = new Machine(t)
  const photo = Buffer.alloc(3 * MiB, 'photo')
  await owner.share('holiday', { 'photos/a.jpg': photo, 'photos/deep/b': 'b', empty: '', 'x.txt': 'x' })
  const { code, out, err } = await own.run('get', `${url}/share/holiday`, '-o', 'into/here', '--json')
  t.equal(code, 0, err)
  const into = join(own.files, 'into/here')
  t.same(readFileSync(join(into, 'photos/a.jpg')), photo)
  t.equal(readFileSync(join(into, 'photos/deep/b'), 'utf8'), 'b')
  t.equal(statSync(join(into, 'empty')).size, 0)
  t.same(readdirSync(into).sort(), ['empty', 'photos', 'x.txt'])
  const output = JSON.parse(out)
  t.match(output, { id: 'holiday', folder: into, size: 3 * MiB + 2 })
  t.same(
    output.files.find(({ name }: { name: string }) => name === 'x.txt'),
    { name: 'x.txt', path: join(into, 'x.txt'), size: 1, here: false },
  )
  t.equal(await viewsOf('holiday'), 1)
  t.same(readdirSync(join(own.folder, '.local/state/razorbill/downloads')), [], 'no transfer is left to resume')
})

t.test('downloads only the files and folders named, and the file that a link opens', async (t) => {
  const own = new Machine(t)
  const [, , xId] = await owner.share('some', { 'photos/a.jpg': 'a', 'photos-old/b.jpg': 'b', 'x.txt': 'x', 'y.txt': 'y' })
  const link = `${url}/share/some`
  t.match(await own.run('get', link, 'photos/', './x.txt', '-o', 'two'), { code: 0, err: /2 files/ })
  t.same(readdirSync(join(own.files, 'two')).sort(), ['photos', 'x.txt'])
  t.same(readdirSync(join(own.files, 'two/photos')), ['a.jpg'])
  t.match(await own.run('get', link, '-o', 'two'), { code: 0 }, 'the rest, beside what it has downloaded before')
  t.same(readdirSync(join(own.files, 'two')).sort(), ['photos', 'photos-old', 'x.txt', 'y.txt'])
  t.match(await own.run('get', link, 'x.txt', 'nothing', '-o', 'none'), { code: 4, err: /no file or folder named nothing/ })
  t.notOk(readdirSync(own.files).includes('none'), 'nothing was written')
  t.match(await own.run('get', `${link}?preview=${xId}`, '-o', 'one'), { code: 0, err: /1 file / })
  t.same(readdirSync(join(own.files, 'one')), ['x.txt'])
  t.match(await own.run('get', `${link}?preview=00000000-0000-0000-0000-000000000000`), { code: 4 })
})

t.test('counts no view for the owner, and resolves a bare id at the signed-in server', async (t) => {
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: url, RAZORBILL_TOKEN: token }
  await owner.share('mine', { a: 'a' })
  t.match(await own.run('get', 'mine'), { code: 0, out: '', err: /1 file \(1 B\) in / })
  t.equal(readFileSync(join(own.files, 'a'), 'utf8'), 'a')
  t.equal(await viewsOf('mine'), 0)
  t.match(await own.run('get', `${url}/s/mine`, '-o', 'two'), { code: 0 })
})

t.test('sends a token to no other server', async (t) => {
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: 'http://localhost:9', RAZORBILL_TOKEN: token }
  await owner.share('foreign', { a: 'a' })
  t.match(await own.run('get', `${url}/share/foreign`), { code: 0 })
  t.equal(await viewsOf('foreign'), 1, 'the request was anonymous')
})

t.test('reports a required password by exit code, reads it from a command and tries it once', async (t) => {
  const own = new Machine(t)
  await owner.share('secret', { a: 'a' }, { security: { password: 'open sesame' } })
  const link = `${url}/share/secret`
  t.match(await own.run('get', link), { code: 5, err: /needs a password/ })
  t.match(await own.run('get', link, '--password=wrong'), { code: 5, err: /Invalid password/ })
  t.same(readdirSync(own.files), [])
  t.match(await own.run('get', link, '--password=open sesame'), { code: 0 })
  t.match(await own.start(['get', link, '--password', '-f'], 'open sesame\n').ended, { code: 0 })
  t.equal(readFileSync(join(own.files, 'a'), 'utf8'), 'a')
})

t.test('asks for the code by email on a terminal, once for a download that is continued', async (t) => {
  const own = new Machine(t)
  await switchMailOn(ctx, 9)
  const [first, second] = await owner.share('private', { a: 'a', b: 'b' })
  await addVerifiedLink(ctx, 'private', 'for-ann', 'ann@example.com')
  const link = `${url}/share/for-ann`
  t.match(await own.run('get', link), { code: 5, err: /code that is sent by email\. Run the command in a terminal/ })
  t.same(await ctx.db.selectFrom('emailCode').selectAll().execute(), [], 'no code was sent')
  const { child, ended } = own.startInTerminal(['get', link, 'a'])
  let shown = ''
  child.stdout!.on('data', (text: string) => (shown += text))
  await eventually(() => shown.includes('Code that was emailed to you: '), 'it asks')
  const code = await mailedCode(ctx, 'ann@example.com')
  child.stdin!.write('12345\n')
  await eventually(() => shown.includes('six digits'), 'it explains')
  child.stdin!.write(`${code === '000000' ? '111111' : '000000'}\n`)
  await eventually(() => shown.includes('This code is wrong'), 'it asks again')
  child.stdin!.write(`${code.slice(0, 3)} ${code.slice(3)}\n`)
  t.match(await ended, { code: 0 })
  t.equal(readFileSync(join(own.files, 'a'), 'utf8'), 'a')
  t.match(await own.run('get', link), { code: 0 }, 'the rest')
  t.same(readdirSync(own.files).sort(), ['a', 'b'])
  t.equal(asked.filter(({ file, status }) => status === 200 && [first, second].includes(file)).length, 2)
})

t.test('resumes at the same byte after a kill, and counts no second view', async (t) => {
  const own = new Machine(t)
  const [first, second] = [Buffer.alloc(2 * MiB, 'first'), Buffer.alloc(64 * MiB, 'second')]
  const [, bigId] = await owner.share('big', { first, second }, { security: { maxViews: 1 } })
  const part = join(own.files, `.${bigId}.part`)
  const running = own.start(['get', `${url}/share/big`])
  await eventually(() => sizeOf(part) > MiB, 'some of it is here')
  running.child.kill('SIGKILL')
  await running.ended
  const had = sizeOf(part)
  if (had === second.length) t.comment('it was too fast to be killed in the middle')
  await eventually(() => asked.length > 0, 'the server has noticed')
  asked.splice(0)
  const { code, err } = await own.run('get', `${url}/share/big`)
  t.equal(code, 0, err)
  const range = `bytes=${Math.min(had, second.length - 1)}-`
  t.same(
    asked.filter(({ file }) => file === bigId),
    [{ file: bigId, range, status: 206 }],
  )
  t.ok(readFileSync(join(own.files, 'first')).equals(first))
  t.ok(readFileSync(join(own.files, 'second')).equals(second))
  t.same(readdirSync(own.files).sort(), ['first', 'second'])
  t.equal(await viewsOf('big'), 1)
})

t.test('keeps existing files unless --force is set', async (t) => {
  const own = new Machine(t)
  await owner.share('over', { a: 'new', b: 'b' })
  writeFileSync(join(own.files, 'a'), 'old')
  const refused = await own.run('get', `${url}/share/over`, '--json')
  t.match([refused.code, JSON.parse(refused.err)], [6, { error: 'file_exists', files: ['a'], exitCode: 6 }])
  t.match(refused.err, /a exists already\. Replace it with --force/)
  t.same(readdirSync(own.files), ['a'], 'no file was written')
  writeFileSync(join(own.files, 'b'), 'old')
  t.match(await own.run('get', `${url}/share/over`), { code: 6, err: /a and 1 more exist already\. Replace them with --force/ })
  t.match(await own.run('get', `${url}/share/over`, '--force'), { code: 0 })
  t.equal(readFileSync(join(own.files, 'a'), 'utf8'), 'new')
})

t.test('keeps unsafe names that an older server accepted inside the folder', async (t) => {
  const own = new Machine(t)
  const names = ['../../escaped', '/etc/absolute', 'a/../../b', '..', 'C:\\windows\\x', 'con', 'same', 'SAME', 'same/inner']
  const ids = await owner.share('evil', Object.fromEntries(names.map((_, index) => [`f${index}`, `content ${index}`])))
  for (const [index, name] of names.entries()) {
    await ctx.db.updateTable('file').set({ name }).where('id', '=', ids[index]!).execute() // no call accepts it
  }
  const { code, out, err } = await own.run('get', `${url}/share/evil`, '-o', 'in', '--json')
  t.equal(code, 0, err)
  const inside = join(own.files, 'in')
  const { files } = JSON.parse(out) as { files: { name: string; path: string }[] }
  t.ok(files.every(({ path }) => path.startsWith(`${inside}/`)))
  t.same(readdirSync(own.files), ['in'])
  const all = readdirSync(inside, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  t.equal(all.length, names.length, 'no file replaced another')
  t.equal(readFileSync(join(inside, 'escaped'), 'utf8'), 'content 0')
  t.equal(readFileSync(join(inside, 'etc/absolute'), 'utf8'), 'content 1')
})

t.test('does not follow symbolic links in the folder', async (t) => {
  const own = new Machine(t)
  await owner.share('links', { 'photos/a': 'new', b: 'b' })
  mkdirSync(join(own.folder, 'outside'))
  mkdirSync(join(own.files, 'in'))
  symlinkSync(join(own.folder, 'outside'), join(own.files, 'in/photos'))
  for (const force of [[], ['--force']]) {
    t.match(await own.run('get', `${url}/share/links`, '-o', 'in', ...force), { code: 6, err: /in\/photos is in the way/ })
  }
  t.same(readdirSync(join(own.folder, 'outside')), [])
  mkdirSync(join(own.files, 'other'))
  writeFileSync(join(own.folder, 'outside/kept'), 'kept')
  symlinkSync(join(own.folder, 'outside/kept'), join(own.files, 'other/b'))
  t.match(await own.run('get', `${url}/share/links`, '-o', 'other', '--force'), { code: 6, err: /other\/b is in the way/ })
  t.equal(readFileSync(join(own.folder, 'outside/kept'), 'utf8'), 'kept')
  t.equal(readlinkSync(join(own.files, 'other/b')), join(own.folder, 'outside/kept'))
  t.ok(lstatSync(join(own.files, 'in/photos')).isSymbolicLink())
})

t.test('exits with 4 for a missing share and 5 for one that is no longer accessible', async (t) => {
  const own = new Machine(t)
  t.match(await own.run('get', `${url}/share/nothing`), { code: 4, err: /Share not found/ })
  await owner.share('once', { a: 'a' }, { security: { maxViews: 1 } })
  t.match(await own.run('get', `${url}/share/once`), { code: 0 })
  t.match(await own.run('get', `${url}/share/once`, '--force'), { code: 5, err: /limit/ })
  t.match(await own.run('get', 'once'), { code: 3, err: /razorbill login/ })
  t.match(await own.run('get', 'http://127.0.0.1:9/share/once'), { code: 7 })
})

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
