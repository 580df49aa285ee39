import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ObjectMissing, WrongLength } from '../../src/storage/object-store.ts'
import { liveBytes } from '../support/live-bytes.ts'
import { diskFolder } from '../support/s3/disk-folder.ts'
import { begin, holds, put, refuses } from '../support/s3/object-store-suite.ts'

const MiB = 1024 * 1024
const part = randomBytes(8 * MiB)

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve(t: Test, handler: Handler): Promise<number> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** Sends `body` by PUT and returns the response, which is read only after all was sent. */
async function put8(port: number, body: Buffer): Promise<string> {
  const sending = request({ port, host: '127.0.0.1', method: 'PUT', agent: false, headers: { 'content-length': body.length } })
  sending.on('error', () => {}) // `once` reports it; a second one may follow
  sending.end(body)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  return text(response)
}

t.test('stores the body of a request, and releases its memory at once', async (t) => {
  const { store } = await diskFolder(t)
  const upload = await begin(store, part, part.length)
  const chunks: Buffer[] = []
  const port = await serve(t, async (incoming, response) => {
    incoming.once('resume', () => incoming.on('data', (chunk: Buffer) => chunks.push(chunk))) // earlier, it would start the flow
    const { etag } = await store.writePart(upload, 1, incoming, part.length)
    response.end(etag)
  })
  const etag = await put8(port, part)
  await store.finish(upload, [{ number: 1, size: part.length, etag }])
  t.ok(await holds(store, upload.key, part))
  const released = chunks.filter(({ byteLength }) => byteLength === 0)
  t.ok(released.length > chunks.length / 2, `${released.length} of ${chunks.length} chunks were released`)
})

t.test('reads a rejected request to its end, so that the client receives the response', async (t) => {
  const { store } = await diskFolder(t)
  const upload = await begin(store, part, part.length)
  await store.abort(upload)
  const port = await serve(t, async (incoming, response) => {
    await refuses(t, store.writePart(upload, 1, incoming, part.length), ObjectMissing)
    response.end('gone')
  })
  t.equal(await put8(port, part), 'gone')
})

t.test('cuts off a request that announces more bytes than the part has', async (t) => {
  const { store } = await diskFolder(t)
  const upload = await begin(store, part, part.length)
  const port = await serve(t, (incoming) => refuses(t, store.writePart(upload, 1, incoming, part.length), WrongLength))
  await t.rejects(put8(port, Buffer.concat([part, part, part])))
})

t.test('keeps no part when the client leaves in the middle', async (t) => {
  const { store } = await diskFolder(t)
  const upload = await begin(store, part, part.length)
  const { promise: refused, resolve } = Promise.withResolvers<void>()
  const port = await serve(t, (incoming) => resolve(refuses(t, store.writePart(upload, 1, incoming, part.length), WrongLength)))
  const socket = connect(port, '127.0.0.1')
  socket.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${part.length}\r\n\r\n`)
  socket.write(part.subarray(0, MiB), () => socket.destroy())
  await refused
  await store.abort(upload)
})

t.test('receives all bytes in order with a pipelined reader', async (t) => {
  const { store } = await diskFolder(t)
  const key = await put(store, part)
  const port = await serve(t, async (_, response) => {
    response.setHeader('content-length', part.length)
    await store.send(key, { start: 0, end: part.length - 1 }, response)
    response.end()
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let received = await buffer(socket)
  for (const name of ['first', 'second']) {
    received = received.subarray(received.indexOf('\r\n\r\n') + 4)
    t.ok(received.subarray(0, part.length).equals(part), name)
    received = received.subarray(part.length)
  }
  t.equal(received.length, 0)
})

t.test('holds one small block for each reader that does not read', async (t) => {
  const { store } = await diskFolder(t)
  const [readers, size] = [60, 16 * MiB]
  const key = await put(store, randomBytes(size))
  const responses: ServerResponse[] = []
  const sends: Promise<unknown>[] = []
  const port = await serve(t, (_, response) => {
    responses.push(response)
    sends.push(store.send(key, { start: 0, end: size - 1 }, response).catch((error) => error))
  })
  const before = liveBytes()
  const sockets = Array.from({ length: readers }, () => connect(port, '127.0.0.1'))
  for (const socket of sockets) socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const stuck = () => responses.length === readers && responses.every(({ writableLength }) => writableLength > 0)
  for (let quiet = 0; quiet < 3; ) {
    await delay(50)
    quiet = stuck() ? quiet + 1 : 0
  }
  const held = (liveBytes() - before) / readers
  t.ok(held < 600 * 1024, `${held} bytes per reader`)
  for (const socket of sockets) socket.destroy()
  const errors = (await Promise.all(sends)) as NodeJS.ErrnoException[]
  t.ok(
    errors.every((error) => error instanceof Error),
    'all of them end with their connection',
  )
})
