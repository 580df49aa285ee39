import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { fetchTransport } from '../../uploader/fetch-transport.ts'
import { UploadServer } from '../support/app/upload-server.ts'
import { digestsOf, fileOf, reached, until, upload, uploaderTo } from '../support/uploads.ts'

const isPart = /\/parts\/\d+$/
const isTicket = /\/parts\/\d+\/url$/

/**
 * An object store that keeps its parts for the server. `refuse` returns the status; 0 cuts the
 * connection.
 */
async function storeFor(t: Test, server: UploadServer) {
  const took: IncomingHttpHeaders[] = []
  const store = { took, refuse: (_time: number): number | undefined => undefined }
  let time = 0
  const listening = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const status = store.refuse(++time)
    if (status === 0) return void request.socket.destroy()
    took.push(request.headers)
    const [, id, number] = request.url!.split('/')
    if (!status) server.files.get(id!)!.parts.set(Number(number), bytes)
    response.writeHead(status ?? 200).end('<Error/>')
  })
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  t.teardown(() => listening.close().closeAllConnections())
  server.store = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  return store
}

const tokenOf = { headers: { authorization: 'Bearer secret' } }
const uploaderWithToken = (server: UploadServer) =>
  uploaderTo(server, { transport: fetchTransport({ baseUrl: server.origin, ...tokenOf }) })

t.test('sends each part to its own address in the store, without credentials', async (t) => {
  const server = await UploadServer.start(t)
  const { took } = await storeFor(t, server)
  const files = [fileOf('a', 5_500), fileOf('empty', 0)]
  const { state, sentBytes } = await upload(uploaderWithToken(server), files)
  t.same([state, sentBytes], ['completed', 5_500])
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', isPart), 0)
  t.equal(server.count('GET', isTicket), 6)
  t.equal(took.length, 6)
  t.ok(took.every((headers) => headers['x-signed'] === 'yes' && !headers.authorization && !headers['content-type']))
})

t.test('sends a file through the server when the store is unreachable, and soon every file', async (t) => {
  const server = await UploadServer.start(t)
  const store = await storeFor(t, server)
  store.refuse = () => 0
  const files = Array.from({ length: 12 }, (_, index) => fileOf(`f${index}`, 1_500))
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', isPart), 24)
  t.ok(server.count('GET', isTicket) < 12, 'the other files did not try')
})

t.test('sends a refused part through the server, and other files straight to the store', async (t) => {
  const server = await UploadServer.start(t)
  const store = await storeFor(t, server)
  store.refuse = (time) => (time === 1 ? 403 : undefined)
  const files = [fileOf('a', 900), fileOf('b', 900), fileOf('c', 900)]
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', isPart), 1)
})

t.test('waits for a busy store', async (t) => {
  const server = await UploadServer.start(t)
  const store = await storeFor(t, server)
  store.refuse = (time) => (time < 4 ? 503 : undefined)
  const files = [fileOf('a', 2_900)]
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', isPart), 0)
})

t.test('continues through the server when direct mode is turned off during an upload', async (t) => {
  const server = await UploadServer.start(t)
  const store = await storeFor(t, server)
  store.refuse = (time) => {
    if (time === 2) server.store = null
    return undefined
  }
  const files = [fileOf('a', 9_500)]
  t.equal((await upload(uploaderTo(server), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.ok(server.count('PUT', isPart) > 0)
})

t.test('renews a session that ends between two tickets', async (t) => {
  const server = await UploadServer.start(t)
  await storeFor(t, server)
  let ended = true
  server.misbehave = ({ path }) => (ended && path.endsWith('/parts/2/url') ? { status: 401, error: 'unauthorized' } : undefined)
  const renewSession = async () => {
    ended = false
    return true
  }
  const files = [fileOf('a', 4_500)]
  t.equal((await upload(uploaderTo(server, { renewSession }), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.equal(server.count('PUT', isPart), 0)
})

t.test('does not count a pause as a store failure, and sends parts to the store again after a reload', async (t) => {
  const server = await UploadServer.start(t)
  const { took } = await storeFor(t, server)
  server.delay = 5
  const file = fileOf('a', 30_500)
  const uploader = uploaderTo(server)
  uploader.add([{ source: file }])
  for (let round = 1; round <= 4; round++) {
    uploader.start()
    await until(uploader, ({ sentBytes }) => sentBytes > round * 2_000)
    uploader.pause()
  }
  t.equal(server.count('PUT', isPart), 0)
  uploader.close()
  const [fileId] = server.files.keys()
  const resumed = uploaderTo(server)
  resumed.add([{ source: file, fileId: fileId! }])
  resumed.start()
  t.equal((await reached(resumed, 'completed', 'stopped', 'incomplete')).state, 'completed')
  t.same(server.digests(), digestsOf([file]))
  t.equal(server.count('PUT', isPart), 0)
  t.ok(took.length >= 31)
})

t.test('does not count an outage of the network as a store failure', async (t) => {
  const server = await UploadServer.start(t)
  const store = await storeFor(t, server)
  let away = 0
  store.refuse = () => (away > 0 ? 0 : undefined)
  server.misbehave = ({ method, path }) => {
    if (server.files.size === 1 && method === 'PUT' && isPart.test(path)) return away-- > 0 ? 'cut' : undefined
    return undefined
  }
  const uploader = uploaderTo(server)
  uploader.add([{ source: fileOf('a', 20_500) }])
  server.delay = 3
  uploader.start()
  await until(uploader, ({ sentBytes }) => sentBytes > 3_000)
  away = 5
  const { state } = await reached(uploader, 'completed', 'stopped', 'incomplete')
  t.equal(state, 'completed')
  t.ok(store.took.length >= 15, `${store.took.length} parts of 21 went straight to the store`)
})

t.test('stops using a store that never accepts a byte', async (t) => {
  const server = await UploadServer.start(t)
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close().closeAllConnections())
  server.store = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const files = Array.from({ length: 8 }, (_, index) => fileOf(`f${index}`, 1_500))
  t.equal((await upload(uploaderTo(server, { tuning: { stallTimeout: 100 } }), files)).state, 'completed')
  t.same(server.digests(), digestsOf(files))
  t.ok(server.count('GET', isTicket) < 12)
})
