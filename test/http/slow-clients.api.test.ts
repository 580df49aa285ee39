import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { transferFloor } from '../../src/http/transfer-floor.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { ok, sharing } from '../support/sharing.ts'

const timeouts = { body: 400, transfers: { rate: 1_000, window: 800, every: 100 } }
const log = keptLog()
const { app } = await testApp(t, { timeouts, log })
const owner = await signUp(app, 'owner')
const calls = sharing(app, owner)
const port = await listen(app)

/** A connection on which the test writes raw bytes. */
function client(text: string): { socket: Socket; received: () => string; closed: Promise<number> } {
  const started = performance.now()
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now() - started)))
  return { socket, received: () => received, closed }
}

const json = 'Host: x\r\nContent-Type: application/json\r\n'

t.test('requires the whole body of a JSON call in time', async (t) => {
  log.lines.length = 0
  for (const framing of ['Content-Length: 100000', 'Transfer-Encoding: chunked']) {
    const { socket, received, closed } = client(`POST /api/auth/signIn HTTP/1.1\r\n${json}${framing}\r\n\r\n`)
    const drip = setInterval(() => socket.write(framing.startsWith('T') ? '1\r\n \r\n' : ' '), 50)
    const ms = await closed
    clearInterval(drip)
    t.ok(ms >= 390 && ms < 3_000, `${framing}: closed after ${Math.round(ms)} ms, though bytes kept coming`)
    t.match(received(), /^HTTP\/1.1 408 [\s\S]*connection: close[\s\S]*"error":"request_timeout"/i)
  }
  const problems = log.lines.filter(({ level }) => level === 'warn' || level === 'error')
  t.same(problems, [], 'one refusal, and no second one in the log')
})

t.test('refuses an unknown path before its body', async (t) => {
  const { received, socket } = client(`POST /api/nope HTTP/1.1\r\n${json}Content-Length: 1000000\r\n\r\n{`)
  for (let tries = 0; tries < 50 && received() === ''; tries++) await sleep(20)
  t.match(received(), /^HTTP\/1.1 404 [\s\S]*"error":"not_found"/)
  socket.destroy()
})

t.test('accepts a body that arrives in time, in any chunking', async (t) => {
  const body = JSON.stringify({ username: 'owner', password: 'wrong password' })
  const { socket, received } = client(
    `POST /api/auth/signIn HTTP/1.1\r\n${json}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  for (const piece of [body.slice(0, 10), body.slice(10)]) {
    await sleep(60)
    socket.write(piece)
  }
  for (let tries = 0; tries < 200 && received() === ''; tries++) await sleep(20)
  t.match(received(), /^HTTP\/1.1 401 /)
  socket.destroy()
})

t.test('cuts an upload below the minimum throughput, and lets a faster one outlast the window', async (t) => {
  ok(await calls.create('parts'))
  for (const [bytes, isCut] of [
    [10, true],
    [400, false],
  ] as const) {
    const { id } = ok(await calls.announce('parts', `${bytes}.bin`, 100_000)).json()
    const head = `PUT /api/shares/parts/files/${id}/parts/1 HTTP/1.1\r\nHost: x\r\nCookie: ${owner.cookie}\r\nContent-Length: 100000\r\n\r\n`
    const { socket, closed } = client(head)
    const drip = setInterval(() => socket.write(Buffer.alloc(bytes, 1)), 100)
    const ms = await Promise.race([closed, sleep(2_500, Number.POSITIVE_INFINITY)])
    clearInterval(drip)
    socket.destroy()
    if (isCut) t.ok(ms < 2_500, `${bytes * 10} bytes a second: closed after ${Math.round(ms)} ms`)
    else t.equal(ms, Number.POSITIVE_INFINITY, `${bytes * 10} bytes a second go on`)
  }
})

t.test('cuts a client that does not read its download', async (t) => {
  const size = 30_000_000
  const [id] = await calls.share('large', { 'a.bin': Buffer.alloc(size, 1) })
  const { socket, closed } = client(`GET /api/shares/large/files/${id} HTTP/1.1\r\nHost: x\r\n\r\n`)
  socket.once('data', () => socket.pause())
  await sleep(3_000)
  socket.resume() // data that the system has buffered still arrives
  t.ok((await Promise.race([closed, sleep(5_000, Number.POSITIVE_INFINITY)])) < 8_000)
  t.ok(socket.bytesRead < size, `${socket.bytesRead} of ${size} bytes had come`)
})

t.test('sets the default minimum to 1 kB/s over 5 minutes', async (t) => {
  t.same([transferFloor.rate, transferFloor.window], [1_000, 300_000])
})
