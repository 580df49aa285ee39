import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { readEnv } from '../../src/env.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { fetchWhole, listen } from '../support/listening.ts'

const most = 5
const log = keptLog()
const { app } = await testApp(t, { env: { connectionsPerAddress: most }, log })
const port = await listen(app)

async function open(from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

t.test('limits the concurrent connections of one address', async (t) => {
  const held: Socket[] = []
  for (let n = 0; n < most; n++) held.push(await open())
  t.teardown(async () => held.map((socket) => socket.destroy()))
  for (let tries = 0; tries < 3; tries++) {
    const answer = await fetchWhole(port, '/api/health')
    t.equal(answer.status, 429)
    t.match(answer.headers, { 'retry-after': '5', connection: 'close' })
    t.match(JSON.parse(String(answer.body)), { statusCode: 429, error: 'too_many_requests', retryAfter: 5 })
  }
  const warned = log.lines.filter(({ message }) => String(message).startsWith('too many connections'))
  t.match(warned, [{ level: 'warn', details: { address: '127.0.0.1', max: most } }], 'it is logged once')
  const other = await open('127.0.0.2')
  other.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n')
  const [head] = await once(other, 'data')
  t.match(String(head), /^HTTP\/1.1 200 /, 'another address is not affected')
  other.destroy()
  held.pop()!.destroy()
  await t.resolveMatch(eventuallyOk(), { status: 200 }, 'a closed connection frees a slot')
})

async function eventuallyOk() {
  for (;;) {
    const answer = await fetchWhole(port, '/api/health')
    if (answer.status === 200) return answer
  }
}

t.test('limits connections to 256 by default, and not at all behind a trusted proxy', async (t) => {
  t.equal(readEnv({}).connectionsPerAddress, 256)
  t.equal(readEnv({ MAX_CONNECTIONS_PER_ADDRESS: '0' }).connectionsPerAddress, 0)
  t.equal(readEnv({ MAX_CONNECTIONS_PER_ADDRESS: '10', TRUST_PROXY: '10.0.0.0/8' }).connectionsPerAddress, 0)
  for (const wrong of ['-1', 'many', '1.5']) t.throws(() => readEnv({ MAX_CONNECTIONS_PER_ADDRESS: wrong }), /MAX_CONNECTIONS_PER_ADDRESS/)
})
