import t from 'tap'
import { storeSetting } from '../../src/config/queries.ts'
import { createSealer } from '../../src/crypto/sealed.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { checkSecretKey } from '../../src/process/secret-check.ts'
import { adminCommand, passwordIn } from '../support/admin-command.ts'
import { testApp } from '../support/app/app.ts'
import { startProcess } from '../support/app/server-process.ts'
import { callsOf } from '../support/calls.ts'
import { headersOf, password, signUp } from '../support/people/people.ts'
import { switchTotpOn } from '../support/people/totp.ts'

function environmentOf({ host, port, user, database }: Socket) {
  const url = `postgres:///${database}?${new URLSearchParams({ host, port: String(port), user })}`
  return { DATABASE_URL: url, SECRET_KEY: 'the secret key of the tests, 32 characters and more' }
}

t.test('runs its commands and refuses invalid ones with an external database', async (t) => {
  const { app, ctx, database } = await testApp(t)
  const environment = environmentOf(database)
  const visitor = callsOf(app)
  await signUp(app, 'root')
  const headers = await signUp(app, 'alice')
  const alice = callsOf(app, headers)
  await switchTotpOn(alice, new Date())
  const { token } = (await alice('POST auth/tokens', { name: 'x', scopes: ['shares:read'] })).json()
  const { loginToken } = (await visitor('POST auth/signIn', { username: 'alice', password })).json()
  t.ok(loginToken)

  const reset = await adminCommand(environment, 'reset-password', 'ALICE@example.com')
  t.equal(reset.code, 0, reset.errors)
  t.equal((await alice('GET users/me')).statusCode, 401, 'the sessions have ended')
  t.equal(
    (await visitor('GET users/me', undefined, { headers: { authorization: `Bearer ${token}` } })).statusCode,
    401,
    'the tokens have ended too',
  )
  t.equal((await visitor('POST auth/signIn/totp', { loginToken, totp: '000000' })).json().error, 'invalid_login_token')
  const { event, userId, how, role, level } = JSON.parse(reset.errors)
  const { id } = await ctx.db.selectFrom('user').select('id').where('username', '=', 'alice').executeTakeFirstOrThrow()
  t.same({ event, userId, how, role, level }, { event: 'password_changed', userId: id, how: 'command_line', role: 'admin', level: 'info' })
  t.notMatch(reset.errors, passwordIn(reset), 'the log contains no password')
  const signIn = () => visitor('POST auth/signIn', { username: 'alice', password: passwordIn(reset) })
  t.ok((await signIn()).json().loginToken, 'a new password keeps TOTP')

  t.match(await adminCommand(environment, 'disable-totp', 'alice'), { code: 0, output: 'alice' })
  const signedIn = await signIn()
  t.ok(signedIn.json().accessToken)
  t.equal((await ctx.db.selectFrom('recoveryCode').selectAll().execute()).length, 0)

  t.match(await adminCommand(environment, 'make-admin', 'alice'), { code: 0, output: 'alice is an administrator' })
  t.equal((await callsOf(app, headersOf(signedIn))('GET users')).statusCode, 200)
})

t.test('turns password sign-in on again, unless the environment forbids it', async (t) => {
  const { app, ctx, database } = await testApp(t)
  const visitor = callsOf(app)
  await signUp(app, 'root')
  await storeSetting(ctx.db, 'oauth.disablePassword', true, new Date())
  const signIn = () => visitor('POST auth/signIn', { username: 'root', password })
  t.equal((await signIn()).json().error, 'password_sign_in_disabled')
  const forbidden = await adminCommand({ ...environmentOf(database), RAZORBILL_OAUTH_DISABLE_PASSWORD: 'true' }, 'allow-passwords')
  t.match(forbidden, { code: 1, output: '', errors: /RAZORBILL_OAUTH_DISABLE_PASSWORD/ })
  t.match(await adminCommand(environmentOf(database), 'allow-passwords'), { code: 0, output: 'can sign in with their password again' })
  t.equal((await signIn()).statusCode, 200)
})

t.test('reports what it cannot do', async (t) => {
  const { database } = await testApp(t)
  const environment = environmentOf(database)
  t.match(await adminCommand(environment, 'make-admin', 'nobody'), { code: 1, output: '', errors: 'There is no user "nobody".' })
  for (const words of [['make-admin'], ['toString', 'alice'], ['make-admin', 'alice', 'bob'], ['allow-passwords', 'alice']]) {
    t.match(await adminCommand(environment, ...words), { code: 2, output: '', errors: /^Usage: npm run admin/ }, words.join(' '))
  }
})

t.test('deletes the secrets of a lost key, without which the server refuses to start with another', async (t) => {
  const { app, ctx, database } = await testApp(t)
  const alice = callsOf(app, await signUp(app, 'alice'))
  const { sealer } = ctx
  const other = createSealer('another secret key, of 32 characters and more')
  await checkSecretKey(ctx.db, other)
  await switchTotpOn(alice, new Date())
  await storeSetting(ctx.db, 'smtp.password', sealer.seal('x'), new Date())
  await checkSecretKey(ctx.db, sealer)
  await t.rejects(checkSecretKey(ctx.db, other), {
    name: 'StartError',
    message: /^SECRET_KEY is another one .* none of its 2 .*forget-secrets$/,
  })

  const environment = { ...environmentOf(database), SECRET_KEY: 'another secret key, of 32 characters and more' }
  const refused = startProcess(t, { ...environment, WORKER: 'off' })
  t.equal(await refused.ended, 1)
  t.match(refused.output(), /^SECRET_KEY is another one/m)

  await storeSetting(ctx.db, 'smtp.password', other.seal('x'), new Date())
  await checkSecretKey(ctx.db, other) // one secret that opens is enough
  t.match(await adminCommand(environment, 'forget-secrets'), { code: 0, output: 'second factors of 1 users' })
  await checkSecretKey(ctx.db, other)
  t.ok((await callsOf(app)('POST auth/signIn', { username: 'alice', password })).json().accessToken, 'she needs no code')
})
