import t from 'tap'
import { SendWindow } from '../../uploader/send-window.ts'
import { UploadServer } from '../support/app/upload-server.ts'
import { fileOf, upload, uploaderTo } from '../support/uploads.ts'

const MiB = 1_048_576
const part = 8 * MiB

/**
 * Sends parts through a window, at most five at once, over a connection whose speed in bytes a
 * millisecond depends on the number of requests. Returns how many were in flight after each start.
 */
function simulate(speedOf: (requests: number) => number, count: number): number[] {
  const window = new SendWindow(part, 8_000)
  const widths: number[] = []
  const left: number[] = []
  for (let now = 0; widths.length < count; ) {
    while (left.length < 5 && window.fits(part)) {
      window.begin(part, now)
      left.push(part)
      widths.push(left.length)
    }
    const step = Math.min(...left)
    now += (step * left.length) / speedOf(left.length)
    window.sent(step * left.length)
    for (const [index, bytes] of left.entries()) left[index] = bytes - step
    while (left[0] === 0) {
      left.shift()
      window.end(part, true, now)
    }
  }
  return widths
}

t.test('sends one part at a time on a slow connection, and seldom two', async (t) => {
  const widths = simulate(() => 1_250, 100) // 10 Mbit/s
  t.same(widths.slice(0, 5), [1, 1, 1, 1, 1])
  t.ok(Math.max(...widths) <= 2)
  t.ok(widths.filter((width) => width === 2).length <= 20, widths.join())
})

t.test('sends five parts at once on a fast connection after the first one', async (t) => {
  const widths = simulate(() => 12_500, 31) // 100 Mbit/s
  t.same(widths, [1, ...Array.from({ length: 6 }, () => [1, 2, 3, 4, 5]).flat()])
})

t.test('widens where the network limits each request', async (t) => {
  const widths = simulate((requests) => requests * 1_000, 120)
  t.equal(widths.at(-1), 5, widths.join())
})

t.test('always allows small parts, and parts that are alone', async (t) => {
  const window = new SendWindow(part, 8_000)
  window.begin(20 * part)
  t.notOk(window.fits(MiB))
  t.ok(window.fits(1_000))
  window.end(20 * part, false)
  t.ok(window.fits(20 * part))
})

t.test('an upload on a slow connection has one part of all its files in flight', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 40
  const uploader = uploaderTo(server, { tuning: { bytesInFlight: 1_000, sendAhead: 20 } })
  let most = 0
  server.misbehave = ({ method }) => {
    if (method === 'PUT') most = Math.max(most, server.running('PUT'))
    return undefined
  }
  t.equal((await upload(uploader, [fileOf('a', 2_000), fileOf('b', 2_000)])).state, 'completed')
  t.equal(most, 1)
})

t.test('a big file on a slow connection does not hold up small ones, and not all are announced', async (t) => {
  const server = await UploadServer.start(t)
  server.delay = 20
  const done: string[] = []
  const uploader = uploaderTo(server, { tuning: { bytesInFlight: 1_000, sendAhead: 10 } })
  uploader.on('fileDone', ({ name }) => done.push(name))
  const small = Array.from({ length: 10 }, (_, index) => fileOf(`small ${index}`, 10))
  const middle = Array.from({ length: 20 }, (_, index) => fileOf(`middle ${index}`, 500))
  let waiting = 0
  uploader.on('fileDone', () => {
    waiting = Math.max(waiting, server.files.size - done.length)
  })
  await upload(uploader, [fileOf('big', 20_000), ...small, ...middle])
  t.ok(done.indexOf('small 9') < done.indexOf('big'))
  t.ok(waiting <= 8, `${waiting} files were announced and waited`)
  t.equal(done.length, 31)
})
