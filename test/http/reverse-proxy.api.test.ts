import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { testApp } from '../support/app/app.ts'
import { proxies } from '../support/app/proxies.ts'
import { fetchWhole, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { ok, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
const { app } = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const port = await listen(app)
const [file] = await alice.share('open', { 'a.txt': 'compressible '.repeat(10_000) })

async function works(t: Test, url: string): Promise<void> {
  const { port: proxy, host } = new URL(url)
  const bytes = randomBytes(9 * MiB)
  const name = 'a%#?;b.bin'
  const sent = await fetchWhole(
    Number(proxy),
    `/api/upload/${encodeURIComponent(name)}`,
    { method: 'PUT', headers: { ...headers, host } },
    bytes,
  )
  t.equal(sent.status, 201, String(sent.body).slice(0, 200))
  const { link, files, id } = JSON.parse(String(sent.body))
  t.equal(files[0].name, name, 'encoded characters of an address are not changed')
  t.equal(link, `${url}/share/${id}`, 'links have the address of the proxy')
  const got = await fetchWhole(Number(proxy), `/api/shares/${id}/files/${files[0].id}`)
  t.ok(got.body.equals(bytes))
  const sessions = await fetchWhole(Number(proxy), '/api/auth/sessions', { headers: { ...headers, host } })
  t.equal(sessions.status, 200)
  for (const address of [`/api/shares/open/files/${file}`, '/api/shares/open/files/zip']) {
    const direct = await fetchWhole(port, address)
    const through = await fetchWhole(Number(proxy), address, { headers: { 'accept-encoding': 'gzip' } })
    t.ok(through.body.equals(direct.body), `${address} is not changed`)
    for (const name of ['content-length', 'etag', 'content-encoding'] as const) t.equal(through.headers[name], direct.headers[name], name)
  }
}

for (const proxy of proxies) {
  t.test(`works behind ${proxy.name} as documented`, { skip: proxy.missing }, async (t) => {
    await works(t, await proxy.start(t, { port, http: 'gzip on; gzip_types *; gzip_proxied any;' }))
  })
}

t.test('creates https links behind a proxy that reports https', async (t) => {
  const reply = ok(
    await app.inject({
      url: '/api/shares',
      headers: { ...headers, host: 'files.example.org', 'x-forwarded-proto': 'https' },
      remoteAddress: '127.0.0.1',
    }),
  )
  t.match(reply.json()[0].link, /^https:\/\/files\.example\.org\/share\//)
})
