import t from 'tap'
import { setupCode } from '../../src/auth/setup-code.ts'
import { createSealer } from '../../src/crypto/sealed.ts'
import { testApp } from '../support/app/app.ts'
import { password, signUp } from '../support/people/people.ts'
import { refusal } from '../support/sharing.ts'

interface Request {
  setupCode?: string
  address?: string
  headers?: Record<string, string>
}
type App = Awaited<ReturnType<typeof testApp>>['app']
const register = (app: App, { setupCode, address = '192.0.2.1', headers = {} }: Request = {}) =>
  app.inject({
    method: 'POST',
    url: '/api/auth/signUp',
    remoteAddress: address,
    headers,
    payload: { username: 'first', email: 'first@example.com', password, ...(setupCode !== undefined && { setupCode }) },
  })

t.test('requires the code for the first account, and uses the same one at every replica', async (t) => {
  const { app, ctx, database } = await testApp(t)
  const other = await testApp(t, { database })
  const code = setupCode(ctx.sealer)
  t.match(code, /^[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}$/)
  t.equal(setupCode(other.ctx.sealer), code)
  t.not(setupCode(createSealer('another secret key, of 32 characters and more')), code)
  t.same(refusal(await register(app)), [403, 'setup_code_required'])
  t.same(refusal(await register(app, { setupCode: '' })), [403, 'setup_code_required'])
  const wrong = await register(app, { setupCode: code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) })
  t.same(refusal(wrong), [403, 'wrong_setup_code'])
  t.equal(wrong.json().field, 'setupCode')
  t.same(await ctx.db.selectFrom('user').selectAll().execute(), [])
  const answer = await register(other.app, { setupCode: ` ${code.replaceAll('-', '').toLowerCase()} ` })
  t.equal(answer.statusCode, 201)
  t.match(answer.json().user, { isAdmin: true })
})

t.test('requires no code for later accounts', async (t) => {
  const { app } = await testApp(t)
  await signUp(app, 'root')
  t.equal((await register(app)).statusCode, 201)
})

t.test('requires no code for a direct request from this machine', async (t) => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    const { app } = await testApp(t)
    t.equal((await register(app, { address })).statusCode, 201, address)
  }
})

t.test('requires the code under another host name (DNS rebinding, or a proxy that adds no headers)', async (t) => {
  const { app } = await testApp(t)
  for (const host of ['files.example.com', 'files.example.com:3000', 'localhost.example.com', '127.0.0.1.example.com', '192.0.2.7']) {
    t.same(refusal(await register(app, { address: '127.0.0.1', headers: { host } })), [403, 'setup_code_required'], host)
  }
  t.equal((await register(app, { address: '::1', headers: { host: '[::1]:3000' } })).statusCode, 201)
})

t.test('requires the code through a proxy on this machine', async (t) => {
  const { app } = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
  const forwarding: Record<string, string>[] = [
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': 'files.example.com' },
    { forwarded: 'for=127.0.0.1' },
  ]
  for (const headers of forwarding) {
    t.same(refusal(await register(app, { address: '127.0.0.1', headers })), [403, 'setup_code_required'], JSON.stringify(headers))
  }
})

t.test('requires no code when the environment names the administrator', async (t) => {
  const { app } = await testApp(t, { env: { admin: { username: 'root', email: 'root@example.com', password: 'a long password' } } })
  t.equal((await register(app)).statusCode, 201)
})

t.test('reports to pages whether a setup code is required', async (t) => {
  const { app } = await testApp(t)
  const asked = async (remoteAddress: string) => {
    const { body } = await app.inject({ url: '/auth/signUp', remoteAddress, headers: { accept: 'text/html' } })
    return JSON.parse(/id="start">(.*?)<\/script>/s.exec(body)![1]!).setupCodeRequired
  }
  t.equal(await asked('192.0.2.1'), true)
  t.equal(await asked('127.0.0.1'), false)
  await signUp(app, 'root')
  t.equal(await asked('192.0.2.1'), false)
})
