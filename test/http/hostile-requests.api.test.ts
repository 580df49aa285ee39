import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { set, sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const admin = await signUp(app, 'admin')
const user = await signUp(app, 'user')
const [file] = await sharing(app, user).share('open', { 'a.txt': 'hello' })
const port = await listen(app)

/**
 * Milliseconds of this thread that `work` uses, including sending its requests. The time of other
 * programs does not count.
 */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
const most = 250 // ms; the quadratic versions took seconds
const calls = { host: 'x', 'content-type': 'application/json' }
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetchWhole(port, path, { method: 'POST', headers: { ...calls, ...headers } }, Buffer.from(body))

t.test('rejects long lists of wrong values at their first bound, and names every wrong field', async (t) => {
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  const arrays = Array.from({ length: 15_000 }, (_, at) => `[${at}]`).join(',')
  const ones = `${'1,'.repeat(60_000)}1`
  for (const [path, body, headers, count] of [
    ['/api/auth/tokens', `{"name":"x","scopes":[${arrays}]}`, user, 1],
    ['/api/shares', `{"recipients":[${ones}]}`, {}, 1],
    ['/api/shares', `{"name":7,"recipients":[${ones}],"security":{"maxViews":0,"password":"a"},"sender":{"email":"x"}}`, {}, 8],
    ['/api/auth/signUp', `{"username":"${'a'.repeat(70_000)}","email":"${'a.'.repeat(20_000)}@x","password":1}`, {}, 3],
  ] as const) {
    let answer: Awaited<ReturnType<typeof post>> | undefined
    const ms = await cost(async () => {
      answer = await post(path, body, headers)
    })
    t.equal(answer!.status, 400, path)
    t.equal(JSON.parse(String(answer!.body)).issues.length, count, String(answer!.body).slice(0, 600))
    t.ok(answer!.body.length < 4_000)
    t.ok(ms < most, `it takes ${ms.toFixed(0)} ms`)
  }
  await set(ctx, 'share.allowUnauthenticatedShares', false)
})

t.test('refuses a visitor without permission before reading the body', async (t) => {
  for (const [path, type] of [
    ['/api/shares', 'application/json'],
    ['/api/upload', 'multipart/form-data; boundary=x'],
  ] as const) {
    const answer = await post(path, '{"this is": no JSON', { 'content-type': type })
    t.equal(answer.status, 403, path)
    t.match(JSON.parse(String(answer.body)), { error: 'unauthenticated_shares_disabled' })
  }
})

t.test('checks rights before bodies on every authenticated call', async (t) => {
  for (const path of ['/api/users', '/api/configs/admin/testEmail', '/api/auth/tokens', '/api/reverseShares', '/api/oauth/link/github']) {
    t.equal((await post(path, '{"this is": no JSON')).status, 401, path)
  }
})

t.test('handles a long Range header in linear time', async (t) => {
  for (const range of [`bytes=${' '.repeat(15_500)}x`, `bytes=1-${' '.repeat(15_500)}x`, `bytes=${'1'.repeat(15_500)}x`]) {
    const ms = await cost(async () => {
      const answer = await fetchWhole(port, `/api/shares/open/files/${file}`, { headers: { range } })
      t.equal(answer.status, 200)
    })
    t.ok(ms < most, `it takes ${ms.toFixed(0)} ms`)
  }
})

t.test('rejects an id with a URN prefix as invalid', async (t) => {
  const id = 'urn:uuid:00000000-0000-0000-0000-000000000000'
  for (const [method, path, payload] of [
    ['DELETE', `/api/auth/sessions/${id}`],
    ['DELETE', `/api/auth/tokens/${id}`],
    ['DELETE', `/api/auth/passkeys/${id}`],
    ['PATCH', `/api/auth/passkeys/${id}`, { name: 'x' }],
    ['PATCH', `/api/users/${id}`, {}],
    ['DELETE', `/api/users/${id}`],
    ['POST', `/api/users/${id}/invitation`],
    ['DELETE', `/api/reverseShares/${id}`],
    ['GET', `/api/reverseShares/${id}/shares`],
    ['GET', `/api/shares/open/files/${id}`],
    ['PUT', `/api/shares/open/files/${id}/parts/1`],
    ['PATCH', `/api/shares/open/files/${id}`, { name: 'x' }],
    ['POST', `/api/shares/open/recipients/${id}/retry`],
  ] as const) {
    const answer = await app.inject({ method, url: path, headers: admin, ...(payload && { payload }) })
    t.ok([400, 404].includes(answer.statusCode), `${method} ${path}: ${answer.statusCode}`)
  }
})

t.test('rejects an overlong number in a query string', async (t) => {
  const endless = '9'.repeat(400)
  for (const url of [`/api/shares?page=${endless}`, `/api/shares?limit=-${endless}`, `/api/shares/all?page=${endless}`]) {
    const answer = await app.inject({ url, headers: admin })
    t.same([answer.statusCode, answer.json().error], [400, 'validation_failed'], url)
  }
})
