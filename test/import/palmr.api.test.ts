import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { hash } from 'bcryptjs'
import t, { type Test } from 'tap'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { everything, runImport } from '../support/import-command.ts'
import { PalmrFolder } from '../support/palmr.ts'
import { headersOf } from '../support/people/people.ts'
import { noS3, testBucket } from '../support/s3/s3.ts'
import { refusal, sharing } from '../support/sharing.ts'

const password = 'penguins swim'
const passwordHash = await hash(password, 4)

function palmr(t: Test) {
  const palmr = new PalmrFolder(t)
  const ann = palmr.insert('users', { username: 'ann', email: 'ann@example.com', password: passwordHash, isAdmin: 1 })
  palmr.insert('users', { username: 'off', email: 'off@example.com', password: passwordHash, isActive: 0 })
  const folder = palmr.insert('folders', { name: 'trip', objectName: 'trip', userId: ann })
  const inner = palmr.insert('folders', { name: 'day 1', objectName: 'day 1', userId: ann, parentId: folder })
  const photo = palmr.insert('files', { ...palmr.bytes(ann, 'photo of us.jpg', 'one photo'), userId: ann })
  palmr.insert('files', { ...palmr.bytes(ann, 'map.txt', 'a map'), userId: ann, folderId: inner })
  const share = palmr.share('Holiday', { name: 'Holiday', description: 'Look', views: 4, creatorId: ann })
  palmr.insert('_ShareFiles', { A: photo, B: share })
  palmr.insert('_ShareFolders', { A: folder, B: share })
  palmr.insert('share_recipients', { email: 'aunt@example.com', shareId: share })
  const secret = palmr.share('secret1', { creatorId: ann, expiration: Date.now() + 86_400_000 }, { password: passwordHash, maxViews: 2 })
  palmr.insert('_ShareFiles', { A: photo, B: secret })
  const fields = {
    nameFieldRequired: 'REQUIRED',
    emailFieldRequired: 'HIDDEN',
    allowedFileTypes: 'pdf, .JPG',
    maxFiles: 2,
    maxFileSize: 1000,
  }
  const reverse = palmr.insert('reverse_shares', { name: 'Send me', password: passwordHash, creatorId: ann, ...fields })
  palmr.insert('reverse_share_aliases', { alias: 'inbox', reverseShareId: reverse })
  const sender = { uploaderName: 'Carl', uploaderEmail: 'carl@example.com', reverseShareId: reverse }
  palmr.insert('reverse_share_files', { ...palmr.bytes('reverse-shares/inbox', 'a.pdf', 'from carl'), ...sender })
  palmr.insert('reverse_share_files', { ...palmr.bytes('reverse-shares/inbox', 'b.pdf', 'more'), ...sender })
  return { palmr, photo }
}

t.test('imports accounts, shares and reverse shares of Palmr, and their old links work', async (t) => {
  const app = await testApp(t)
  const { palmr: data, photo } = palmr(t)
  data.close()
  const before = await everything(app.ctx)
  const dryRun = await runImport(app, ['palmr', data.folder])
  t.equal(dryRun.code, 0, dryRun.errors)
  t.match(dryRun.output, /accounts +2 +0 +0\n/)
  t.match(dryRun.output, /reverse shares +1 +0 +0\n/)
  t.match(dryRun.output, /shares +3 +0 +0\n/)
  t.same(await everything(app.ctx), before)
  t.match(await runImport(app, ['palmr', data.folder, '--apply']), { code: 0, output: /Done\.\n$/, errors: '' })

  const visitor = callsOf(app.app)
  const signedIn = await visitor('POST auth/signIn', { username: 'ann', password })
  t.equal(signedIn.statusCode, 200)
  t.equal((await visitor('POST auth/signIn', { username: 'off', password })).statusCode, 401)
  const get = (url: string) => app.app.inject({ url, headers: { accept: 'text/html' } })
  t.match(await get('/s/Holiday'), { statusCode: 302, headers: { location: '/share/Holiday' } })
  const anyone = sharing(app.app)
  const unlocked = sharing(app.app, await anyone.unlock('Holiday'))
  const page = (await unlocked.call('GET', '/Holiday')).json()
  t.same(page.files.map(({ name }: { name: string }) => name).sort(), ['photo of us.jpg', 'trip/day 1/map.txt'])
  const embedded = await get(`/e/${photo}`)
  t.equal((await get(String(embedded.headers.location))).body, 'one photo')
  t.same(refusal(await anyone.call('GET', '/secret1')), [403, 'share_password_required'])
  t.equal((await anyone.call('POST', '/secret1/token', { password })).statusCode, 200)

  t.match(await get('/r/inbox'), { statusCode: 302, headers: { location: '/upload/inbox' } })
  const ann = callsOf(app.app, headersOf(signedIn))
  const [reverse] = (await ann('GET reverseShares')).json()
  t.match(reverse, {
    token: 'inbox',
    name: 'Send me',
    maxShareSize: '2000',
    maxUseCount: null,
    allowedTypes: ['.pdf', '.jpg'],
    fields: { name: 'required', email: 'off' },
  })
  const [received] = reverse.shares
  t.match(received.sender, { name: 'Carl', email: 'carl@example.com' })
  t.match((await sharing(app.app, headersOf(signedIn)).call('GET', `/${received.id}`)).json(), {
    files: [{ name: 'a.pdf' }, { name: 'b.pdf' }],
  })
  t.same(refusal(await anyone.call('GET', `/${received.id}`)), [403, 'private_share'])
  const after = await everything(app.ctx)
  t.match(await runImport(app, ['palmr', data.folder, '--apply']), { code: 0, output: /shares +0 +3 +0\n/ })
  t.same(await everything(app.ctx), after)
})

t.test('skips files of Palmr whose size shows that they are encrypted', async (t) => {
  const app = await testApp(t)
  const { palmr: data, photo } = palmr(t)
  const row = data.row('files', photo)
  data.close()
  writeFileSync(join(data.folder, 'uploads', String(row.objectName).replaceAll(' ', '_')), 'longer, as encrypted files are')
  const { output } = await runImport(app, ['palmr', data.folder])
  t.match(output, /shares: secret1: none of its files exist/)
  t.match(output, /shares: Holiday.*"photo of us.jpg" does not exist, or is encrypted, and is skipped/)
})

t.test('imports rows of Palmr with values that PostgreSQL cannot store', async (t) => {
  const app = await testApp(t)
  const data = new PalmrFolder(t)
  const ann = data.insert('users', { username: 'ann', email: 'ann@example.com', password: passwordHash })
  const file = data.insert('files', { ...data.bytes(ann, 'a.txt', 'bytes'), userId: ann })
  const share = data.share('strange', { name: 'zero\0byte', views: 9e15, creatorId: ann, expiration: 8.64e15 })
  data.insert('_ShareFiles', { A: file, B: share })
  data.insert('reverse_shares', { name: 'huge', creatorId: ann, maxFiles: 1e9, maxFileSize: 1e15 })
  data.close()
  const { code, output, errors } = await runImport(app, ['palmr', data.folder, '--apply'])
  t.equal(code, 0, errors)
  t.match(output, /shares +1 +0 +0\n/)
  t.match(await app.ctx.db.selectFrom('share').selectAll().executeTakeFirst(), { id: 'strange', name: 'zerobyte', views: 2 ** 31 - 1 })
  t.match(await app.ctx.db.selectFrom('reverseShare').selectAll().executeTakeFirst(), { maxSize: Number.MAX_SAFE_INTEGER })
})

if (noS3) t.test('reads files of Palmr from a bucket', { skip: noS3 }, () => {})
else
  t.test('reads files of Palmr from a bucket', async (t) => {
    const app = await testApp(t)
    const { bucket, endpoint, region, credentials } = await testBucket(t)
    const { palmr: data, photo } = palmr(t)
    const row = data.row('files', photo)
    data.close()
    const path = join(data.folder, 'uploads', String(row.objectName).replaceAll(' ', '_'))
    const client = new S3Client({ endpoint: endpoint!, region, credentials: credentials!, forcePathStyle: true })
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: String(row.objectName), Body: readFileSync(path) }))
    client.destroy()
    rmSync(path)
    const env = {
      ...{ IMPORT_S3_BUCKET: bucket, IMPORT_S3_ENDPOINT: endpoint!, IMPORT_S3_REGION: region },
      ...{ IMPORT_S3_ACCESS_KEY_ID: credentials!.accessKeyId, IMPORT_S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey },
    }
    t.match((await runImport(app, ['palmr', data.folder])).output, /shares: secret1: none of its files exist/)
    const { code, output, errors } = await runImport(app, ['palmr', data.folder, '--apply'], env)
    t.equal(code, 0, errors)
    t.match(output, /shares +3 +0 +0\n/)
    const embedded = await app.app.inject({ url: `/e/${photo}`, headers: { accept: 'text/html' } })
    t.equal((await app.app.inject(String(embedded.headers.location))).body, 'one photo')
  })
