import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { EarlyServer } from '../../src/process/early-server.ts'

const anyPort: ConstructorParameters<typeof EarlyServer>[0] = { appUrl: null, host: '127.0.0.1', port: 0 }

interface Test {
  teardown(work: () => unknown): void
}

async function started(t: Test, address = anyPort, holdTime?: number): Promise<{ server: EarlyServer; url: string }> {
  const server = new EarlyServer(address, holdTime)
  t.teardown(() => server.stop())
  await server.start()
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test('holds requests until the application is ready', async (t) => {
  const { server, url } = await started(t)
  const early = fetch(`${url}/page`)
  const upload = fetch(`${url}/upload`, { method: 'POST', body: 'bytes' })
  const expecting = request(`${url}/expecting`, { method: 'PUT', headers: { expect: '100-continue', 'content-length': 5 } })
  expecting.flushHeaders()
  const expectingResponse = once(expecting, 'response')
  expecting.on('continue', () => expecting.end('bytes'))
  await once(server, 'connection')
  server.handOver(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    response.end(`${request.method} ${request.url} ${Buffer.concat(parts)}`)
  })
  const outcome = await Promise.race([early, new Promise((resolve) => setTimeout(resolve, 50, 'waiting'))])
  t.equal(outcome, 'waiting', 'also after the application has its listener')
  const listening = once(server, 'listening')
  server.listen()
  await listening
  t.equal(await (await early).text(), 'GET /page ')
  t.equal(await (await upload).text(), 'POST /upload bytes')
  const [response] = await expectingResponse
  t.equal(response.statusCode, 200)
  response.resume()
  t.equal(await (await fetch(`${url}/later`)).text(), 'GET /later ')
})

t.test('reports at once that the process is running and not ready', async (t) => {
  const { url } = await started(t, { ...anyPort, appUrl: 'https://example.org/files' })
  const health = await fetch(`${url}/api/health`)
  t.same([health.status, await health.text()], [200, 'OK'])
  for (const path of ['/api/health/ready', '/files/api/health/ready?probe']) {
    const ready = await fetch(url + path)
    t.equal(ready.status, 503)
    t.same(await ready.json(), { status: 'down', dependencies: { database: 'down', queue: 'down', storage: 'down' } })
  }
})

t.test('refuses a request that has waited too long, and lets browsers load the page again', async (t) => {
  const { url } = await started(t, anyPort, 50)
  const call = await fetch(`${url}/api/shares/photos`)
  t.match([call.status, call.headers.get('retry-after'), await call.json()], [503, '5', { error: 'unavailable' }])
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  t.match([page.status, page.headers.get('refresh'), await page.text()], [503, '5', /Try again/])
})

t.test('refuses waiting requests when it stops', async (t) => {
  const { server, url } = await started(t)
  const early = fetch(url)
  await once(server, 'connection')
  await new Promise((resolve) => setTimeout(resolve, 50))
  server.stop()
  t.equal((await early).status, 503)
})

t.test('forgets requests whose client has left', async (t) => {
  const { server, url } = await started(t)
  const leaving = new AbortController()
  const early = fetch(url, { signal: leaving.signal })
  await once(server, 'connection')
  leaving.abort()
  await t.rejects(early)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const served: unknown[] = []
  server.handOver((request) => served.push(request.url)).listen()
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.same(served, [])
})

t.test('listens on both addresses of localhost, and reports a port that is taken', async (t) => {
  const { server, url } = await started(t, { ...anyPort, host: 'localhost' })
  const { port } = server.address() as AddressInfo
  for (const address of [url, `http://[::1]:${port}`]) t.equal((await fetch(`${address}/api/health`)).status, 200)
  const second = new EarlyServer({ ...anyPort, port })
  await t.rejects(second.start(), { message: `Port ${port} is in use by another program. Stop it, or set PORT to another number.` })
})
