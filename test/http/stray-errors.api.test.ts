import t from 'tap'
import { startProcess } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'

const server = startProcess(t, { LOG_LEVEL: 'info' }, 'test/support/app/throwing-server.ts')
await server.says('Listening: ')
const url = /^Listening: (\S+)$/m.exec(server.output())![1]!
const health = async () => (await fetch(`${url}/health`)).text()
const linesAbout = (place: string) =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes(`thrown in ${place}"`))

t.test('fails only the affected request, once, when an error is uncaught', async (t) => {
  for (const place of ['plugin', 'hook', 'stream', 'stream-error', 'timer', 'immediate', 'rejection', 'event']) {
    const failing = fetch(`${url}/${place}`, { method: 'POST', body: 'x'.repeat(100_000), signal: AbortSignal.timeout(10_000) })
    t.equal(await health(), 'OK')
    const answer = await failing
    t.equal(answer.status, 500, place)
    t.match(await answer.json(), { statusCode: 500, error: 'internal' })
    await eventually(() => linesAbout(place).length > 0, 'the log says so')
    t.equal(linesAbout(place).length, 1, `${place}: it is logged once`)
    t.match(JSON.parse(linesAbout(place)[0]!), { level: 'error', msg: 'request failed', err: { message: `thrown in ${place}` } })
    t.equal(await health(), 'OK')
  }
})

t.test('cuts a response that has begun', async (t) => {
  const answer = await fetch(`${url}/late`, { method: 'POST', signal: AbortSignal.timeout(10_000) })
  await t.rejects(answer.text())
  await eventually(() => linesAbout('late').length === 1, 'the log says so')
  t.equal(await health(), 'OK')
})

t.test('logs an error outside of any request, and keeps serving', async (t) => {
  await fetch(`${url}/outside`, { method: 'POST' })
  await eventually(() => linesAbout('outside').length === 1, 'it is logged')
  t.match(JSON.parse(linesAbout('outside')[0]!), { level: 'error', msg: 'unexpected error outside of a request' })
  t.equal(await health(), 'OK')
})

t.test('fails the job that caused an uncaught error, and keeps serving', async (t) => {
  const response = await fetch(`${url}/job`, { method: 'POST', signal: AbortSignal.timeout(10_000) })
  t.equal(await response.text(), 'thrown in job')
  await eventually(() => linesAbout('job').length === 1, 'it is logged')
  t.match(JSON.parse(linesAbout('job')[0]!), { level: 'error', msg: 'unexpected error in a job' })
  t.equal(await health(), 'OK')
})
