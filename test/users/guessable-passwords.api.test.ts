import t from 'tap'
import { ensureFirstAdmin } from '../../src/auth/first-admin.ts'
import { storeSetting } from '../../src/config/queries.ts'
import { hashPassword } from '../../src/crypto/passwords.ts'
import { EnvError } from '../../src/env.ts'
import { testApp } from '../support/app/app.ts'
import { callsOf } from '../support/calls.ts'
import { letMailsWait, linkTokenTo } from '../support/mails.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const admin = callsOf(app, await signUp(app, 'root'))
const visitor = callsOf(app)
const refused = [400, 'password_too_common']
const guessable = ['password', '12345678', 'PassWord1', 'iloveyou', '        ', 'aaaaaaaaaaaa', 'razorbill', 'Razorbill2026!']
t.beforeEach(() => ctx.db.deleteFrom('rateLimit').execute())

const register = (username: string, password: string) =>
  app.inject({ method: 'POST', url: '/api/auth/signUp', payload: { username, email: `${username}.surname@example.com`, password } })

t.test('rejects an easily guessed password at sign-up', async (t) => {
  for (const guessed of [...guessable, 'wilhelmina', 'Wilhelmina77', 'wilhelmina.surname', 'wilhelmina.surname@example.com']) {
    const answer = await register('wilhelmina', guessed)
    t.same(refusal(answer), refused, guessed)
    t.equal(answer.json().field, 'password')
  }
  t.equal((await register('wilhelmina', 'a cat, wilhelmina and rain')).statusCode, 201, 'a long password may contain a name')
})

t.test('treats the name of the site as guessable', async (t) => {
  await storeSetting(ctx.db, 'general.appName', 'Acme Vault', ctx.now())
  for (const guessed of ['acmevault', 'Acme Vault 1', 'ACMEVAULT99']) t.same(refusal(await register('xenia', guessed)), refused, guessed)
})

t.test('rejects guessable passwords wherever a password is set', async (t) => {
  await letMailsWait(ctx)
  const own = callsOf(app, await signUp(app, 'yolanda'))
  const { id } = (await own('GET users/me')).json()
  for (const guessed of ['football', 'yolanda99']) {
    t.same(refusal(await own('PATCH auth/password', { oldPassword: password, password: guessed })), refused, 'changing one’s own password')
    t.same(refusal(await admin(`PATCH users/${id}`, { password: guessed })), refused, 'an administrator changes a password')
    t.same(
      refusal(await admin('POST users', { username: 'yolanda9', email: 'y@example.com', password: guessed })),
      refused,
      'or creates a user',
    )
  }
  t.same(refusal(await admin(`PATCH users/${id}`, { username: 'quirinius', password: 'quirinius1' })), refused, 'with the new name')
  await visitor('POST auth/resetPassword/yolanda%40example.com')
  const token = await linkTokenTo(ctx, 'yolanda@example.com')
  t.same(refusal(await visitor('POST auth/resetPassword', { token, password: 'yolanda99' })), refused, 'by the link in an email')
  t.equal((await visitor('POST auth/resetPassword', { token, password: 'ocean of paper' })).statusCode, 204, 'the link still works')
})

t.test('lets a user with an existing guessable password sign in and turn on TOTP', async (t) => {
  await signUp(app, 'zelda')
  const passwordHash = await hashPassword('pass', 'new-password')
  await ctx.db.updateTable('user').set({ passwordHash }).where('username', '=', 'zelda').execute()
  const answer = await visitor('POST auth/signIn', { username: 'zelda', password: 'pass' })
  t.equal(answer.statusCode, 200)
  t.equal((await callsOf(app, headersOf(answer))('POST auth/totp/enable', { password: 'pass' })).statusCode < 300, true)
})

t.test('allows simple passwords for shares', async (t) => {
  t.equal((await admin('POST shares', { id: 'simple', security: { password: 'password' } })).statusCode, 201)
})

t.test('does not create a first administrator with a guessable password', async (t) => {
  const first = { username: 'keeper', email: 'keeper@example.com', password: 'keeper2026' }
  const { ctx } = await testApp(t, { env: { admin: first } })
  const error = await ensureFirstAdmin(ctx).catch((error) => error)
  t.ok(error instanceof EnvError)
  t.match(error.problems, [/^ADMIN_PASSWORD is too easy to guess/])
})
