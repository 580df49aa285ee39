import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf, testClock } from '../support/calls.ts'
import { letMailsWait, linkTokenTo, mailsTo } from '../support/mails.ts'
import { password, signUp } from '../support/people/people.ts'
import { codeAt, switchTotpOn } from '../support/people/totp.ts'
import { refusal } from '../support/sharing.ts'

const clock = testClock()
const { app, ctx } = await testApp(t, { now: clock.now })
const visitor = callsOf(app)
const admin = callsOf(app, await signUp(app, 'root'))
await letMailsWait(ctx)

let people = 0
const newcomer = async () => {
  const username = `person_${people++}`
  const call = callsOf(app, await signUp(app, username))
  return { username, email: `${username}@example.com`, call, id: (await call('GET users/me')).json().id as string }
}
/** Which changes the notices to an address report, in the order of their creation. */
const noticesTo = async (email: string) => {
  const texts = (await mailsTo(ctx, email)).filter((text) => text.includes('If you made this change'))
  return texts.map((text) => text.split('\n')[2])
}

t.test('reports a change of the email address to the old address, regardless of the caller', async (t) => {
  const { username, email, call, id } = await newcomer()
  const second = `second_${email}`
  t.equal((await call('PATCH users/me', { email: second, currentPassword: password })).statusCode, 200)
  t.same(await noticesTo(email), ['The email address of your account was changed. This is the last message to the old address.'])
  t.same(await mailsTo(ctx, second), [])
  t.equal((await admin(`PATCH users/${id}`, { email: `third_${email}`, username: `${username}_2` })).statusCode, 200)
  t.same((await noticesTo(second)).toSorted(), [
    'The email address of your account was changed. This is the last message to the old address.',
    'The username of your account was changed.',
  ])
  const row = ctx.db.selectFrom('mail').selectAll().where('recipient', '=', email)
  const mail = await row.executeTakeFirstOrThrow()
  t.match(mail, { kind: 'securityNotice', subject: 'Security notice for your Razorbill account', state: 'queued' })
  t.match(ctx.sealer.open(mail.body!), `Hello ${username},`)
  t.match(ctx.sealer.open(mail.body!), 'Time: January 1, 2027')
})

t.test('reports a change of the password, regardless of the caller', async (t) => {
  const { username, email, call, id } = await newcomer()
  const changed = 'The password of your account was changed.'
  t.equal((await call('PATCH auth/password', { oldPassword: password, password: 'another password' })).statusCode, 200)
  t.same(await noticesTo(email), [changed])
  t.equal((await admin(`PATCH users/${id}`, { password })).statusCode, 200)
  t.same(await noticesTo(email), [changed, changed])
  t.equal((await visitor(`POST auth/resetPassword/${email}`)).statusCode, 202)
  const token = await linkTokenTo(ctx, email)
  t.equal((await visitor('POST auth/resetPassword', { token, password: 'a third password' })).statusCode, 204)
  t.same(await noticesTo(email), [changed, changed, changed])
  t.equal((await visitor('POST auth/signIn', { username, password: 'a third password' })).statusCode, 200)
})

t.test('reports changes of the second factor and new API tokens', async (t) => {
  const { email, call } = await newcomer()
  const { secret } = await switchTotpOn(call, clock.now())
  clock.pass(30)
  const renewed = await call('POST auth/totp/recoveryCodes', { code: codeAt(secret, clock.now()), password })
  t.equal(renewed.statusCode, 201)
  clock.pass(30)
  t.equal((await call('POST auth/totp/disable', { code: codeAt(secret, clock.now()), password })).statusCode, 201)
  clock.pass(30)
  t.equal((await call('POST auth/tokens', { name: 'script', scopes: ['shares:read'] })).statusCode, 201)
  t.same(await noticesTo(email), [
    'Two-factor sign-in was turned on for your account.',
    'Your account has new recovery codes. The old ones no longer work.',
    'Two-factor sign-in was turned off for your account.',
    'An API token was created for your account.',
  ])
})

t.test('reports nothing that is refused or changes nothing', async (t) => {
  const { username, email, call, id } = await newcomer()
  t.same(refusal(await call('PATCH auth/password', { oldPassword: 'not it', password: 'another password' })), [403, 'wrong_password'])
  t.same(refusal(await call('PATCH users/me', { email: 'root@example.com', currentPassword: password })), [400, 'email_taken'])
  t.same(refusal(await admin(`PATCH users/${id}`, { username: 'root', password: 'another password' })), [400, 'username_taken'])
  t.equal((await call('PATCH users/me', { username, email })).statusCode, 200)
  t.same(await mailsTo(ctx, email), [])
})

t.test('sends nothing when email is off', async (t) => {
  const { email, call } = await newcomer()
  await storeSetting(ctx.db, 'smtp.enabled', false, clock.now())
  t.equal((await call('PATCH auth/password', { oldPassword: password, password: 'another password' })).statusCode, 200)
  t.same(await mailsTo(ctx, email), [])
  await storeSetting(ctx.db, 'smtp.enabled', true, clock.now())
})
