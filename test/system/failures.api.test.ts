import { connect } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { listen } from '../support/listening.ts'

const log = keptLog()
const { app, ctx } = await testApp(t, { log })
const failures: Record<string, () => Promise<unknown>> = {
  stopped: () => ctx.pool.query('select pg_terminate_backend(pg_backend_pid())'),
  unreachable: () => new pg.Client({ host: '/nowhere' }).connect(),
  broken: async () => {
    const client = await ctx.pool.connect()
    client.on('error', () => {})
    const answer = client.query('select pg_sleep(60)')
    await client.end()
    return answer.finally(() => client.release(true))
  },
  bug: () => ctx.pool.query('select nothing_of_the_kind'),
}
app.get('/api/fails/:how', (request) => failures[(request.params as { how: string }).how]!())
const port = await listen(app)

t.test('asks to retry when the database is down, but not on a bug', async (t) => {
  for (const how of ['stopped', 'unreachable', 'broken']) {
    const answer = await app.inject(`/api/fails/${how}`)
    t.match(answer.json(), { statusCode: 503, error: 'unavailable' }, how)
    t.ok(Number(answer.headers['retry-after']) > 0)
  }
  t.same(
    log.lines.filter(({ message }) => message === 'request failed'),
    [],
  )
  t.match((await app.inject('/api/fails/bug')).json(), { statusCode: 500, error: 'internal' })
})

t.test('rejects malformed HTTP in the same format as everything else', async (t) => {
  for (const [sent, status, error] of [
    ['NOTHING\r\n\r\n', 400, 'malformed_request'],
    [
      'POST /api/auth/signIn HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    [`GET /api/health HTTP/1.1\r\nHost: x\r\nCookie: a=${'b'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ] as const) {
    const [head = '', body = ''] = (await exchange(sent)).split('\r\n\r\n')
    t.match(head, new RegExp(`^HTTP/1.1 ${status} .*Connection: close`, 's'))
    t.match(JSON.parse(body), { statusCode: status, error, message: String })
  }
})

/** Returns everything that the server sends for these bytes until it closes the connection. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('latin1').on('data', (chunk) => (answer += chunk))
    socket.on('error', () => {}).on('close', () => resolve(answer))
  })
}
