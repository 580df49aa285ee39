import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { nginx } from '../support/app/proxies.ts'
import { answerTo, begin, fetchWhole, listen, replyTo } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'

const MiB = 1_048_576
const path = '/api/system/proxy-test'
const { app } = await testApp(t, { env: { trustProxy: ['127.0.0.1'] } })
const admin = await signUp(app, 'admin')
const member = await signUp(app, 'member')
const port = await listen(app)
const body = Buffer.alloc(8 * MiB)

t.test('reports how a body of 8 MiB arrives, only to administrators', async (t) => {
  const reply = await fetchWhole(port, path, { method: 'POST', headers: { ...admin, 'x-forwarded-for': '198.51.100.7' } }, body)
  t.match(JSON.parse(String(reply.body)), {
    received: 8 * MiB,
    bodyTime: Number,
    address: '198.51.100.7',
    peer: '127.0.0.1',
    protocol: 'http',
    isForwarded: true,
    trustsProxy: true,
  })
  t.equal((await fetchWhole(port, path, { method: 'POST', headers: member }, body)).status, 403)
  t.equal((await fetchWhole(port, path)).status, 401)
  t.equal((await fetchWhole(port, path, { method: 'POST', headers: admin }, Buffer.alloc(17 * MiB))).status, 413)
})

/** Returns the milliseconds between the first and the last piece of the response. */
async function spread(at: number): Promise<number> {
  const sent = begin(at, path, { headers: admin })
  sent.end()
  const times: number[] = []
  for await (const _ of await answerTo(sent)) times.push(performance.now())
  return times.at(-1)! - times[0]!
}

/** Sends a body in pieces over 1.2 s. Returns the milliseconds that it took to arrive. */
async function bodyTime(at: number): Promise<number> {
  const sent = begin(at, path, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/octet-stream', 'content-length': 5_000 },
  })
  const reply = replyTo(sent)
  for (let piece = 0; piece < 5; piece++) {
    if (piece > 0) await sleep(300)
    sent.write(Buffer.alloc(1_000))
  }
  sent.end()
  return JSON.parse(String((await reply).body)).bodyTime
}

t.test('shows whether a proxy holds a request back', { skip: nginx.missing }, async (t) => {
  t.ok((await bodyTime(Number(new URL(await nginx.start(t, { port })).port))) > 1_000, 'the documented block passes it on')
  const usual = await nginx.start(t, { port, edit: () => 'location / { proxy_pass http://127.0.0.1:3000; }' })
  t.ok((await bodyTime(Number(new URL(usual).port))) < 400, 'the defaults buffer it')
})

t.test('shows whether a proxy holds a response back, and its limits', { skip: nginx.missing }, async (t) => {
  const good = Number(new URL(await nginx.start(t, { port })).port)
  t.ok((await spread(good)) > 600, 'the documented block passes it on')
  const reply = await fetchWhole(good, path, { method: 'POST', headers: admin }, body)
  t.match(JSON.parse(String(reply.body)), { received: 8 * MiB, isForwarded: true })
  const usual = Number(new URL(await nginx.start(t, { port, edit: () => 'location / { proxy_pass http://127.0.0.1:3000; }' })).port)
  t.ok((await spread(usual)) < 600, 'the defaults buffer it')
  t.equal((await fetchWhole(usual, path, { method: 'POST', headers: admin }, body)).status, 413)
  const wait = await fetchWhole(port, `${path}?wait=1`, { headers: admin })
  t.equal(wait.body.length, 4 * 1024)
})
