import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from 'otpauth'
import t, { type Test } from 'tap'
import { readSecret, readSettings } from '../../src/config/service.ts'
import type { Context } from '../../src/context.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { withImportLock } from '../../src/import/core/queries.ts'
import { type TestApp, testApp } from '../support/app/app.ts'
import { eventually } from '../support/app/worker.ts'
import { callsOf } from '../support/calls.ts'
import { everything, runImport, startCommand } from '../support/import-command.ts'
import { headersOf, signUp } from '../support/people/people.ts'
import { codeAt } from '../support/people/totp.ts'
import { PingvinFolder, pingvinHash, type Version } from '../support/pingvin.ts'
import { cookiesOf, ok, refusal, set, sharing } from '../support/sharing.ts'

const passwordOfAll = 'penguins swim'
const hashOfAll = await pingvinHash(passwordOfAll)
const totpSecret = new Secret({ size: 20 }).base32
const day = 86_400_000

const start = (ctx: Context, database: Socket, ...words: string[]) => startCommand(ctx, database, 'import', ['pingvin', ...words])
const run = (app: TestApp, ...words: string[]) => runImport(app, ['pingvin', ...words])

/** The administrator ann, bob with a second factor, their shares and their received shares. */
function penguins(t: Test, version: Version) {
  const pingvin = new PingvinFolder(t, version)
  const ann = pingvin.user('ann', { password: hashOfAll, isAdmin: 1, createdAt: Date.UTC(2024, 0, 1) })
  const bob = pingvin.user('Bob.b', { password: hashOfAll, totpEnabled: 1, totpVerified: 1, totpSecret })
  const photo = Buffer.alloc(3_000_000, 'photo')
  const expiration = Date.now() + 10 * day
  const open = { description: 'Look', creatorId: ann, views: 5, expiration }
  const [photoId] = pingvin.share('holiday', { 'photo.jpg': photo, empty: '', '../evil\\name': 'evil' }, open)
  pingvin.insert('ShareRecipient', { email: 'Aunt@Example.com', shareId: 'holiday' })
  pingvin.share('secret-1', { 'a.txt': 'secret' }, { creatorId: bob, views: 1 })
  pingvin.insert('ShareSecurity', { shareId: 'secret-1', password: hashOfAll, maxViews: 3 })
  pingvin.share('nobodys', { 'b.txt': 'anonymous' })
  pingvin.share('gone', {}, { creatorId: ann, removedReason: 'It was infected.' })
  const token = '3f0e5e64-9a3c-4d0a-8f0e-1f1c12a3b4c5'
  const limits = { maxShareSize: '50000000', remainingUses: 2, sendEmailNotification: 1, shareExpiration: expiration }
  const reverseShareId = pingvin.insert('ReverseShare', { token, creatorId: bob, ...limits })
  pingvin.share('sent-to-bob', { 'c.txt': 'for bob' }, { reverseShareId, expiration })
  return { pingvin, ann, bob, photo, photoId: photoId!, token }
}

for (const version of ['0.22', '1.13', 'X 2'] as const) {
  t.test(`imports everything of ${version}: a dry run, then an import, then nothing more`, async (t) => {
    const app = await testApp(t)
    const { pingvin, photo, photoId, token } = penguins(t, version)
    pingvin.close()
    const before = await everything(app.ctx)
    const dryRun = await run(app, pingvin.folder)
    t.equal(dryRun.code, 0, dryRun.errors)
    t.match(dryRun.output, /accounts +2 +0 +0\n/)
    t.match(dryRun.output, /shares +5 +0 +0\n/)
    t.match(dryRun.output, /"..\/evil\\\\name" is renamed to "evil_name"/)
    t.match(dryRun.output, /Files to copy: \d+, 3\.0 MB/)
    t.match(dryRun.output, /nothing was changed/)
    t.same(await everything(app.ctx), before)

    t.match(await run(app, pingvin.folder, '--apply'), { code: 0, output: /Done\.\n$/, errors: '' })
    const visitor = callsOf(app.app)
    const signedIn = await visitor('POST auth/signIn', { username: 'ann', password: passwordOfAll })
    t.equal(signedIn.statusCode, 200)
    const ann = sharing(app.app, headersOf(signedIn))
    t.match((await callsOf(app.app, headersOf(signedIn))('GET users/me')).json(), { username: 'ann', isAdmin: true })
    const listed = (await ann.call('GET', ''))
      .json()
      .map(({ id, views, createdAt, recipients }: Record<string, unknown>) => [id, views, createdAt, recipients])
    t.same(listed.sort(), [
      ['gone', 0, '2024-02-29T00:00:00.000Z', []],
      ['holiday', 5, '2024-02-29T00:00:00.000Z', ['Aunt@Example.com']],
    ])

    const step = (await visitor('POST auth/signIn', { email: 'bob.B@example.com', password: passwordOfAll })).json()
    const totp = codeAt(totpSecret, new Date())
    const bobs = await visitor('POST auth/signIn/totp', { loginToken: step.loginToken, totp })
    t.equal(bobs.statusCode, 200, 'the authenticator still works')
    const bob = callsOf(app.app, headersOf(bobs))
    t.match((await bob('GET reverseShares')).json(), [
      { token, maxShareSize: '50000000', remainingUses: 2, shares: [{ id: 'sent-to-bob' }] },
    ])

    const anyone = sharing(app.app)
    const unlocked = sharing(app.app, await anyone.unlock('holiday'))
    const { files } = (await unlocked.call('GET', '/holiday')).json()
    t.same(files.map(({ name, size }: { name: string; size: string }) => [name, size]).sort(), [
      ['empty', '0'],
      ['evil_name', '4'],
      ['photo.jpg', '3000000'],
    ])
    t.ok(ok(await unlocked.call('GET', `/holiday/files/${photoId}`)).rawPayload.equals(photo), 'an old file link still works')
    t.equal((await unlocked.call('GET', '/holiday/files/zip')).statusCode, 200, 'with checksums an archive needs no preparation')

    t.same(refusal(await anyone.call('GET', '/secret-1')), [403, 'share_password_required'])
    t.same(refusal(await anyone.call('POST', '/secret-1/token', { password: 'wrong' })), [403, 'wrong_password'])
    for (const left of [2, 1])
      t.equal((await anyone.call('POST', '/secret-1/token', { password: passwordOfAll })).statusCode, 200, `${left}`)
    t.same(refusal(await anyone.call('POST', '/secret-1/token', { password: passwordOfAll })), [403, 'share_max_views_exceeded'])
    t.equal((await anyone.call('POST', '/nobodys/token', {})).statusCode, 200)
    t.match((await anyone.call('GET', '/gone')).json(), { error: 'share_removed', message: 'It was infected.' })
    t.equal((await visitor(`GET reverseShares/${token}`)).statusCode, 200)
    for (const path of ['/s/holiday', '/share/holiday']) t.not((await app.app.inject(path)).statusCode, 404, path)
    t.equal((await app.ctx.db.selectFrom('mail').selectAll().execute()).length, 0, 'no email is sent again')

    const after = await everything(app.ctx)
    const again = await run(app, pingvin.folder, '--apply')
    t.match(again, { code: 0, output: /accounts +0 +2 +0\n.*shares +0 +5 +0\n/s })
    t.same(await everything(app.ctx), after)
  })
}

t.test('reports what cannot be imported, and replaces nothing here', async (t) => {
  const app = await testApp(t)
  const headers = await signUp(app.app, 'ann')
  await signUp(app.app, 'carl')
  const here = sharing(app.app, headers)
  await here.share('taken', { 'mine.txt': 'mine' })
  ok(await here.call('POST', '/taken/links', { id: 'once-taken' }))
  ok(await here.call('DELETE', '/taken/links/once-taken'))
  const pingvin = new PingvinFolder(t, '1.13')
  const ann = pingvin.user('Ann', { email: 'ANN@example.com', password: hashOfAll })
  const carl = pingvin.user('carl', { email: 'another@example.com', password: hashOfAll })
  const ldap = pingvin.user('l-dap@corp', { password: hashOfAll, ldapDN: 'cn=l' })
  pingvin.user('weak', { password: 'plain' })
  pingvin.user('damaged', { totpVerified: 1, totpSecret: '!', password: hashOfAll })
  pingvin.share('taken', { a: 'a' }, { creatorId: ann })
  pingvin.share('once-taken', { a: 'a' }, { creatorId: ann })
  pingvin.share('anns', { a: 'a' }, { creatorId: ann })
  pingvin.share('carls', { a: 'a' }, { creatorId: carl })
  pingvin.share('expired', { a: 'a' }, { expiration: Date.now() - day })
  pingvin.share('unfinished', { a: 'a' }, { uploadLocked: 0 })
  pingvin.share('on-s3', { a: 'a' }, { storageProvider: 'S3' })
  pingvin.share('all', { a: 'a' })
  pingvin.share('x', { a: 'a' })
  const [lost] = pingvin.share('lost', { a: 'a' })
  rmSync(join(pingvin.folder, 'uploads/shares/lost', lost!))
  const [, short] = pingvin.share('short', { a: 'a', b: 'longer' })
  writeFileSync(join(pingvin.folder, 'uploads/shares/short', short!), 'now')
  const link = { provider: 'github', providerUserId: '42', providerUsername: 'octo', userId: ldap }
  pingvin.insert('OAuthUser', link)
  pingvin.insert('OAuthUser', { ...link, provider: 'oidc', providerUsername: 'oidc-name' })
  pingvin.close()

  const { code, output, errors } = await run(app, pingvin.folder, '--apply')
  t.equal(code, 0, errors)
  for (const line of [
    /accounts: carl: another account here has this name/,
    /accounts: weak: its password hash is not from Pingvin Share/,
    /accounts: damaged: its authenticator secret/,
    /accounts: Ann: has an account here with this name and email address/,
    /accounts: l-dap@corp: signed in with LDAP/,
    /shares: taken: another share here has this link/,
    /shares: once-taken: another share here has this link/,
    /shares: carls: its owner is not imported/,
    /shares: expired: has expired/,
    /shares: unfinished: its upload is not finished/,
    /shares: on-s3: its files are in an S3 bucket, and the settings/,
    /shares: all: its link is not valid here/,
    /shares: x: its link is not valid here/,
    /shares: lost: none of its files exist/,
    /shares: short: "b" has 3 bytes instead of 6/,
    /sign-ins elsewhere: oidc-name \(oidc\): must be linked again/,
    /accounts +1 +1 +3\n/,
    /shares +2 +0 +9\n/,
  ]) {
    t.match(output, line)
  }
  t.match((await here.call('GET', '/anns/from-owner')).json(), { completed: true, creator: { username: 'ann' } })
  t.match((await here.call('GET', '/taken/from-owner')).json(), { files: [{ name: 'mine.txt' }] })
  const visitor = callsOf(app.app)
  t.equal(
    (await visitor('POST auth/signIn', { username: 'ann', password: passwordOfAll })).statusCode,
    401,
    'the account here keeps its password',
  )
  t.equal((await visitor('POST auth/signIn', { username: 'l-dap@corp', password: passwordOfAll })).statusCode, 401)
  const links = await app.ctx.db.selectFrom('socialLink').select(['userId', 'issuer', 'subject']).execute()
  t.same(links, [{ userId: ldap, issuer: 'https://github.com', subject: '42' }])
})

t.test('imports recipients with an account from Pingvin Share X, and no share that only they may open', async (t) => {
  const app = await testApp(t)
  const pingvin = new PingvinFolder(t, 'X 2')
  const ann = pingvin.user('ann', { password: hashOfAll, isActivated: 0 })
  const bob = pingvin.user('bob', { password: hashOfAll })
  for (const id of ['sent', 'restricted']) {
    pingvin.share(id, { 'a.txt': 'a' }, { creatorId: ann })
    pingvin.insert('ShareUserRecipient', { userId: bob, shareId: id })
  }
  pingvin.insert('ShareSecurity', { shareId: 'restricted', restrictToRecipients: 1 })
  pingvin.close()
  const { output } = await run(app, pingvin.folder, '--apply')
  t.match(output, /shares: restricted: only its recipients may open it/)
  t.match(output, /accounts: ann: has not confirmed its email address/)
  const users = await app.ctx.db.selectFrom('user').select(['username', 'emailVerified']).orderBy('username').execute()
  t.same(users, [
    { username: 'ann', emailVerified: false },
    { username: 'bob', emailVerified: true },
  ])
  const recipients = await app.ctx.db.selectFrom('shareRecipient').select(['shareId', 'email']).execute()
  t.same(recipients, [{ shareId: 'sent', email: 'bob@example.com' }])
})

t.test('converts settings to our units, encrypts secrets, and keeps settings changed here', async (t) => {
  const app = await testApp(t)
  await set(app.ctx, 'general.appName', 'Ours')
  const pingvin = new PingvinFolder(t, '1.13')
  const values = {
    'general.appName': 'Theirs',
    'general.appUrl': 'https://share.example.org/',
    'general.sessionDuration': '2 weeks',
    'share.maxExpiration': '30 days',
    'share.maxSize': '5000000000',
    'share.allowRegistration': 'false',
    'share.shareIdLength': '4',
    'smtp.enabled': 'true',
    'smtp.host': 'mail.example.org',
    'smtp.port': '587',
    'smtp.email': 'share@example.org',
    'smtp.username': 'share',
    'smtp.password': 'mail secret',
    'email.shareRecipientsMessage': 'Hey!\\n{creator} sends {shareUrl}',
    'email.inviteMessage': 'Your password: {password}',
    'oauth.github-enabled': 'true',
    'ldap.enabled': 'true',
    'internal.jwtSecret': 'never',
  }
  for (const [key, value] of Object.entries(values)) pingvin.set(key, value)
  pingvin.close()
  const { code, output, errors } = await run(app, pingvin.folder, '--apply')
  t.equal(code, 0, errors)
  t.match(await readSettings(app.ctx), {
    'general.appName': 'Ours',
    'general.appUrl': 'https://share.example.org',
    'general.sessionDuration': 336,
    'share.maxExpiration': 720,
    'share.maxSize': 5_000_000_000,
    'share.allowRegistration': false,
    'smtp.enabled': true,
    'smtp.port': 587,
    'oauth.github-enabled': false,
    'email.shareRecipientsMessage': 'Hey!\\n{creator} sends {shareUrl}',
  })
  t.equal(await readSecret(app.ctx, 'smtp.password'), 'mail secret')
  const stored = await app.ctx.db.selectFrom('setting').selectAll().execute()
  t.notMatch(JSON.stringify(stored), 'mail secret')
  t.match(output, /settings: share.shareIdLength: must be at least 8 here/)
  t.match(output, /settings: email.inviteMessage: invitations contain a link here/)
  t.match(output, /settings: oauth.github-enabled: can only be set together with oauth.github-clientId/)
  t.match(output, /settings: ldap.enabled: does not exist here/)
  t.notMatch(output, /jwtSecret|mail secret/)
})

t.test('reads the hours of 0.22 as hours', async (t) => {
  const app = await testApp(t)
  const pingvin = new PingvinFolder(t, '0.22')
  pingvin.set('share.maxExpiration', '48')
  pingvin.close()
  t.match(await run(app, pingvin.folder, '--apply'), { code: 0 })
  t.equal((await readSettings(app.ctx))['share.maxExpiration'], 48)
})

t.test('resumes after being killed, and hides incomplete shares', async (t) => {
  const app = await testApp(t)
  const pingvin = new PingvinFolder(t, '1.13')
  const ann = pingvin.user('ann', { password: hashOfAll })
  const large = Buffer.alloc(100_000_000, 'large')
  const files = { first: 'first', large, last: 'last' }
  for (const id of ['one', 'two', 'three']) pingvin.share(id, files, { creatorId: ann })
  pingvin.close()
  const fileRows = () => app.ctx.db.selectFrom('file').select(['shareId', 'name', 'completedAt']).execute()
  const isUnderWay = async () =>
    (await fileRows()).some(({ shareId, name, completedAt }) => shareId === 'two' && name === 'large' && !completedAt)
  const first = start(app.ctx, app.database, pingvin.folder, '--apply')
  await eventually(isUnderWay, 'the import is at the second share')
  first.child.kill('SIGKILL')
  t.equal((await first.ended).code, null)
  const anyone = sharing(app.app)
  const states = await Promise.all(['one', 'two', 'three'].map(async (id) => (await anyone.call('POST', `/${id}/token`, {})).statusCode))
  t.same(states, [200, 404, 404])

  const again = await run(app, pingvin.folder, '--apply')
  t.equal(again.code, 0, again.errors)
  t.match(again.output, /shares +2 +1 +0\n/)
  t.equal((await fileRows()).length, 9)
  for (const id of ['one', 'two', 'three']) {
    const visitor = sharing(app.app, cookiesOf(ok(await anyone.call('POST', `/${id}/token`, {}))))
    const page = (await visitor.call('GET', `/${id}`)).json()
    t.same(page.files.map(({ name }: { name: string }) => name).sort(), ['first', 'large', 'last'])
    const file = page.files.find(({ name }: { name: string }) => name === 'large')
    t.ok((await visitor.call('GET', `/${id}/files/${file.id}`)).rawPayload.equals(large))
  }
})

t.test('reports what it cannot do', async (t) => {
  const app = await testApp(t)
  t.match(await run(app), { code: 2, output: '', errors: /^Usage: npm run import --/ })
  t.match(await run(app, '/nowhere', '--now'), { code: 2 })
  t.match(await runImport(app, ['unknown', '/nowhere']), { code: 2 })
  t.match(await startCommand(app.ctx, app.database, 'import-pingvin', ['/nowhere']).ended, { code: 1, errors: /does not exist/ })
  t.match(await run(app, app.ctx.env.dataDir), { code: 1, errors: /pingvin-share.db does not exist/ })
  const pingvin = new PingvinFolder(t, '1.13')
  pingvin.close()
  const meanwhile = await withImportLock(app.ctx.db, () => run(app, pingvin.folder, '--apply'))
  t.match(meanwhile, { code: 1, errors: /Another import is running/ })
  writeFileSync(join(pingvin.folder, 'pingvin-share.db'), 'this is no database, but a text of some length')
  t.match(await run(app, pingvin.folder), { code: 1, errors: /cannot be read/ })
})
