import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { applyPlan } from '../../src/import/core/apply.ts'
import { planImport } from '../../src/import/core/plan.ts'
import { readGokapi } from '../../src/import/gokapi/read.ts'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { copyOfFixture, everything, runImport } from '../support/import-command.ts'
import { headersOf, signUp } from '../support/people/people.ts'
import { noS3, testBucket } from '../support/s3/s3.ts'
import { refusal, sharing } from '../support/sharing.ts'

// test/fixtures/gokapi was written by Gokapi 2.2.4, gokapi-encrypted by a build of 2.2.5 with local
// encryption, which was turned off before the last file.

const password = 'penguins swim'

t.test('imports files, accounts and requests of Gokapi, and their old links work', async (t) => {
  const app = await testApp(t)
  const folder = copyOfFixture(t, 'gokapi')
  const before = await everything(app.ctx)
  const dryRun = await runImport(app, ['gokapi', folder])
  t.equal(dryRun.code, 0, dryRun.errors)
  t.match(dryRun.output, /accounts +2 +0 +0\n/)
  t.match(dryRun.output, /reverse shares +1 +0 +0\n/)
  t.match(dryRun.output, /shares +7 +0 +0\n/)
  t.match(dryRun.output, /accounts: bob: has no email address in Gokapi: it gets bob@import.invalid/)
  t.same(await everything(app.ctx), before)

  t.match(await runImport(app, ['gokapi', folder, '--apply']), { code: 0, output: /Done\.\n$/, errors: '' })
  const get = (url: string) => app.app.inject({ url, headers: { accept: 'text/html' } })
  const visitor = callsOf(app.app)
  const signedIn = await visitor('POST auth/signIn', { email: 'admin@example.org', password })
  t.equal(signedIn.statusCode, 200, 'the SHA-1 password works')
  t.match((await callsOf(app.app, headersOf(signedIn))('GET users/me')).json(), { isAdmin: true })

  for (const old of ['/d?id=sggE6myRaJWb63H', '/d/sggE6myRaJWb63H/notes.txt'])
    t.match(await get(old), { statusCode: 302, headers: { location: '/share/sggE6myRaJWb63H' } }, old)
  for (const old of ['/downloadFile?id=sggE6myRaJWb63H', '/dh/sggE6myRaJWb63H/notes.txt']) {
    const { headers } = await get(old)
    t.equal((await get(String(headers.location))).body, 'forever\n', old)
  }
  for (const old of ['/h/kpJCBaGuCpOtgZ8Wqr1hDwqncrJyeYObcHdKVgfR.png', '/hotlink/kpJCBaGuCpOtgZ8Wqr1hDwqncrJyeYObcHdKVgfR.png']) {
    const { headers } = await get(old)
    const image = await get(String(headers.location))
    t.match(image, { statusCode: 200, headers: { 'content-type': 'image/png' } })
    t.match(image.headers['content-disposition'], /^inline/)
  }
  for (const missing of ['/d?id=missing', '/d', '/downloadFile?id=%00', '/h/missing.png', '/d/%zz/x'])
    t.equal((await get(missing)).statusCode, 404, missing)

  const anyone = sharing(app.app)
  t.equal((await anyone.call('POST', '/8oJssFnDszkMvb0/token', {})).statusCode, 200)
  t.same(refusal(await anyone.call('POST', '/8oJssFnDszkMvb0/token', {})), [403, 'share_max_views_exceeded'], 'one download was left')
  t.same(refusal(await anyone.call('GET', '/3gX4AA6G140MtzK')), [403, 'share_password_required'])
  t.same(refusal(await anyone.call('POST', '/3gX4AA6G140MtzK/token', { password: 'wrong' })), [403, 'wrong_password'])
  t.equal((await anyone.call('POST', '/3gX4AA6G140MtzK/token', { password: 'open sesame' })).statusCode, 200)

  const admin = callsOf(app.app, headersOf(signedIn))
  const [request] = (await admin('GET reverseShares')).json()
  t.match(request, { name: 'Send me photos', maxShareSize: String(5 * 1_048_576), remainingUses: 2 })
  const upload = await get('/publicUpload?id=vFcF7t2T3lfmpP7&key=4b6xHIQ5MnTrq1GqFkZB6wHXORniNv')
  t.match(upload, { statusCode: 302, headers: { location: `/upload/${request.token}` } })
  t.equal((await get('/publicUpload?id=vFcF7t2T3lfmpP7&key=guessed')).statusCode, 404)
  const [{ id: received }] = request.shares
  t.same(refusal(await anyone.call('GET', `/${received}`)), [403, 'private_share'])
  const owner = sharing(app.app, headersOf(signedIn))
  t.match((await owner.call('GET', `/${received}`)).json(), { files: [{ name: 'sent.txt', size: '23' }] })

  const stored = await app.ctx.db.selectFrom('user').select('passwordHash').execute()
  t.ok(
    stored.every(({ passwordHash }) => passwordHash!.includes('$argon2id$')),
    'no fast hash is stored',
  )
  await sleep(2_500) // downloads are recorded within two seconds
  const after = await everything(app.ctx)
  t.match(await runImport(app, ['gokapi', folder, '--apply']), { code: 0, output: /accounts +0 +2 +0\n.*shares +0 +7 +0\n/s })
  t.same(await everything(app.ctx), after)

  const named = (await get('/downloadFile?id=sggE6myRaJWb63H')).headers.location
  for (const [closed, open] of [
    [{ linkEnabled: false }, { linkEnabled: true }],
    [{ removedReason: 'It was spam.' }, { removedReason: null }],
  ]) {
    const change = (values: object) => app.ctx.db.updateTable('share').set(values).where('id', '=', 'sggE6myRaJWb63H').execute()
    await change(closed!)
    t.equal((await get('/downloadFile?id=sggE6myRaJWb63H')).headers.location, '/share/sggE6myRaJWb63H', 'no file is named')
    await change(open!)
  }
  t.match(named, /\/files\//)
})

t.test('names the encrypted files of Gokapi, and knows its newer password hashes', async (t) => {
  const app = await testApp(t)
  const { code, output, errors } = await runImport(app, ['gokapi', copyOfFixture(t, 'gokapi-encrypted'), '--apply'])
  t.equal(code, 0, errors)
  t.match(output, /shares: ZqWCbcVxbOcfCPu \(notes.txt\): is encrypted/)
  t.match(output, /shares: MwFwwyAvrWkcdqB \(secret.txt\): is encrypted/)
  t.match(output, /shares +1 +0 +2\n/)
  t.equal((await sharing(app.app).call('POST', '/a9zGclgFYGgSTxl/token', { password: 'open sesame' })).statusCode, 200)
  t.equal((await callsOf(app.app)('POST auth/signIn', { email: 'admin@example.org', password })).statusCode, 200)
})

t.test('skips a file of Gokapi whose bytes are damaged, and reads its write-ahead log', async (t) => {
  const app = await testApp(t)
  const folder = copyOfFixture(t, 'gokapi')
  writeFileSync(join(folder, 'data/d07168fddfde636f6d30626ab8be391b3ef6cc10'), 'from eve\n')
  const database = new DatabaseSync(join(folder, 'data/gokapi.sqlite'))
  database.exec("pragma journal_mode = wal; update FileMetaData set Name = 'renamed.txt' where Id = 'sggE6myRaJWb63H'")
  const { code, output, errors } = await runImport(app, ['gokapi', folder, '--apply'])
  database.close()
  t.equal(code, 0, errors)
  t.match(output, /shares: SIYYk2tsSkSaznk: "bobs.txt" is skipped: its bytes do not match their checksum/)
  const files = await app.ctx.db.selectFrom('file').select('name').execute()
  t.notOk(files.some(({ name }) => name === 'bobs.txt'))
  t.ok(files.some(({ name }) => name === 'renamed.txt'))
})

t.test('gives the files of an account without an email address to an account here only when told to', async (t) => {
  const app = await testApp(t)
  const bob = await signUp(app.app, 'bob')
  const folder = copyOfFixture(t, 'gokapi')
  t.match((await runImport(app, ['gokapi', folder])).output, /accounts: bob: another account here has this name; with --same-names/)
  t.match(await runImport(app, ['gokapi', folder, '--same-names', '--apply']), { code: 0 })
  t.match((await sharing(app.app, bob).call('GET', '')).json(), [{ id: 'SIYYk2tsSkSaznk' }])
})

t.test('keeps nothing of a damaged file in a bucket', { skip: noS3 ?? false }, async (t) => {
  const { ctx } = await testApp(t, { storage: s3Store(await testBucket(t)) })
  const folder = copyOfFixture(t, 'gokapi')
  writeFileSync(join(folder, 'data/d07168fddfde636f6d30626ab8be391b3ef6cc10'), 'from eve\n')
  const plan = await planImport(ctx, await readGokapi(folder, null))
  const conflicts = await applyPlan(ctx, plan, { share() {}, bytes() {} })
  t.match(conflicts, [{ name: 'SIYYk2tsSkSaznk', why: /"bobs.txt" is skipped: its bytes do not match their checksum/ }])
  t.equal((await ctx.db.selectFrom('file').select('id').where('completedAt', 'is not', null).execute()).length, 6)
  const deleted = await ctx.db.selectFrom('deletedObject').select('key').execute()
  t.equal(deleted.length, 1, 'its object is deleted by the clean-up')
})
