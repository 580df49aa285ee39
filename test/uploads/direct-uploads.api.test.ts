import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { checksumFile, enqueueChecksums } from '../../worker/checksum-file.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { unzipped } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { guardedBucket } from '../support/s3/guarded-bucket.ts'
import { contentOf, noS3, plainClient } from '../support/s3/s3.ts'
import { ok, refusal, set, sharing } from '../support/sharing.ts'

const MiB = 1024 * 1024
const content = randomBytes(8 * MiB + 777)
const [first, second] = [content.subarray(0, 8 * MiB), content.subarray(8 * MiB)]
const running = () => new AbortController().signal

/** Returns an application with direct access to the bucket, and an open share of its user. */
async function setUp(t: Test) {
  const bucket = await guardedBucket(t)
  const reason = await bucket.store.testDirect()
  if (reason !== null) throw new Error(reason)
  const queue = waitingJobs()
  const { app, ctx } = await testApp(t, { queue, storage: bucket.store })
  const headers = await signUp(app, 'owner')
  const owner = sharing(app, headers)
  ok(await owner.create('photos'))
  const announce = async () => ok(await owner.announce('photos', 'photo.jpg', content.length)).json()
  /** Sends a part as the browser does: requests an address and puts the part there. */
  const sendDirect = async (fileId: string, number: number, bytes: Buffer) => {
    const { url, headers } = ok(await owner.call('GET', `/photos/files/${fileId}/parts/${number}/url`)).json()
    return fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> })
  }
  const arrived = async (fileId: string) => ok(await owner.call('GET', `/photos/files/${fileId}/parts`)).json().parts
  const complete = (fileId: string) => owner.call('POST', `/photos/files/${fileId}/complete`)
  /** Sends the file and publishes the share. Returns the file's path and a visitor of the share. */
  const publish = async () => {
    const { id } = await announce()
    await sendDirect(id, 1, first)
    await sendDirect(id, 2, second)
    ok(await complete(id))
    ok(await owner.call('POST', '/photos/complete'))
    return { path: `/photos/files/${id}`, visitor: sharing(app, await owner.unlock('photos')) }
  }
  return { ...bucket, app, ctx, owner, queue, announce, sendDirect, arrived, complete, publish }
}

if (noS3) t.plan(0, noS3)
else {
  t.test('sends a file straight to the store, where it is found and completed', async (t) => {
    const { ctx, owner, queue, announce, sendDirect, arrived, complete, app, proxy } = await setUp(t)
    const { id, direct } = await announce()
    t.equal(direct, true)
    const page = await app.inject({ url: '/', headers: { accept: 'text/html' } })
    t.ok(String(page.headers['content-security-policy']).includes(`connect-src 'self' ${proxy.url};`), 'pages may send to the store')
    t.same(await arrived(id), [])
    t.equal((await sendDirect(id, 2, second)).status, 200)
    t.same(await arrived(id), [2])
    t.match((await complete(id)).json(), { error: 'upload_incomplete', missing: [1] })
    t.equal((await sendDirect(id, 1, first)).status, 200)
    t.same(await arrived(id), [1, 2])
    t.match(ok(await complete(id)).json(), { id, size: content.length })
    ok(await complete(id))
    t.same(await arrived(id), [1, 2])
    t.same(refusal(await owner.call('GET', `/photos/files/${id}/parts/1/url`)), [400, 'file_already_complete'])

    await set(ctx, 'share.zipCompressionLevel', 0)
    ok(await owner.call('POST', '/photos/complete'))
    const visitor = sharing(app, await owner.unlock('photos'))
    t.match((await visitor.call('GET', '/photos/files/zip')).json(), { error: 'zip_not_ready' }, 'an archive needs its CRC-32')
    const job = queue.jobs.find(({ name }) => name === 'checksum-file')
    t.same(job?.payload, { fileId: id })
    await checksumFile(ctx, { fileId: id }, running())
    const zip = ok(await visitor.call('GET', '/photos/files/zip'))
    t.ok(content.equals((await unzipped(zip.rawPayload))['photo.jpg']!))
  })

  t.test('builds one file from direct and proxied parts', async (t) => {
    const { owner, ctx, announce, sendDirect, complete } = await setUp(t)
    const { id } = await announce()
    ok(await owner.part('photos', id, 1, first))
    await sendDirect(id, 2, second)
    ok(await complete(id))
    const { crc32: known, objectKey } = await ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    t.equal(known, null)
    t.same(await ctx.storage.head(objectKey), { size: content.length })

    const { id: plain } = await announce()
    ok(await owner.part('photos', plain, 1, first))
    ok(await owner.part('photos', plain, 2, second))
    ok(await complete(plain))
    const file = await ctx.db.selectFrom('file').select('crc32').where('id', '=', plain).executeTakeFirstOrThrow()
    t.equal(file.crc32, crc32(content), 'known at once when all parts pass through the server')
  })

  t.test('recovers from a crash between completing the object and recording it when completed again', async (t) => {
    const { store, ctx, announce, sendDirect, complete, arrived } = await setUp(t)
    const { id } = await announce()
    await sendDirect(id, 1, first)
    await sendDirect(id, 2, second)
    const { objectKey, uploadId } = await ctx.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const upload = { key: objectKey, id: uploadId!, size: content.length, partSize: 8 * MiB }
    await store.finish(upload, await store.listParts!(upload))
    t.same(await arrived(id), [1, 2])
    ok(await complete(id))
    t.ok((await ctx.db.selectFrom('file').select('completedAt').where('id', '=', id).executeTakeFirstOrThrow()).completedAt)
  })

  t.test('issues addresses only to the uploader, for existing parts, while direct access is on', async (t) => {
    const { app, owner, announce, sendDirect, proxy, store, complete } = await setUp(t)
    const { id } = await announce()
    const url = `/photos/files/${id}/parts/1/url`
    t.equal((await sharing(app).call('GET', url)).statusCode >= 400, true, 'a visitor')
    const other = sharing(app, await signUp(app, 'other'))
    t.equal((await other.call('GET', url)).statusCode >= 400, true, 'another user')
    for (const number of [0, 3, 10_001]) {
      t.same(refusal(await owner.call('GET', `/photos/files/${id}/parts/${number}/url`)), [400, 'part_out_of_range'])
    }
    t.equal((await sendDirect(id, 2, first)).status, 403, 'a different length')
    proxy.trouble = undefined
    if ((await store.testDirect()) === null) return t.pass('this server is safe without a proxy', { skip: true })
    t.same(refusal(await owner.call('GET', url)), [409, 'direct_uploads_off'])
    t.equal((await announce()).direct, false)
    ok(await owner.part('photos', id, 1, first))
    ok(await owner.part('photos', id, 2, second))
    ok(await complete(id))
  })

  t.test('leaves nothing in the bucket when a file is deleted during its upload', async (t) => {
    const { ctx, settings, owner, announce, sendDirect } = await setUp(t)
    const { id } = await announce()
    await sendDirect(id, 1, first)
    ok(await owner.call('DELETE', `/photos/files/${id}`))
    for (const { key, uploadId } of await ctx.db.selectFrom('deletedObject').selectAll().execute()) {
      if (uploadId) await ctx.storage.abort({ key, id: uploadId })
      await ctx.storage.remove([key])
    }
    const client = plainClient(settings)
    t.same(await contentOf(client, settings.bucket), { objects: [], uploads: [] })
    client.destroy()
  })

  t.test('redirects whole files to the store after the same access check, and serves all else itself', async (t) => {
    const { app, owner, proxy, publish } = await setUp(t)
    const { path, visitor } = await publish()
    const answer = await visitor.call('GET', path)
    t.equal(answer.statusCode, 302)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.ok(answer.headers.location?.startsWith(proxy.url))
    const bytes = await fetch(answer.headers.location!)
    t.equal(bytes.headers.get('content-disposition'), 'attachment; filename="photo.jpg"')
    t.equal(bytes.headers.get('content-type'), 'image/jpeg')
    t.ok(content.equals(Buffer.from(await bytes.arrayBuffer())))

    const part = await visitor.call('GET', path, undefined, { range: 'bytes=0-9' })
    t.equal(part.statusCode, 206)
    t.ok(content.subarray(0, 10).equals(part.rawPayload))
    t.equal((await visitor.call('HEAD', path)).statusCode, 200)
    t.equal((await visitor.call('GET', `${path}?download=false`)).statusCode, 200)
    const etag = String((await visitor.call('HEAD', path)).headers.etag)
    t.equal((await visitor.call('GET', path, undefined, { 'if-none-match': etag })).statusCode, 304)
    ok(await owner.call('PATCH', '/photos', { password: 'password' }))
    for (const caller of [visitor, sharing(app)]) t.same(refusal(await caller.call('GET', path)), [403, 'share_password_required'])
  })

  t.test('shows a download from the store as handed out, and sends limited ones itself', async (t) => {
    const { owner, publish } = await setUp(t)
    const { path, visitor } = await publish()
    t.equal((await visitor.call('GET', path)).statusCode, 302)
    await sleep(1_500)
    const [entry] = ok(await owner.call('GET', '/photos/activity')).json()
    t.match(entry, { kind: 'handed-out', file: 'photo.jpg', size: content.length, complete: false })
    t.equal(ok(await owner.call('GET', '/photos/links')).json()[0].downloads, 0)
    ok(await owner.call('PATCH', '/photos', { maxDownloads: 1 }))
    const whole = await visitor.call('GET', path)
    t.equal(whole.statusCode, 200)
    t.ok(content.equals(whole.rawPayload))
    await sleep(500)
    t.same(refusal(await visitor.call('GET', path)), [403, 'share_max_downloads_exceeded'])
  })

  t.test('continues a download from the store at the server, and the reverse', async (t) => {
    const { publish } = await setUp(t)
    const { path, visitor } = await publish()
    const get = (headers: Record<string, string>) => visitor.call('GET', path, undefined, headers)
    const address = async () => (await get({})).headers.location!
    const whole = await fetch(await address())
    await whole.body?.cancel()
    const etag = whole.headers.get('etag')!
    const modified = whole.headers.get('last-modified')!
    t.match(etag, /^"[^"]+"$/, 'a strong validator')
    const validators = { etag, 'last-modified': modified }
    t.match((await visitor.call('HEAD', path)).headers, validators)
    t.match((await get({ range: 'bytes=5-' })).headers, validators)
    for (const validator of [etag, modified]) {
      const rest = await get({ range: 'bytes=8000000-', 'if-range': validator })
      t.equal(rest.statusCode, 206, validator)
      t.ok(content.subarray(8_000_000).equals(rest.rawPayload))
    }
    t.equal((await get({ range: 'bytes=5-', 'if-range': '"another"' })).statusCode, 200, 'another version is sent whole')
    t.equal((await get({ 'if-none-match': etag })).statusCode, 304)
    t.equal((await get({ 'if-modified-since': modified })).statusCode, 304)
    t.equal((await get({ 'if-match': '"another"' })).statusCode, 412)
    t.equal((await get({ 'if-unmodified-since': modified, range: 'bytes=0-4' })).statusCode, 206)
    const { headers } = await visitor.call('HEAD', path)
    const rest = await fetch(await address(), { headers: { range: 'bytes=8388000-', 'if-range': String(headers.etag) } })
    t.equal(rest.status, 206, 'the store continues what the server began')
    t.ok(content.subarray(8_388_000).equals(Buffer.from(await rest.arrayBuffer())))
  })

  t.test('queues files without a CRC-32 during the clean-up', async (t) => {
    const { ctx, queue, announce, sendDirect, complete } = await setUp(t)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      const { id } = await announce()
      await sendDirect(id, 1, first)
      await sendDirect(id, 2, second)
      ok(await complete(id))
      ids.push(id)
    }
    queue.jobs.length = 0
    await checksumFile(ctx, { fileId: ids[0]! }, running())
    await enqueueChecksums(ctx, 1)
    t.same(queue.jobs.map(({ payload }) => (payload as { fileId: string }).fileId).sort(), ids.slice(1).sort())
    const { crc32: found } = await ctx.db.selectFrom('file').select('crc32').where('id', '=', ids[0]!).executeTakeFirstOrThrow()
    t.equal(found, crc32(content))
  })
}
