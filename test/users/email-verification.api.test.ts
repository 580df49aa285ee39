import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { letMailsWait, linkTokenTo, mailsTo, site } from '../support/mails.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { ok, refusal } from '../support/sharing.ts'

const clock = testClock()
const { app, ctx } = await testApp(t, { now: clock.now })
const visitor = callsOf(app)
const admin = callsOf(app, await signUp(app, 'root'))
const early = callsOf(app, await signUp(app, 'early'))
await letMailsWait(ctx)
const set = (key: 'share.requireVerifiedEmail' | 'email.enableShareEmailRecipients', value: boolean) =>
  storeSetting(ctx.db, key, value, clock.now())
await set('share.requireVerifiedEmail', true)
await set('email.enableShareEmailRecipients', true)
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

let people = 0
const newcomer = async () => {
  const username = `person_${people++}`
  const call = callsOf(app, await signUp(app, username))
  return { username, email: `${username}@example.com`, call }
}
const tokensTo = async (email: string) =>
  (await mailsTo(ctx, email)).flatMap((text) => new RegExp(`${site}/auth/verifyEmail/([\\w-]{43})(?=\\s|$)`).exec(text)?.[1] ?? [])
const isVerified = async (call: typeof admin) => ok(await call('GET users/me')).json().emailVerified as boolean
const verify = (token: string) => visitor('POST auth/verifyEmail', { token })
const share = (id: string, more: object = {}) => ({ id, expiration: '1-day', ...more })
const link = { shareExpiration: '1-day', maxShareSize: '1000', maxUseCount: 9, sendEmailNotification: true }

t.test('lets a new account share once the link in its email was used, and only once', async (t) => {
  const { email, call } = await newcomer()
  t.equal(await isVerified(call), false)
  t.same(refusal(await call('POST shares', share('before'))), [403, 'email_not_verified'])
  t.same(refusal(await call('POST reverseShares', link)), [403, 'email_not_verified'])
  const [token, ...more] = await tokensTo(email)
  t.same(more, [], 'one email')
  t.equal((await visitor(`GET auth/verifyEmail/${token}`)).statusCode, 404, 'no GET verifies')
  t.equal(await isVerified(call), false)
  t.same(refusal(await verify('x'.repeat(43))), [400, 'invalid_token'])
  t.equal((await verify(token!)).statusCode, 204)
  t.equal(await isVerified(call), true)
  t.same(refusal(await verify(token!)), [400, 'invalid_token'])
  ok(await call('POST shares', share('after')))
  ok(await call('POST reverseShares', link))
})

t.test('sends another link on request, which replaces the first, within the limits of emails', async (t) => {
  const { email, call } = await newcomer()
  t.same(refusal(await visitor('POST users/me/verification')), [401, 'unauthorized'])
  t.equal((await call('POST users/me/verification')).statusCode, 202)
  const [first, second] = await tokensTo(email)
  t.same(refusal(await verify(first!)), [400, 'invalid_token'])
  const responses = await Promise.all(Array.from({ length: 12 }, () => call('POST users/me/verification')))
  const refused = responses.find(({ statusCode }) => statusCode === 429)
  t.match(refused?.json(), { error: 'too_many_emails' })
  t.ok(Number(refused?.headers['retry-after']) > 0)
  t.same(refusal(await verify(second!)), [400, 'invalid_token'])
  t.equal((await verify((await tokensTo(email)).at(-1)!)).statusCode, 204)
  t.equal((await call('POST users/me/verification')).statusCode, 202)
  t.equal(
    (await tokensTo(email)).length,
    responses.filter(({ statusCode }) => statusCode === 202).length + 2,
    'a verified account gets none',
  )
})

t.test('verifies a changed address anew and stops earlier links', async (t) => {
  const { email, call } = await newcomer()
  const [old] = await tokensTo(email)
  const next = `next_${email}`
  t.equal((await call('PATCH users/me', { email: next, currentPassword: password })).json().emailVerified, false)
  t.same(refusal(await verify(old!)), [400, 'invalid_token'])
  const [token] = await tokensTo(next)
  t.equal((await verify(token!)).statusCode, 204)
  t.equal(await isVerified(call), true)
  t.equal((await call('PATCH users/me', { email: next, username: `new_${people}` })).json().emailVerified, true, 'nothing has changed')
  t.equal((await call('PATCH users/me', { email, currentPassword: password })).json().emailVerified, false)
  t.same(refusal(await call('POST shares', share('changed'))), [403, 'email_not_verified'])
})

t.test('waits for a concurrent change of the address, which ends the link', async (t) => {
  const { email } = await newcomer()
  const [token] = await tokensTo(email)
  let verifying: ReturnType<typeof verify> | undefined
  await ctx.db.transaction().execute(async (db) => {
    const { id } = await db
      .updateTable('user')
      .set({ email: `x_${email}` })
      .where('email', '=', email)
      .returning('id')
      .executeTakeFirstOrThrow()
    verifying = verify(token!)
    await setTimeout(200)
    await db.deleteFrom('emailToken').where('userId', '=', id).execute()
  })
  t.same(refusal(await verifying!), [400, 'invalid_token'])
})

t.test('verifies an address anew that concurrent changes set back', async (t) => {
  const { email, call } = await newcomer()
  let settingBack: ReturnType<typeof call> | undefined
  await ctx.db.transaction().execute(async (db) => {
    await db
      .updateTable('user')
      .set({ email: `x_${email}` })
      .where('email', '=', email)
      .execute()
    settingBack = call('PATCH users/me', { email, currentPassword: password })
    await setTimeout(500)
  })
  t.match((await settingBack!).json(), { email, emailVerified: false })
})

t.test('shows no unverified address and sends no notices of received files to it', async (t) => {
  const { email, call } = await newcomer()
  await verify((await tokensTo(email))[0]!)
  await storeSetting(ctx.db, 'email.shareRecipientsMessage', 'from {creatorEmail} {shareUrl}', clock.now())
  ok(await call('POST shares', share('mailing', { recipients: ['friend@example.com'] })))
  const { token } = ok(await call('POST reverseShares', link)).json()
  const file = async (id: string, sender: typeof call) => {
    const { id: fileId } = ok(await sender(`POST shares/${id}/files`, { name: 'a', size: 0 })).json()
    ok(await sender(`POST shares/${id}/files/${fileId}/complete`))
    return sender(`POST shares/${id}/complete`)
  }
  ok(await call('PATCH users/me', { email: 'ceo@bigcorp.example', currentPassword: password }))
  t.same(refusal(await call('PATCH shares/mailing', { recipients: ['other@example.com'] })), [403, 'email_not_verified'])
  ok(await file('mailing', call))
  const [mail] = await mailsTo(ctx, 'friend@example.com')
  t.notMatch(mail, 'ceo@bigcorp.example')
  t.match(mail, /\/share\/[A-Za-z0-9]+/, 'the link of the recipient')
  ok(await early('POST shares', share('received_one', { reverseShareToken: token })))
  t.equal((await file('received_one', early)).json().notifyReverseShareCreator, false)
  t.equal((await mailsTo(ctx, 'ceo@bigcorp.example')).length, 1, 'the link to verify it')
  t.equal((await call('POST shares', share('through_link', { reverseShareToken: token }))).statusCode, 201, 'as a visitor can')
})

t.test('counts existing accounts, those of administrators and invited ones as verified', async (t) => {
  t.equal(await isVerified(admin), true)
  t.equal(await isVerified(early), true)
  const created = ok(await admin('POST users', { username: 'invited', email: 'invited@example.com' })).json()
  t.equal(created.emailVerified, true)
  const { email, call } = await newcomer()
  const { id } = (await call('GET users/me')).json()
  t.equal((await admin(`PATCH users/${id}`, { email: `by_admin_${email}` })).json().emailVerified, true)
  const listed = (await admin('GET users?search=person')).json() as { emailVerified: boolean }[]
  t.ok(
    listed.some(({ emailVerified }) => !emailVerified),
    'the list shows it',
  )
})

t.test('counts an address as verified whose password link was used', async (t) => {
  const { email } = await newcomer()
  t.equal((await visitor(`POST auth/resetPassword/${email}`)).statusCode, 202)
  const token = await linkTokenTo(ctx, email)
  t.equal((await visitor('POST auth/resetPassword', { token, password: 'another password' })).statusCode, 204)
  const user = await ctx.db.selectFrom('user').select('emailVerified').where('email', '=', email).executeTakeFirstOrThrow()
  t.equal(user.emailVerified, true)
})

t.test('restricts no one and sends nothing while the setting or email is off', async (t) => {
  const { call } = await newcomer()
  await set('share.requireVerifiedEmail', false)
  ok(await call('POST shares', share('setting_off')))
  const other = await newcomer()
  t.equal(await isVerified(other.call), true)
  t.same(await mailsTo(ctx, other.email), [])
  await set('share.requireVerifiedEmail', true)
  await ctx.db.deleteFrom('rateLimit').execute()
})

t.test('creates no account beyond the limit of emails', async (t) => {
  await ctx.limiters({ name: 'mails-visitor', attempts: 100, seconds: 3600 }).consume('192.0.2.1', 100)
  const refused = await visitor('POST auth/signUp', { username: 'too_many', email: 'too_many@example.com', password })
  t.same(refusal(refused), [429, 'too_many_emails'])
  t.equal((await visitor('POST auth/signIn', { username: 'too_many', password })).statusCode, 401)
})

t.test('stores only a hash of the token, which expires after 24 hours', async (t) => {
  const { email } = await newcomer()
  const [token] = await tokensTo(email)
  const rows = await ctx.db.selectFrom('emailToken').selectAll().execute()
  t.notOk(JSON.stringify(rows).includes(token!))
  clock.pass(86_400)
  t.same(refusal(await verify(token!)), [400, 'invalid_token'])
  const signedIn = callsOf(app, headersOf(ok(await visitor('POST auth/signIn', { email, password }))))
  t.equal(await isVerified(signedIn), false)
})
