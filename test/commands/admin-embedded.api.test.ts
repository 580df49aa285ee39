import t from 'tap'
import { adminCommand, passwordIn } from '../support/admin-command.ts'
import { dataFolder, startServer } from '../support/app/server-process.ts'
import { password } from '../support/people/people.ts'
import { codeAt } from '../support/people/totp.ts'

t.test('works with the embedded database, whether or not the server runs', async (t) => {
  const dataDir = await dataFolder(t)
  const environment = { DATA_DIR: dataDir }
  t.match(
    await adminCommand(environment, 'make-admin', 'alice'),
    { code: 1, errors: `There is no database in ${dataDir}` },
    'no account is created',
  )
  const server = await startServer(t, dataDir, { HOST: '127.0.0.1' })
  const call = async (url: string, path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie }
    const answer = await fetch(`${url}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return {
      status: answer.status,
      json: (await answer.json()) as Record<string, string>,
      cookie: answer.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; '),
    }
  }
  const local = (at: typeof server) => `http://127.0.0.1:${new URL(at.url()).port}`
  await call(local(server), 'auth/signUp', { username: 'root', email: 'root@example.com', password })
  const { cookie } = await call(local(server), 'auth/signUp', { username: 'alice', email: 'alice@example.com', password })
  const { json } = await call(local(server), 'auth/totp/enable', { password }, cookie)
  const verified = await call(local(server), 'auth/totp/verify', { password, code: codeAt(json.totpSecret!, new Date()) }, cookie)
  t.equal(verified.status, 201)

  const reset = await adminCommand(environment, 'reset-password', 'alice')
  t.equal(reset.code, 0, reset.errors)
  t.ok(
    (await call(local(server), 'auth/signIn', { username: 'alice', password: passwordIn(reset) })).json.loginToken,
    'the running server applies the change',
  )
  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)

  t.match(await adminCommand(environment, 'disable-totp', 'alice'), { code: 0 })
  t.match(await adminCommand(environment, 'make-admin', 'alice'), { code: 0 })
  const again = await startServer(t, dataDir, { HOST: '127.0.0.1' })
  const signedIn = await call(local(again), 'auth/signIn', { username: 'alice', password: passwordIn(reset) })
  t.equal(signedIn.status, 200)
  const users = await fetch(`${local(again)}/api/users`, { headers: { cookie: signedIn.cookie } })
  t.equal(users.status, 200)
  again.child.kill('SIGTERM')
  t.equal(await again.ended, 0)
})
