import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { ObjectStore } from '../../src/storage/object-store.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { beginAndReset, listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { sharing } from '../support/sharing.ts'

const log = keptLog()
const { app, ctx } = await testApp(t, { log })
const owner = await signUp(app, 'owner')
const port = await listen(app)
const [fileId] = await sharing(app, owner).share('big', { 'big.bin': Buffer.alloc(9_000_000, 'x'), 'small.txt': 'small' })
const cookies = await sharing(app).unlock('big')

/** Begins a download and resets the connection after its first bytes. */
const leave = (path: string) => beginAndReset(port, `/api/shares/big/files/${path}`, cookies.cookie)

const problems = () => log.lines.filter(({ level }) => level === 'warn' || level === 'error')

for (const path of [fileId, 'zip']) {
  t.test(`logs no error when the client leaves a download of ${path === 'zip' ? 'the zip' : 'a file'}`, async (t) => {
    log.lines.length = 0
    for (let round = 0; round < 20; round++) await leave(`${path}`)
    await sleep(300)
    t.same(problems(), [])
  })
}

t.test('logs no error when the store notices the lost connection before the response closes', async (t) => {
  log.lines.length = 0
  const original = ctx.storage.send
  t.teardown(() => {
    ctx.storage.send = original
  })
  for (const code of ['ECANCELED', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']) {
    ctx.storage.send = sendThenFail(Object.assign(new Error('write failed'), { code }))
    await leave(`${fileId}`)
  }
  await sleep(300)
  t.same(problems(), [])
})

t.test('logs an error when the bytes of a download cannot be read', async (t) => {
  log.lines.length = 0
  const original = ctx.storage.send
  t.teardown(() => {
    ctx.storage.send = original
  })
  ctx.storage.send = sendThenFail(new Error('the disk failed'))
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /api/shares/big/files/${fileId} HTTP/1.1\r\nHost: x\r\nCookie: ${cookies.cookie}\r\n\r\n`)
    socket.on('error', () => {}).resume()
    socket.once('close', () => resolve())
  })
  t.match(problems(), [{ level: 'error', message: 'download aborted: bytes could not be read' }])
})

/** A store's `send` that fails after its first bytes, while the response is still open. */
function sendThenFail(error: Error): ObjectStore['send'] {
  return async (_key, _range, to, onOpen) => {
    await onOpen?.(null)
    await new Promise<void>((resolve) => to.write('first bytes', () => resolve()))
    throw error
  }
}
