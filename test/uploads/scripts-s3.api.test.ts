import { randomBytes } from 'node:crypto'
import t from 'tap'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { eventually } from '../support/app/worker.ts'
import { file, form, formType, headOf, text } from '../support/form.ts'
import { begin, fetchWhole, listen, replyTo } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { pingvinClient } from '../support/pingvin-client.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'
import { destroy, ok, set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576

if (noS3) t.plan(0, noS3)
else {
  const settings = await testBucket(t)
  const client = plainClient(settings)
  t.teardown(async () => client.destroy())
  const { app, ctx } = await testApp(t, { storage: s3Store(settings) })
  const port = await listen(app)
  const headers = await signUp(app, 'alice')
  const inBucket = async () => {
    await cleanUp(ctx, {}, new AbortController().signal)
    return contentOf(client, settings.bucket)
  }
  const read = async (id: string) => {
    const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').where('id', '=', id).executeTakeFirstOrThrow()
    return Buffer.concat(await (await ctx.storage.read(objectKey)).toArray())
  }

  t.test('stores a file of several S3 parts and many small files in one request', async (t) => {
    const large = randomBytes(40 * MiB)
    const small = Array.from({ length: 50 }, (_, n) => file(`small/${n}`, `${n}`))
    const answer = await fetchWhole(
      port,
      '/api/upload',
      { method: 'POST', headers: { ...headers, ...formType } },
      form(text('id', 'once'), file('large', large), ...small, file('empty', '')),
    )
    t.equal(answer.status, 201)
    const { files } = JSON.parse(String(answer.body))
    t.ok((await read(files[0].id)).equals(large))
    t.equal(String(await read(files[50].id)), '49')
    t.equal(files.length, 52)
    t.same((await inBucket()).objects.length, 2, 'small files are stored together')
    await destroy(ctx, sharing(app, headers), 'once')
    t.same(await inBucket(), { objects: [], uploads: [] })
  })

  t.test('leaves neither object nor open upload after a lost or too large request', async (t) => {
    const sent = begin(port, '/api/upload', { method: 'POST', headers: { ...headers, ...formType } })
    sent.on('error', () => {})
    sent.write(Buffer.concat([Buffer.from(headOf(file('a', ''))), randomBytes(40 * MiB)]))
    await eventually(async () => (await contentOf(client, settings.bucket)).uploads.length > 0, 'a multipart upload is open')
    sent.destroy()
    await eventually(async () => (await ctx.db.selectFrom('share').select('id').execute()).length === 0, 'the share is deleted')
    t.same(await inBucket(), { objects: [], uploads: [] })
    await set(ctx, 'share.maxSize', 30 * MiB)
    const large = begin(port, '/api/upload', { method: 'POST', headers: { ...headers, ...formType } })
    large.end(form(file('first', 'x'), file('a', randomBytes(40 * MiB))))
    t.match(JSON.parse(String((await replyTo(large)).body)), { statusCode: 413, error: 'share_too_large' })
    t.same(await inBucket(), { objects: [], uploads: [] })
    await set(ctx, 'share.maxSize', 1_000_000_000_000)
  })

  t.test('stores each chunk as a part', async (t) => {
    const pingvin = pingvinClient(app, Object.fromEntries(headers.cookie.split('; ').map((one) => one.split('=') as [string, string])))
    ok(await pingvin.call('POST', '/shares', { id: 'chunks', expiration: '1-day', recipients: [], security: {} }))
    const bytes = randomBytes(25_000_000)
    const id = await pingvin.upload('chunks', 'a.bin', bytes)
    t.equal((await pingvin.call('POST', '/shares/chunks/complete')).statusCode, 202)
    t.ok((await read(id)).equals(bytes))
    const head = await ctx.storage.head(`shares/${(await ctx.db.selectFrom('share').select('uid').executeTakeFirstOrThrow()).uid}/${id}`)
    t.equal(head?.size, bytes.length)
    t.same((await inBucket()).uploads, [])
  })
}
