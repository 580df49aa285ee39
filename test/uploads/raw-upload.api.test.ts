import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { eventually } from '../support/app/worker.ts'
import { begin, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, set } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const headers = await signUp(app, 'alice')
const port = await listen(app)
const host = `http://127.0.0.1:${port}`
const created = await app.inject({
  method: 'POST',
  url: '/api/auth/tokens',
  headers,
  payload: { name: 'script', scopes: ['shares:write', 'shares:read'] },
})
const bearer = ['-H', `authorization: Bearer ${ok(created).json().token}`]

const put = (path: string, payload: Buffer | string, more: Record<string, string> = {}) =>
  app.inject({ method: 'PUT', url: `/api/upload/${path}`, headers: { ...headers, ...more }, payload })
const bytesOf = async (fileId: string) => {
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', fileId).executeTakeFirstOrThrow()
  return Buffer.concat(await (await ctx.storage.read(objectKey)).toArray())
}
const shares = async () => (await ctx.db.selectFrom('share').select('id').execute()).length

t.test('shares what curl -T sends: a file under its own name, and standard input', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-raw-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const bytes = randomBytes(3_000_000)
  const path = join(folder, 'grüße, 1%22.bin')
  await writeFile(path, bytes)
  const { stdout } = await promisify(execFile)('curl', ['-sfg', ...bearer, '-T', path, `${host}/api/upload/`])
  const { files } = JSON.parse(stdout)
  t.match(files, [{ name: 'grüße, 1%22.bin', size: bytes.length }])
  t.ok((await bytesOf(files[0].id)).equals(bytes))

  const curl = spawn('curl', ['-sf', ...bearer, '-H', 'accept: text/plain', '-T', '-', `${host}/api/upload/folder.tar?name=Backup`])
  for (let n = 0; n < 20; n++) curl.stdin.write(bytes)
  curl.stdin.end()
  const link = (await text(curl.stdout)).trim()
  t.match(link, /^http:\/\/127.0.0.1:\d+\/share\/[^/]+$/)
  const share = await ctx.db.selectFrom('share').selectAll().where('id', '=', link.split('/').at(-1)!).executeTakeFirstOrThrow()
  t.match(share, { name: 'Backup', uploadOpen: false })
  const [file] = await ctx.db.selectFrom('file').selectAll().where('shareId', '=', share.id).execute()
  t.match(file, { name: 'folder.tar', size: 20 * bytes.length })
})

t.test('accepts the options of a form in the query string, and the password in a header', async (t) => {
  const query = 'id=raw&name=Summer&description=d&expiration=2-days&maxViews=3'
  const { files, ...reply } = ok(await put(`a%2Fb.txt?${query}`, 'text', { 'x-share-password': 'a secret' })).json()
  t.match(reply.id, 'raw')
  t.match(files, [{ name: 'a/b.txt', size: 4 }])
  const share = await ctx.db.selectFrom('share').selectAll().where('id', '=', 'raw').executeTakeFirstOrThrow()
  t.match(share, { name: 'Summer', description: 'd', maxViews: 3, passwordHash: /argon2/ })
  t.match(refusal(await put('a?maxViews=x', 'text')), [400, 'validation_failed'])
  t.match((await put('a?expiration=soon', '')).statusCode, 400)
  t.match(refusal(await put('a', 'text', { 'x-share-password': 'x' })), [400, 'validation_failed'])
})

t.test('decodes a password in UTF-8', async (t) => {
  const asNodeReadsIt = Buffer.from('pässwörd 漢').toString('latin1')
  ok(await put('a?id=utf8', 'text', { 'x-share-password': asNodeReadsIt }))
  ok(await put('a?id=latin1', 'text', { 'x-share-password': 'pässwörd' }))
  const unlock = (id: string, password: string) => app.inject({ method: 'POST', url: `/api/shares/${id}/token`, payload: { password } })
  t.equal((await unlock('utf8', 'pässwörd 漢')).statusCode, 200)
  t.equal((await unlock('latin1', 'pässwörd')).statusCode, 200)
})

t.test('refuses unknown options, which would leave a share open, and parts of a file', async (t) => {
  const before = await shares()
  const issuesOf = async (answer: ReturnType<typeof put>) => (await answer).json().issues
  t.match(await issuesOf(put('a?password=secret', 'x')), [{ path: 'password', rule: 'additionalProperties' }])
  t.match(await issuesOf(put('a?maxviews=1', 'x')), [{ path: 'maxviews', rule: 'additionalProperties' }])
  t.match(await issuesOf(put('a', 'x', { 'content-range': 'bytes 3-3/4' })), [{ path: 'content-range' }])
  const form = new FormData()
  form.append('pasword', 'secret')
  form.append('file', new Blob(['x']), 'a')
  const sent = await fetch(`${host}/api/upload`, { method: 'POST', headers, body: form })
  t.match([sent.status, await sent.json()], [400, { issues: [{ path: 'pasword', rule: 'additionalProperties' }] }])
  t.equal(await shares(), before)
})

t.test('shares an empty file, and names of the greatest length', async (t) => {
  t.match(ok(await put('empty', '')).json().files, [{ name: 'empty', size: 0 }])
  const name = `${'漢'.repeat(80)}.txt`
  t.match(ok(await put(encodeURIComponent(name), 'x')).json().files, [{ name }])
})

t.test('keeps nothing of a request that is refused or cut', async (t) => {
  const before = await shares()
  t.same(refusal(await put('..', 'x')), [404, 'not_found'])
  t.same(refusal(await put('%2e%2e%2fx', 'x')), [400, 'file_name_invalid'])
  const visitor = await app.inject({ method: 'PUT', url: '/api/upload/x', payload: 'x' })
  t.same(refusal(visitor), [403, 'unauthenticated_shares_disabled'])
  await set(ctx, 'share.maxSize', 10)
  t.same(refusal(await put('x', 'x'.repeat(11))), [413, 'share_too_large'])
  const unknown = begin(port, '/api/upload/x', { method: 'PUT', headers })
  const answer = new Promise<number | undefined>((resolve) => unknown.once('response', ({ statusCode }) => resolve(statusCode)))
  unknown.end('x'.repeat(11))
  t.equal(await answer, 413)
  await set(ctx, 'share.maxSize', 1_000_000_000)
  const cut = begin(port, '/api/upload/x', { method: 'PUT', headers }).on('error', () => {})
  cut.write('x'.repeat(100_000))
  await eventually(async () => (await shares()) > before, 'the upload has begun')
  cut.destroy()
  await eventually(async () => (await shares()) === before, 'it is removed')
})

t.test('explains how to quote a name with a comma for curl -F', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-raw-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const name of ['a', 'b.txt']) await writeFile(join(folder, name), name)
  const { stdout } = await promisify(execFile)('curl', ['-s', ...bearer, '-F', 'file=@a,b.txt', `${host}/api/upload`], { cwd: folder })
  t.match(JSON.parse(stdout), {
    error: 'validation_failed',
    issues: [{ path: 'file', rule: 'nested_multipart', message: /quotes around/ }],
  })
})
