import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sealDocument } from '../../uploader/encryption/document.ts'
import { linkWithKey } from '../../uploader/encryption/link-key.ts'
import { segmentContent } from '../../uploader/encryption/segments.ts'
import { eventually } from '../support/app/worker.ts'
import { installation, Machine } from '../support/command.ts'
import { encrypting } from '../support/encrypted-share.ts'
import { generated } from '../support/sealed.ts'

const MiB = 1_048_576
/** Requests that are answered with an error, and how often. */
let failing: { pattern: RegExp; times: number } | null = null
const asked: { file: string; range: string | undefined }[] = []
const { app, ctx, url, alice, token } = await installation(t, (app) => {
  app.addHook('onRequest', async (request, reply) => {
    const [, file] = /\/files\/([^/]+)$/.exec(request.url) ?? []
    if (file && request.method === 'GET') asked.push({ file, range: request.headers.range })
    if (!failing?.pattern.test(`${request.method} ${request.url}`) || failing.times-- <= 0) return
    return reply.code(503).send({})
  })
})
t.beforeEach(() => asked.splice(0))
const owner = encrypting(app, alice)
const visitor = encrypting(app)
const long = Buffer.from(generated('long', 9 * MiB))
const storedBytes = async (share: string) => {
  const files = await ctx.db
    .selectFrom('file')
    .select(['id', 'name', 'objectKey', 'size'])
    .where('shareId', '=', share)
    .orderBy('size')
    .execute()
  return files
}

/** A machine that is signed in as alice, with files to send. */
function sender() {
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: url, RAZORBILL_TOKEN: token }
  mkdirSync(join(own.files, 'photos'))
  writeFileSync(join(own.files, 'photos/ü.txt'), 'small text')
  writeFileSync(join(own.files, 'photos/empty'), '')
  writeFileSync(join(own.files, 'photos/long.bin'), long)
  return own
}

t.test('uploads a folder encrypted, and downloads it with the whole link only', async (t) => {
  const own = sender()
  const sent = await own.run('up', 'photos', '--encrypt', '--name', 'Holiday', '--description', 'for you')
  t.equal(sent.code, 0, sent.err)
  const link = sent.out.trim()
  t.match(link, /\/share\/[\w-]+#k=[\w-]{43}$/)
  const reader = new Machine(t)
  const got = await reader.run('get', link, '--json')
  t.equal(got.code, 0, got.err)
  t.match(JSON.parse(got.out), { name: 'Holiday', size: long.length + 10 })
  t.ok(readFileSync(join(reader.files, 'photos/long.bin')).equals(long))
  t.equal(readFileSync(join(reader.files, 'photos/ü.txt'), 'utf8'), 'small text')
  t.equal(statSync(join(reader.files, 'photos/empty')).size, 0)
  const other = new Machine(t)
  t.match(await other.run('get', link.split('#')[0]!), { code: 5, err: /is encrypted. Use its whole link/ })
  t.match(await other.run('get', `${link.slice(0, -43)}${'A'.repeat(43)}`), { code: 5, err: /key or the password is wrong/ })
  t.match(await other.run('get', link.slice(0, -1)), { code: 2, err: /key in the link is incomplete/ })
  t.same(readdirSync(other.files), [])
  t.match(await other.run('get', link, 'photos/ü.txt'), { code: 0, err: /1 file \(10 B\)/ })
})

t.test('a password is needed beside the link, and the server does not learn it', async (t) => {
  const own = sender()
  const { out, err, code } = await own.run('up', 'photos/ü.txt', '--encrypt', '--password=correct horse')
  t.equal(code, 0, err)
  const link = out.trim()
  const reader = new Machine(t)
  t.match(await reader.run('get', link), { code: 5, err: /needs a password/ })
  t.match(await reader.run('get', link, '--password=wrong'), { code: 5, err: /Invalid password/ })
  t.same(readdirSync(reader.files), [])
  t.match(await reader.run('get', link, '--password=correct horse'), { code: 0 })
  t.match(await reader.start(['get', link, '--password', '-f'], 'correct horse\n').ended, { code: 0 })
  t.equal(readFileSync(join(reader.files, 'ü.txt'), 'utf8'), 'small text')
  t.match(await own.run('get', link, '-o', 'back', '--password=correct horse'), { code: 0 }, 'the owner passes the gate without it')
  t.match(await own.run('get', link, '-o', 'none', '--password=wrong'), { code: 5, err: /key or the password is wrong/ })
})

t.test('continues an upload with the same keys, and encrypts a changed file under a new name', async (t) => {
  const own = sender()
  failing = { pattern: /^PUT .*\/parts\/2$/, times: 1_000 }
  const running = own.start(['up', 'photos', '--encrypt', '-e', '2d'])
  await eventually(async () => (await ctx.db.selectFrom('filePart').select('number').execute()).length > 0, 'a part has arrived')
  running.child.kill('SIGKILL')
  await running.ended
  failing = null
  const { id } = await ctx.db.selectFrom('share').select('id').where('completedAt', 'is', null).executeTakeFirstOrThrow()
  const before = await storedBytes(id)
  writeFileSync(join(own.files, 'photos/ü.txt'), 'other text')
  const { out, err, code } = await own.run('resume')
  t.equal(code, 0, err)
  const after = await storedBytes(id)
  t.equal(after.length, 3)
  t.equal(after.at(-1)!.name, before.at(-1)!.name, 'the long file was continued')
  const names = (files: typeof after) => files.map(({ name }) => name)
  t.equal(names(after).filter((name) => names(before).includes(name)).length, 2)
  const reader = new Machine(t)
  t.match(await reader.run('get', out.trim()), { code: 0 })
  t.ok(readFileSync(join(reader.files, 'photos/long.bin')).equals(long))
  t.equal(readFileSync(join(reader.files, 'photos/ü.txt'), 'utf8'), 'other text')
})

t.test('sends the document again when its response is lost', async (t) => {
  const own = sender()
  failing = { pattern: /^POST .*\/complete$/, times: 1 }
  const { out, err, code } = await own.run('up', 'photos/ü.txt', '--encrypt')
  failing = null
  t.equal(code, 0, err)
  t.match(await new Machine(t).run('get', out.trim()), { code: 0 })
})

t.test('resumes a download at a whole segment', async (t) => {
  const { linkKey, fileIds } = await owner.encrypt('resumed', { 'long.txt': long.toString('latin1') })
  const content = Buffer.from(long.toString('latin1'))
  const link = linkWithKey(`${url}/share/resumed`, linkKey)
  const reader = new Machine(t)
  const part = join(reader.files, `.${fileIds[0]}.part`)
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const running = reader.start(['get', link])
  await eventually(() => sizeOf(part) > 2 * MiB, 'some of it is here')
  running.child.kill('SIGKILL')
  await running.ended
  const had = sizeOf(part)
  asked.splice(0)
  t.match(await reader.run('get', link), { code: 0 })
  t.same(
    asked.map(({ range }) => range),
    [`bytes=${Math.floor(Math.min(had, content.length - 1) / segmentContent) * MiB}-`],
  )
  t.ok(readFileSync(join(reader.files, 'long.txt')).equals(content))
  t.same(readdirSync(reader.files), ['long.txt'])
})

t.test('what the server has changed is an error of that file, and the others are saved', async (t) => {
  const { linkKey, key, content } = await owner.encrypt('tampered', { 'a.txt': 'first text', 'b.txt': 'other text', 'c.txt': 'third text' })
  const link = linkWithKey(`${url}/share/tampered`, linkKey)
  const [a, b] = await storedBytes('tampered')
  await ctx.db
    .updateTable('file')
    .set({ objectKey: `${a!.objectKey}-old` })
    .where('id', '=', a!.id)
    .execute()
  await ctx.db.updateTable('file').set({ objectKey: a!.objectKey, crc32: null }).where('id', '=', b!.id).execute()
  await ctx.db.updateTable('file').set({ objectKey: b!.objectKey, crc32: null }).where('id', '=', a!.id).execute()
  const reader = new Machine(t)
  const swapped = content.files.filter(({ file }) => [a!.name, b!.name].includes(file)).map(({ name }) => name)
  const { code, err } = await reader.run('get', link)
  t.equal(code, 1)
  for (const name of swapped) t.match(err, `${name}: The file has been changed or damaged`)
  t.same(
    readdirSync(reader.files),
    content.files.map(({ name }) => name).filter((name) => !swapped.includes(name)),
  )
  const { rawPayload } = await visitor.call('GET', '/tampered/document', undefined, await visitor.unlock('tampered'))
  const document = Buffer.from(rawPayload)
  document[document.length - 1]! ^= 1
  await ctx.db.updateTable('shareDocument').set({ published: document }).where('shareId', '=', 'tampered').execute()
  t.match(await reader.run('get', link, '-f'), { code: 1, err: /list of files has been changed or damaged/ })
  t.ok(key)
})

t.test('an older document than before is refused', async (t) => {
  const { linkKey, key, content } = await owner.encrypt('older', { 'a.txt': 'text' })
  const link = linkWithKey(`${url}/share/older`, linkKey)
  const published = async (revision: number) => Buffer.from(await sealDocument(key, revision, content))
  const replace = async (revision: number) =>
    ctx.db
      .updateTable('shareDocument')
      .set({ published: await published(revision) })
      .where('shareId', '=', 'older')
      .execute()
  const reader = new Machine(t)
  await replace(5)
  t.match(await reader.run('get', link), { code: 0 })
  await replace(4)
  t.match(await reader.run('get', link, '-f'), { code: 1, err: /older list of files than before/ })
  await replace(6)
  t.match(await reader.run('get', link, '-f'), { code: 0 })
  const later = await published(7)
  later[0] = 2
  await ctx.db.updateTable('shareDocument').set({ published: later }).where('shareId', '=', 'older').execute()
  t.match(await reader.run('get', link, '-f'), { code: 1, err: /later version of Razorbill/ })
})
