import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { testApp } from '../support/app/app.ts'
import { nginx, proxies } from '../support/app/proxies.ts'
import { formType, headOf } from '../support/form.ts'
import { listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { ok, set, sharing } from '../support/sharing.ts'

t.setTimeout(300_000) // hundreds of uploads on a small machine
const MiB = 1_048_576
const tries = 10
const { app, ctx } = await testApp(t)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const port = await listen(app)
ok(await alice.create('open'))
const announced = ok(await alice.announce('open', 'a', 8 * MiB)).json()
const part = `/api/shares/open/files/${announced.id}/parts/1`

const folder = await mkdtemp(join(tmpdir(), 'razorbill-early-'))
t.teardown(() => rm(folder, { recursive: true }))
const large = join(folder, 'large.bin')
const file = await open(large, 'w')
await file.truncate(9 * MiB)
await file.close()

/**
 * The response that curl prints, its body and its status. Over HTTP/2, curl stops sending at an
 * error and then reports a broken stream.
 */
async function curl(...parameters: string[]): Promise<string> {
  const run = promisify(execFile)('curl', ['-sS', '-H', 'Expect:', '-w', ' %{http_code}', ...parameters])
  return (await run.catch((error: { stdout: string }) => error)).stdout
}

const refusals: [title: string, expected: RegExp, parameters: (url: string) => string[]][] = [
  [
    'a form of a visitor who may not share',
    /unauthenticated_shares_disabled.* 403$/,
    (url) => ['-F', `file=@${large}`, `${url}/api/upload`],
  ],
  [
    'a part for a share that does not exist',
    /share_not_found.* 404$/,
    (url) => ['-H', `cookie: ${headers.cookie}`, '-T', large, `${url}${part.replace('open', 'none')}`],
  ],
  ['a part of the wrong size', /wrong_part_size.* 400$/, (url) => ['-H', `cookie: ${headers.cookie}`, '-T', large, `${url}${part}`]],
]

async function readsRefusals(t: Test, url: string, chosen = refusals, options: string[] = []): Promise<void> {
  for (const [title, expected, parameters] of chosen) {
    const replies = await Promise.all(Array.from({ length: tries }, () => curl(...options, ...parameters(url))))
    const wrong = replies.filter((reply) => !expected.test(reply))
    t.same(wrong.slice(0, 3), [], `${title}: ${tries - wrong.length} of ${tries}`)
  }
}

for (const proxy of proxies) {
  for (const http2 of [false, true]) {
    t.test(`lets a client read an early refusal through ${proxy.name}, HTTP/${http2 ? 2 : 1.1}`, { skip: proxy.missing }, async (t) => {
      const url = await proxy.start(t, { port, http2 })
      await readsRefusals(t, url, refusals.slice(1, 2), http2 ? ['--http2-prior-knowledge'] : [])
    })
  }
}

t.test('lets a client read an early refusal through nginx without keep-alive to the server', { skip: nginx.missing }, async (t) => {
  const url = await nginx.start(t, { port, edit: (block) => block.replace(/.*set_header Connection.*\n/, '') })
  await readsRefusals(t, url)
})

/**
 * Sends a whole request before it reads anything. Returns the response, or the error of the
 * connection.
 */
function sendAll(head: string, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('latin1').pause()
    socket.on('error', (error) => resolve(`${error}`)).on('close', () => resolve(received))
    socket.write(head)
    const block = Buffer.alloc(MiB)
    const send = (left: number) => {
      if (left > 0) socket.write(block, () => send(left - MiB))
      else socket.on('data', (text: string) => (received += text)).resume()
    }
    send(bytes)
  })
}

t.test('lets a client that sends everything first read an early refusal', async (t) => {
  const type = `Content-Type: ${formType['content-type']}\r\n`
  const start = headOf({ name: 'file', filename: 'a', type: 'text/plain' })
  const requests: [string, string, string][] = [
    ['/api/upload', `POST`, `${type}Content-Length: ${100 * MiB}\r\n\r\n${start}`],
    [part.replace('open', 'none'), 'PUT', `Content-Length: ${30 * MiB}\r\n\r\n`],
    ['/api/nope', 'POST', `Content-Length: ${30 * MiB}\r\n\r\n`],
    ['/api/auth/signIn', 'POST', `Content-Type: application/json\r\nContent-Length: ${30 * MiB}\r\n\r\n`],
  ]
  for (const [path, method, rest] of requests) {
    const length = Number(/Content-Length: (\d+)/.exec(rest)![1])
    const replies: string[] = []
    for (let n = 0; n < (path === '/api/upload' ? 2 : 5); n++)
      replies.push(await sendAll(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}`, length))
    const wrong = replies.filter((reply) => !/^HTTP\/1.1 4\d\d [\s\S]*"error":"/.test(reply))
    t.same(wrong.slice(0, 3), [], `${path}: all of ${replies.length}`)
  }
})

/**
 * Sends the head of a request with `Expect`. Returns the first lines that the server sends, and the
 * body if it is asked for one.
 */
function expecting(head: string, body = ''): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}Host: x\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`))
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
      if (text.startsWith('HTTP/1.1 100')) socket.write(body)
    })
    socket.on('close', () => resolve(received))
  })
}

t.test('refuses a request that expects 100 Continue by its head alone', async (t) => {
  const cookie = `Cookie: ${headers.cookie}\r\n`
  await set(ctx, 'share.maxSize', 50 * MiB)
  const type = `Content-Type: ${formType['content-type']}\r\n`
  const refused: [string, RegExp][] = [
    [`PUT ${part.replace('open', 'none')} HTTP/1.1\r\n${cookie}Content-Length: ${8 * MiB}\r\n`, /^HTTP\/1.1 404.*share_not_found/s],
    [`PUT ${part.replace('open', 'none')} HTTP/1.1\r\nContent-Length: ${8 * MiB}\r\n`, /^HTTP\/1.1 401.*unauthorized/s],
    [`PUT ${part} HTTP/1.1\r\nContent-Length: ${8 * MiB}\r\n`, /^HTTP\/1.1 40[134]/],
    [`PUT ${part} HTTP/1.1\r\n${cookie}Content-Length: ${9 * MiB}\r\n`, /^HTTP\/1.1 400.*wrong_part_size/s],
    [`POST /api/upload HTTP/1.1\r\n${cookie}${type}Content-Length: ${200 * MiB}\r\n`, /^HTTP\/1.1 413.*share_too_large/s],
    [
      `POST /api/shares/open/files?name=a&chunkIndex=0&totalChunks=1 HTTP/1.1\r\n${cookie}Content-Length: ${200 * MiB}\r\n`,
      /^HTTP\/1.1 413.*payload_too_large/s,
    ],
    [`POST /api/auth/signIn HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${MiB}\r\n`, /^HTTP\/1.1 413/],
    ['POST /api/shares HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n', /^HTTP\/1.1 403/],
  ]
  for (const [head, expected] of refused) t.match(await expecting(head), expected, head)
})

t.test('asks for a body that it accepts', async (t) => {
  const cookie = `Cookie: ${headers.cookie}\r\n`
  const put = await expecting(`PUT ${part} HTTP/1.1\r\n${cookie}Content-Length: ${8 * MiB}\r\n`, 'x'.repeat(8 * MiB))
  t.match(put, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /)
  const json = JSON.stringify({ id: 'another', expiration: '1-day' })
  const type = 'Content-Type: application/json\r\n'
  const post = await expecting(`POST /api/shares HTTP/1.1\r\n${cookie}${type}Content-Length: ${json.length}\r\n`, json)
  t.match(post, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /)
})

t.test('reads no body whose declared length is over the limit', async (t) => {
  const type = `Content-Type: ${formType['content-type']}\r\nCookie: ${headers.cookie}\r\n`
  const start = headOf({ name: 'file', filename: 'a', type: 'text/plain' })
  const reply = await sendAll(`POST /api/upload HTTP/1.1\r\nHost: x\r\n${type}Content-Length: ${200 * MiB}\r\n\r\n${start}`, 0)
  t.match(reply, /^HTTP\/1.1 413 [\s\S]*"error":"share_too_large"/)
  const shares = await ctx.db.selectFrom('share').select('id').orderBy('id').execute()
  t.same(shares, [{ id: 'another' }, { id: 'open' }], 'nothing is kept')
})
