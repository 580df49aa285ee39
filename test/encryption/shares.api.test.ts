import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { changeDocument, type DocumentStore } from '../../uploader/encryption/change-document.ts'
import { sealDocument } from '../../uploader/encryption/document.ts'
import { newSealedName, shareKeyOf } from '../../uploader/encryption/keys.ts'
import { newLinkKey } from '../../uploader/encryption/link-key.ts'
import type { ShareContent } from '../../uploader/encryption/share-content.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { encrypting } from '../support/encrypted-share.ts'
import { file, form, formType } from '../support/form.ts'
import { answerTo, begin, listen } from '../support/listening.ts'
import { packBody, sendPack } from '../support/packs.ts'
import { signUp } from '../support/people/people.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t, { queue: waitingJobs() })
const headers = await signUp(app, 'alice')
const alice = encrypting(app, headers)
const visitor = encrypting(app)
const key = await shareKeyOf(newLinkKey())
const sealed = (revision: number, files: object[] = []) =>
  sealDocument(key, revision, { name: null, description: null, kind: 'files', files: files as never })
const draftsOf = (id: string): DocumentStore => ({
  load: async () => new Uint8Array(ok(await alice.call('GET', `/${id}/document/draft`)).rawPayload),
  store: async (document) => {
    const answer = (await alice.put(id, document)).json()
    return answer.error ? answer.revision : null
  },
})
const issueOf = (answer: Awaited<ReturnType<typeof alice.call>>) => answer.json().issues?.[0]?.path

t.test('visitors with the key read names and contents, and the server sends only what it can store', async (t) => {
  const { key, fileIds } = await alice.encrypt(
    'plain',
    { 'a/ü.txt': 'first text', 'empty.txt': '' },
    { name: 'Holiday', description: 'two\nlines' },
  )
  const { page, document, texts } = await visitor.open('plain', key)
  t.match(document, { revision: 1, content: { name: 'Holiday', description: 'two\nlines' } })
  t.same(texts, { 'a/ü.txt': 'first text', 'empty.txt': '' })
  t.match(page, { encrypted: true, name: null, description: null, hasPassword: false })
  t.same(page.files.map(({ size }: { size: string }) => size).sort(), ['32', '42'])
  t.equal(fileIds.length, 2)
  t.match((await alice.call('GET', '')).json()[0], { id: 'plain', encrypted: true, name: null })
  t.match((await alice.call('GET', '/plain/from-owner')).json(), { encrypted: true })
})

t.test('nothing of a share with a password is sent before it is unlocked', async (t) => {
  const { key, fileIds } = await alice.encrypt('locked', { 'a.txt': 'secret' }, { password: 'correct horse' })
  for (const path of ['', '/document', '/metaData']) {
    t.same(refusal(await visitor.call('GET', `/locked${path}`)), [403, 'share_password_required'], path)
  }
  t.same(refusal(await visitor.call('GET', `/locked/files/${fileIds[0]}`)), [403, 'share_password_required'])
  t.same(refusal(await visitor.call('POST', '/locked/token', { password: 'correct horse' })), [403, 'wrong_password'])
  t.same((await visitor.open('locked', key)).texts, { 'a.txt': 'secret' })
})

t.test('the document is refused to visitors without a token, of missing and of plain shares', async (t) => {
  t.same(refusal(await visitor.call('GET', '/plain/document')), [403, 'share_token_required'])
  t.same(refusal(await visitor.call('GET', '/unknown/document')), [404, 'share_not_found'])
  const owner = sharing(app, headers)
  await owner.share('readable', { 'a.txt': 'text' })
  t.same(refusal(await owner.call('GET', '/readable/document')), [404, 'document_not_found'])
  t.same(refusal(await owner.call('GET', '/readable/document/draft')), [404, 'document_not_found'])
  t.same(refusal(await alice.put('readable', await sealed(1))), [400, 'share_not_encrypted'])
  t.same(refusal(await visitor.call('GET', '/plain/document/draft')), [401, 'unauthorized'])
  t.same(refusal(await visitor.put('plain', await sealed(2))), [401, 'unauthorized'])
})

t.test('a share accepts nothing that the server could read', async (t) => {
  t.equal(issueOf(await alice.create('readable-1', { name: 'Holiday' })), 'name')
  t.equal(issueOf(await alice.create('readable-1', { description: 'text' })), 'description')
  t.equal(issueOf(await alice.create('readable-1', { kind: 'text' })), 'kind')
  ok(await alice.create('private'))
  for (const name of ['holiday.jpg', 'A'.repeat(21), `${'A'.repeat(21)}B`, 'A'.repeat(23)]) {
    t.match((await alice.announce('private', name, 5)).json(), { error: 'file_name_invalid', rule: 'not_encrypted' }, name)
    const pack = await sendPack(app, headers, 'private', packBody([{ name, bytes: 'text' }]))
    t.match(pack.json(), { error: 'file_name_invalid', rule: 'not_encrypted', file: 0 })
    const chunk = await app.inject({
      method: 'POST',
      url: `/api/shares/private/files?name=${name}&chunkIndex=0&totalChunks=1`,
      headers: { 'content-type': 'application/octet-stream', ...headers },
      payload: Buffer.from('text'),
    })
    t.match(chunk.json(), { error: 'file_name_invalid', rule: 'not_encrypted' })
  }
  const name = newSealedName()
  t.equal(issueOf(await alice.call('POST', '/private/files', { name, size: 5, type: 'image/jpeg' })), 'type')
  const { id } = ok(await alice.announce('private', name, 5)).json()
  t.same(refusal(await alice.call('PATCH', `/private/files/${id}`, { name: 'holiday.jpg' })), [400, 'file_name_invalid'])
  t.equal(issueOf(await alice.call('PATCH', '/private', { name: 'Holiday' })), 'name')
  t.equal(issueOf(await alice.call('PATCH', '/private', { description: 'text' })), 'description')
  t.equal(issueOf(await alice.call('PATCH', '/private', { password: 'correct horse' })), 'password')
  ok(await alice.call('PATCH', '/private', { maxViews: 5 }))
})

t.test('a share is completed only with its document, whose revisions follow each other', async (t) => {
  ok(await alice.create('revisions'))
  const { described } = await alice.upload('revisions', key, 'a.txt', new TextEncoder().encode('text'))
  t.same(refusal(await alice.call('POST', '/revisions/complete')), [400, 'document_missing'])
  t.match((await alice.put('revisions', await sealed(2))).json(), { error: 'document_outdated', revision: 0 })
  t.same(ok(await alice.put('revisions', await sealed(1, [described]))).json(), { revision: 1 })
  t.match((await alice.put('revisions', await sealed(1))).json(), { statusCode: 409, error: 'document_outdated', revision: 1 })
  ok(await alice.call('POST', '/revisions/complete'))
  t.same(refusal(await alice.put('revisions', await sealed(2))), [400, 'share_already_completed'])
})

t.test('visitors see the document of an edited share once it is saved', async (t) => {
  const revisionFor = async () => (await visitor.open('revisions', key)).document.revision
  const draftRevision = async () => ok(await alice.call('GET', '/revisions/document/draft')).rawPayload.readUInt32BE(1)
  ok(await alice.call('DELETE', '/revisions/complete'))
  ok(await alice.put('revisions', await sealed(2)))
  t.equal(await revisionFor(), 1)
  t.equal(await draftRevision(), 2)
  ok(await alice.call('POST', '/revisions/restore'))
  t.equal(await revisionFor(), 1)
  t.equal(await draftRevision(), 1)
  ok(await alice.call('DELETE', '/revisions/complete'))
  t.match((await alice.put('revisions', await sealed(2))).json(), { error: 'document_outdated', revision: 2 })
  ok(await alice.put('revisions', await sealed(3)))
  ok(await alice.call('POST', '/revisions/complete'))
  t.equal(await revisionFor(), 3)
})

t.test('of two editors, only one stores the next document', async (t) => {
  ok(await alice.create('race'))
  const documents = await Promise.all(Array.from({ length: 8 }, () => sealed(1)))
  const answers = await Promise.all(documents.map((document) => alice.put('race', document)))
  t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
  t.equal(answers.filter((answer) => answer.statusCode === 409 && answer.json().error === 'document_outdated').length, 7)
})

t.test('editors who change a document at the same time lose nothing', async (t) => {
  const { key } = await alice.encrypt('editors', { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  ok(await alice.call('DELETE', '/editors/complete'))
  const names = ['A.txt', 'B.txt', 'C.txt']
  const rename = (index: number) => (content: ShareContent) => ({
    ...content,
    files: content.files.map((file, at) => (at === index ? { ...file, name: names[index]! } : file)),
  })
  const changes = await Promise.all(names.map((_, index) => changeDocument(key, draftsOf('editors'), rename(index))))
  t.same(changes.map(({ revision }) => revision).sort(), [2, 3, 4])
  ok(await alice.call('POST', '/editors/complete'))
  const { files } = (await visitor.open('editors', key)).document.content
  t.same(
    files.map(({ name }) => name),
    names,
  )
})

t.test('a document can be changed after others were discarded', async (t) => {
  const { key } = await alice.encrypt('discarded', { 'a.txt': 'a' })
  const name = (text: string) => (content: ShareContent) => ({ ...content, name: text })
  ok(await alice.call('DELETE', '/discarded/complete'))
  await changeDocument(key, draftsOf('discarded'), name('Discarded'))
  ok(await alice.call('POST', '/discarded/restore'))
  ok(await alice.call('DELETE', '/discarded/complete'))
  t.match(await changeDocument(key, draftsOf('discarded'), name('Saved')), { revision: 3 })
  ok(await alice.call('POST', '/discarded/complete'))
  t.equal((await visitor.open('discarded', key)).document.content.name, 'Saved')
})

t.test('a document that is too long, too short, or of another format is refused', async (t) => {
  ok(await alice.create('limits'))
  const header = Buffer.from([1, 0, 0, 0, 1])
  const ofLength = (length: number) => Buffer.concat([header, randomBytes(length - 5)])
  t.match((await alice.put('limits', ofLength(65_537))).json(), { statusCode: 413, error: 'document_too_large', max: 65_536 })
  for (const bytes of [Buffer.alloc(0), ofLength(1_068), Buffer.concat([Buffer.from([2]), ofLength(2_000)])]) {
    t.same(refusal(await alice.put('limits', bytes)), [400, 'validation_failed'])
  }
  ok(await alice.announce('limits', newSealedName(), 5))
  ok(await alice.put('limits', ofLength(65_537)))
})

t.test('an encrypted share has no zip, no selection and no previews on the server', async (t) => {
  await set(ctx, 'share.zipCompressionLevel', 6)
  const { fileIds } = await alice.encrypt('levels', { 'a.jpg': 'text' })
  const cookies = await visitor.unlock('levels')
  t.same(refusal(await visitor.call('GET', '/levels/files/zip', undefined, cookies)), [409, 'share_encrypted'])
  t.same(refusal(await visitor.call('POST', '/levels/selections', { files: fileIds }, cookies)), [409, 'share_encrypted'])
  t.match((await visitor.call('GET', '/levels/metaData', undefined, cookies)).json(), { isZipReady: false, zip: { state: 'failed' } })
  const row = await ctx.db.selectFrom('share').select(['zipState', 'encrypted']).where('id', '=', 'levels').executeTakeFirstOrThrow()
  t.same(row, { zipState: 'none', encrypted: true })
  await set(ctx, 'share.zipCompressionLevel', null)
})

t.test('a site can turn encryption off', async (t) => {
  await set(ctx, 'share.encryption', 'off')
  t.same(refusal(await alice.create('off')), [403, 'encryption_disabled'])
  t.equal((await visitor.open('revisions', key)).document.revision, 3, 'existing shares stay open')
  await set(ctx, 'share.encryption', null)
})

t.test('a site can require encryption on every path of an upload', async (t) => {
  const owner = sharing(app, headers)
  ok(await owner.create('before'))
  const reverse = (more = {}) =>
    app.inject({ method: 'POST', url: '/api/reverseShares', headers, payload: { expiration: '1-day', maxUseCount: 9, ...more } })
  const { token } = ok(await reverse()).json()
  await set(ctx, 'share.encryption', 'always')
  t.teardown(() => set(ctx, 'share.encryption', null))
  const payload = form(file('a.txt', 'text'))
  const bytes = { 'content-type': 'application/octet-stream', ...headers }
  const refused = {
    'a share': await owner.create('after'),
    'a text': await owner.create('after', { kind: 'text' }),
    'a share through an upload link': await sharing(app).create('after', { reverseShareToken: token }),
    'an upload link': await reverse(),
    'a form': await app.inject({ method: 'POST', url: '/api/upload', headers: { ...headers, ...formType }, payload }),
    'a form through an upload link': await app.inject({
      method: 'POST',
      url: '/api/upload',
      headers: { ...formType, cookie: `reverse_share_token=${token}` },
      payload,
    }),
    'curl -T': await app.inject({ method: 'PUT', url: '/api/upload/a.txt', headers: bytes, payload: 'text' }),
    'a file of an earlier share': await owner.announce('before', 'a.txt', 4),
    'a pack of an earlier share': await sendPack(app, headers, 'before', packBody([{ name: 'a.txt', bytes: 'text' }])),
    'a chunk of an earlier share': await app.inject({
      method: 'POST',
      url: '/api/shares/before/files?name=a.txt&chunkIndex=0&totalChunks=1',
      headers: bytes,
      payload: 'text',
    }),
  }
  for (const [what, answer] of Object.entries(refused)) t.same(refusal(answer), [403, 'encryption_required'], what)
  const files = await ctx.db.selectFrom('file').select('id').where('shareId', 'in', ['before', 'after']).execute()
  t.same(files, [])
  const { key } = await alice.encrypt('always', { 'a.txt': 'text' })
  t.same((await visitor.open('always', key)).texts, { 'a.txt': 'text' })
  t.equal(issueOf(await encrypting(app).create('through', { reverseShareToken: token })), 'encrypted')
})

t.test('a further link opens the share with the same key and password', async (t) => {
  const { key } = await alice.encrypt('linked', { 'a.txt': 'text' }, { password: 'correct horse' })
  t.equal(issueOf(await alice.call('POST', '/linked/links', { password: 'another one' })), 'password')
  const { id, hasPassword } = ok(await alice.call('POST', '/linked/links', { label: 'For Bob' })).json()
  t.equal(hasPassword, true)
  t.same(refusal(await visitor.call('GET', `/${id}/document`)), [403, 'share_password_required'])
  t.same((await visitor.open(id, key)).texts, { 'a.txt': 'text' })
  t.equal(issueOf(await alice.call('PATCH', `/linked/links/${id}`, { password: null })), 'password')
  t.equal(issueOf(await alice.call('PATCH', '/linked/links/linked', { password: null })), 'password')
})

const port = await listen(app)

t.test('a document that announces too many bytes is refused before it is received', async (t) => {
  ok(await alice.create('announced'))
  const begun = begin(port, '/api/shares/announced/document', {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': '65537' },
  })
  begun.flushHeaders()
  t.equal((await answerTo(begun)).statusCode, 413)
  begun.destroy()
})

t.test('documents that are being received have little room together', async (t) => {
  ok(await alice.create('room'))
  await ctx.db.updateTable('share').set({ reservedFiles: 100_000 }).where('id', '=', 'room').execute()
  const length = 16 * 1_048_576
  const upload = () => {
    const begun = begin(port, '/api/shares/room/document', {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': String(length) },
    })
    begun.on('error', () => {})
    begun.write(Buffer.alloc(10))
    return begun
  }
  const first = [upload(), upload()]
  await sleep(500)
  const third = upload()
  const answer = await answerTo(third)
  t.equal(answer.statusCode, 503)
  t.match(answer.headers, { 'retry-after': '5' })
  for (const begun of [...first, third]) begun.destroy()
  await sleep(500)
  t.equal((await alice.put('room', await sealed(1))).statusCode, 200, 'cut bodies give their room back')
})

t.test('a document that the visitor has is not sent again', async (t) => {
  const cookies = await visitor.unlock('plain')
  const get = (condition: object = {}) => visitor.call('GET', '/plain/document', undefined, { ...cookies, ...condition })
  const first = ok(await get())
  t.match(first.headers, { etag: /^"[\w-]{22}"$/, 'cache-control': 'private, no-cache, no-transform' })
  const again = await get({ 'if-none-match': first.headers.etag })
  t.same([again.statusCode, again.body], [304, ''])
  ok(await alice.call('DELETE', '/plain/complete'))
  ok(await alice.put('plain', await sealed(2)))
  ok(await alice.call('POST', '/plain/complete'))
  const changed = ok(await get({ 'if-none-match': first.headers.etag }))
  t.not(changed.headers.etag, first.headers.etag)
})
