import t, { type Test } from 'tap'
import { UploadServer } from '../support/app/upload-server.ts'
import { digestsOf, fileOf, reached, until, uploaderTo } from '../support/uploads.ts'

const size = 40_000
const parts = 40

async function running(t: Test, delay: number) {
  const server = await UploadServer.start(t)
  server.delay = delay
  const file = fileOf('a', size)
  const uploader = uploaderTo(server)
  uploader.add([{ source: file }])
  uploader.start()
  await until(uploader, ({ sentBytes }) => sentBytes > 10_000)
  return { server, file, uploader }
}

t.test('finishes the parts in flight when paused, and sends no part twice', async (t) => {
  const { server, file, uploader } = await running(t, 50)
  const seen: { state: string; sentBytes: number }[] = []
  uploader.subscribe(() => seen.push(uploader.getSnapshot()))
  uploader.pause()
  t.equal(uploader.getSnapshot().state, 'pausing')
  const { sentBytes } = await reached(uploader, 'paused')
  const asked = server.asked.length
  await new Promise((resolve) => setTimeout(resolve, 200))
  t.equal(server.asked.length, asked, 'nothing more is sent')
  t.equal(sentBytes, server.count('PUT', /./) * 1_000, 'every part in flight has arrived')
  uploader.start()
  await reached(uploader, 'completed')
  t.ok(
    seen.every((snapshot, index) => snapshot.sentBytes >= (seen[index - 1]?.sentBytes ?? 0)),
    'the progress never goes back',
  )
  t.same(server.digests(), digestsOf([file]))
  t.equal(server.count('PUT', /./), parts)
})

t.test('continues at once while it is pausing', async (t) => {
  const { server, file, uploader } = await running(t, 30)
  uploader.pause()
  uploader.start()
  t.equal(uploader.getSnapshot().state, 'running')
  await reached(uploader, 'completed')
  t.same(server.digests(), digestsOf([file]))
  t.equal(server.count('PUT', /./), parts)
})

t.test('does not wait for parts in flight when the connection is lost', async (t) => {
  const { server, file, uploader } = await running(t, 200)
  uploader.pause()
  await server.close()
  t.equal((await reached(uploader, 'paused')).state, 'paused')
  await server.listen()
  uploader.start()
  await reached(uploader, 'completed')
  t.same(server.digests(), digestsOf([file]))
})

t.test('stops while it is pausing when the server is full', async (t) => {
  const { server, uploader } = await running(t, 50)
  server.misbehave = ({ method }) => (method === 'PUT' ? { status: 507, error: 'insufficient_storage' } : undefined)
  uploader.pause()
  server.delay = 0
  const { state } = await reached(uploader, 'paused', 'stopped')
  if (state === 'paused') uploader.start()
  await reached(uploader, 'stopped')
  t.match(uploader.getSnapshot().problem, { code: 'insufficient_storage' })
})

t.test('can be canceled while it is pausing', async (t) => {
  const { server, uploader } = await running(t, 50)
  uploader.pause()
  await uploader.cancel()
  t.equal(uploader.getSnapshot().state, 'cancelled')
  t.equal(server.state, 'deleted')
})
