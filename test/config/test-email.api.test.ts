import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { prerequisites, settingsCalls } from '../support/app/settings.ts'
import { signUp } from '../support/people/people.ts'
import { refusal, set } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

const { app, ctx } = await testApp(t)
const headers = await signUp(app, 'admin')
const send = (email: unknown = 'ann@example.com') =>
  app.inject({ method: 'POST', url: '/api/configs/admin/testEmail', headers, payload: { email } })

t.test('refuses to send when email is off', async (t) => {
  t.same(refusal(await send()), [403, 'smtp_disabled'])
})

t.test('delivers a test email', async (t) => {
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  await set(ctx, 'general.appName', 'Our files')
  t.equal((await send()).statusCode, 201)
  t.match(server.received, [
    { to: ['ann@example.com'], headers: { subject: 'Test email', from: 'Our files <razorbill@example.com>' }, text: /Our files/ },
  ])
  for (const email of ['nonsense', 'a@b.example\r\nBcc: c@d.example', 'a@b.example,c@d.example', 7, null]) {
    t.same(refusal(await send(email)), [400, 'validation_failed'])
  }
  t.equal(server.received.length, 1)
})

t.test('reports a failure in the words of the mail server', async (t) => {
  const refusing = await mailServer(t, { login: { user: 'u', pass: 'p' } })
  await switchMailOn(ctx, refusing.port, { username: 'u', password: 'wrong' })
  const wrong = await send()
  t.same(refusal(wrong), [400, 'smtp_failed'])
  t.match(wrong.json(), { reason: /535 5\.7\.8 These credentials are not ours/, message: /535 5\.7\.8/ })
  t.notMatch(wrong.body, 'wrong', 'the password is not included')
  const plain = await mailServer(t)
  await switchMailOn(ctx, plain.port, { username: '', tls: 'implicit' })
  t.match((await send()).json(), { error: 'smtp_failed', reason: `Port ${plain.port} does not start with TLS. Choose STARTTLS` })
  await switchMailOn(ctx, plain.port, { tls: 'starttls' })
  t.match((await send()).json(), { error: 'smtp_failed', reason: /STARTTLS/ })
  await switchMailOn(ctx, plain.port, { tls: 'auto' })
  await plain.stop()
  t.match((await send()).json(), { error: 'smtp_failed', reason: /ECONNREFUSED/ })
  await switchMailOn(ctx, 25, { host: 'no-such-host.invalid' })
  t.match((await send()).json(), { error: 'smtp_failed', reason: /no-such-host\.invalid/ })
})

t.test('names the setting when port, encryption or sender do not fit', async (t) => {
  const implicit = await mailServer(t, { tls: 'implicit' })
  await switchMailOn(ctx, implicit.port, { username: '', tls: 'none' })
  t.match((await send()).json(), {
    error: 'smtp_failed',
    reason: `Port ${implicit.port} does not greet. It may start with TLS: choose TLS`,
  })
  const strict = await mailServer(t, { refuseSender: '553 5.7.1 Sender address rejected: not owned by user' })
  await switchMailOn(ctx, strict.port, { tls: 'auto' })
  const { reason } = (await send()).json()
  t.match(reason, 'does not accept the sender razorbill@example.com. Use an address that it allows')
  t.match(reason, '5.7.1 Sender address rejected', 'with the server’s own words')
  const login = { user: 'mail@example.org', pass: 'p' }
  const headerCheck = await mailServer(t, { login, refuseMessage: '550 5.7.1 The From header does not belong to you' })
  await switchMailOn(ctx, headerCheck.port, { username: login.user, password: login.pass })
  t.match(
    (await send()).json().reason,
    'does not accept the sender razorbill@example.com. Use an address that it allows, such as mail@example.org (',
  )
  await switchMailOn(ctx, strict.port, { username: '' })
})

t.test('greets with the host of the application’s URL', async (t) => {
  const server = await mailServer(t)
  await switchMailOn(ctx, server.port)
  for (const [url, name] of [
    ['https://files.example.org/x', 'files.example.org'],
    ['https://dateien.bücher.example', 'dateien.xn--bcher-kva.example'],
    ['http://192.0.2.7:3000', /^(?!.*192\.0\.2\.7)/],
  ] as const) {
    await set(ctx, 'general.appUrl', url)
    t.equal((await send()).statusCode, 201)
    t.match(server.received.at(-1)!.clientName, name, url)
  }
})

t.test('uses the settings saved through the API', async (t) => {
  const server = await mailServer(t, { login: { user: 'u', pass: 'p w' } })
  await ctx.db.deleteFrom('setting').execute()
  await settingsCalls(app, headers).set(
    ...prerequisites['smtp.enabled']!.map(
      (change) =>
        ({ 'smtp.host': { key: 'smtp.host', value: '127.0.0.1' }, 'smtp.port': { key: 'smtp.port', value: server.port } })[change.key] ??
        change,
    ),
    { key: 'smtp.enabled', value: true },
    { key: 'smtp.username', value: 'u' },
    { key: 'smtp.password', value: 'p w' },
  )
  t.equal((await send()).statusCode, 201)
  t.match(server.received, [{ user: 'u', from: 'a@example.com' }])
})
