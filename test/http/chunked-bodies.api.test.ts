import { randomBytes, randomInt } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { formType } from '../support/form.ts'
import { listen } from '../support/listening.ts'
import { signUp } from '../support/people/people.ts'
import { sharing } from '../support/sharing.ts'

const { app, ctx } = await testApp(t)
const headers = await signUp(app, 'alice')
const alice = sharing(app, headers)
const port = await listen(app)

/** Runs `work` and returns the CPU time in ms of the longest event loop turn, and of all turns. */
async function turnsDuring(work: Promise<unknown>) {
  const begun = process.cpuUsage()
  let last = begun
  let longest = 0
  const millisecondsSince = (from: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
  const measure = () => {
    longest = Math.max(longest, millisecondsSince(last))
    last = process.cpuUsage()
    turn = setImmediate(measure)
  }
  let turn = setImmediate(measure)
  await work
  clearImmediate(turn)
  return { longest, all: millisecondsSince(begun) }
}

/** Sends a body in chunks over a new connection, and returns the response as text. */
async function send(method: string, path: string, type: string, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\ncookie: ${headers.cookie}\r\ncontent-type: ${type}\r\nconnection: close\r\n`)
  socket.write('transfer-encoding: chunked\r\n\r\n')
  for await (const piece of pieces) if (!socket.destroyed) socket.write(piece)
  let reply = ''
  for await (const data of socket) reply += data
  return reply
}
const bodyOf = (reply: string) => JSON.parse(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1))
const framed = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
const end = Buffer.from('0\r\n\r\n')

t.test('refuses a body in chunks of one byte without blocking the event loop', async (t) => {
  const chunks = Buffer.from(`${'1\r\na\r\n'.repeat(300_000)}0\r\n\r\n`)
  t.equal((await alice.create('tiny')).statusCode, 201)
  for (const [method, path, type] of [
    ['POST', '/api/upload', formType['content-type']],
    ['POST', '/api/shares/tiny/files?name=a&chunkIndex=0&totalChunks=1', 'application/octet-stream'],
    ['PUT', '/api/upload/a.txt', 'application/octet-stream'],
    ['POST', '/api/shares', 'application/json'],
    ['POST', '/api/auth/signOut', 'application/json'],
  ] as const) {
    let reply = ''
    const sent = send(method, path, type, [chunks]).then((text) => {
      reply = text
    })
    const { longest, all } = await turnsDuring(sent)
    t.match(reply, /^HTTP\/1\.1 400 /, path)
    t.match(bodyOf(reply), { error: 'validation_failed', issues: [{ rule: 'chunks_too_small', params: { limit: 8 } }] }, path)
    t.ok(longest < 200 && all < 800, `${path}: ${Math.round(longest)} of ${Math.round(all)} ms in one turn`)
  }
})

t.test('accepts a body in chunks of any other length', async (t) => {
  for (const [name, lengths] of Object.entries({
    'few of one byte': Array.from({ length: 9_000 }, () => 1),
    'many of 16 bytes': Array.from({ length: 60_000 }, () => 16),
    mixed: Array.from({ length: 3_000 }, () => randomInt(1, randomInt(2, 20_000))),
    large: [1, 500_000, 2, 4_096, 300_000, 1],
  })) {
    const parts = lengths.map((length) => randomBytes(length))
    const reply = await send('PUT', `/api/upload/${encodeURIComponent(name)}`, 'application/octet-stream', [...parts.map(framed), end])
    t.match(reply, /^HTTP\/1\.1 201 /, name)
    const { objectKey } = await ctx.db
      .selectFrom('file')
      .select('objectKey')
      .where('id', '=', bodyOf(reply).files[0].id)
      .executeTakeFirstOrThrow()
    const stored = Buffer.concat(await (await ctx.storage.read(objectKey)).toArray())
    t.ok(stored.equals(Buffer.concat(parts)), name)
  }
})

t.test('accepts a body whose chunks come one at a time', async (t) => {
  async function* slowly() {
    for (const text of ['{"userna', 'me":"al', 'ice","pass', 'word":"wrong wrong wrong"}']) {
      yield framed(Buffer.from(text))
      await sleep(30)
    }
    yield end
  }
  t.equal(bodyOf(await send('POST', '/api/auth/signIn', 'application/json', slowly())).error, 'wrong_credentials')
})
