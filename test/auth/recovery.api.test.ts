import { randomBytes } from 'node:crypto'
import t from 'tap'
import { childrenOf, dataFolder, postgresOf, startServer, workerOf } from '../support/app/server-process.ts'
import { eventually, unzipped } from '../support/app/worker.ts'
import { cookiesOf, halfUpload, person, ready, signUp } from '../support/people/person.ts'

// The whole product, started by its own command and killed in every possible way.

t.test('restarts with all data and no manual step after kill -9 of every process', async (t) => {
  const dataDir = await dataFolder(t)
  const content = randomBytes(300_000)
  const first = await startServer(t, dataDir)
  await first.says('worker is ready')
  const cookie = await signUp(first)
  const admin = person(first, cookie)
  const fileId = await admin.share('before', content)
  await admin.good('POST', '/shares', { id: 'half', expiration: 'never' })
  const big = randomBytes(9 * 1_048_576)
  const half = await admin.announce('half', 'big.bin', big.length)
  await admin.good('PUT', `/shares/half/files/${half.id}/parts/1`, big.subarray(0, half.partSize))
  await halfUpload(first, cookie, `/shares/half/files/${half.id}/parts/2`, big.subarray(half.partSize))

  process.kill(postgresOf(dataDir), 'SIGKILL')
  first.signalGroup('SIGKILL')
  await first.ended

  const second = await startServer(t, dataDir)
  t.notOk(second.output().includes('administrator'), 'this is not the first start')
  const again = person(second, cookie)
  t.match(String((await again.good('GET', '/users/me')).body), '"username":"admin"', 'still signed in')
  const visitor = cookiesOf(await again.good('POST', '/shares/before/token', {}))
  const found = await person(second, visitor).good('GET', `/shares/before/files/${fileId}`)
  t.ok(found.body.equals(content))
  const parts = JSON.parse(String((await again.good('GET', `/shares/half/files/${half.id}/parts`)).body))
  t.same(parts.parts, [1], 'complete parts are there, incomplete ones are not')
  await again.good('PUT', `/shares/half/files/${half.id}/parts/2`, big.subarray(half.partSize))
  await again.good('POST', `/shares/half/files/${half.id}/complete`)
  await again.good('POST', '/shares/half/complete')
  const opened = cookiesOf(await again.good('POST', '/shares/half/token', {}))
  t.ok((await person(second, opened).good('GET', `/shares/half/files/${half.id}`)).body.equals(big))
})

t.test('restarts worker and PostgreSQL when they die, and reports not ready meanwhile', async (t) => {
  const dataDir = await dataFolder(t)
  const server = await startServer(t, dataDir, { WORKER: 'process' })
  const cookie = await signUp(server)
  const admin = person(server, cookie)
  await eventually(() => workerOf(server) !== undefined, 'the worker runs')
  await server.says('worker is ready')
  const firstWorker = workerOf(server)!
  process.kill(firstWorker, 'SIGKILL')
  await admin.good('POST', '/shares', { id: 'photos', expiration: 'never' })
  await admin.good('DELETE', '/shares/photos')
  await eventually(() => ![undefined, firstWorker].includes(workerOf(server)), 'another worker runs')
  await eventually(() => server.logged('job done').some(({ job }) => job === 'clean-up'), 'it works')

  const postgres = postgresOf(dataDir)
  const frozen = [postgres, ...childrenOf(postgres)]
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await eventually(async () => (await ready(server)).code === 503, 'readiness is red')
  t.match(await ready(server), { code: 503, dependencies: { database: 'down', queue: 'down', storage: 'up' } })
  t.equal((await person(server).call('GET', '/health')).status, 200, 'the process itself is alive')
  for (const pid of frozen) process.kill(pid, 'SIGKILL')
  await eventually(async () => (await ready(server)).code === 200, 'readiness is green again')
  t.not(postgresOf(dataDir), postgres)
  const fileId = await admin.share('after', Buffer.from('y'.repeat(100_000)))
  const visitor = cookiesOf(await admin.good('POST', '/shares/after/token', {}))
  const zip = await person(server, visitor).good('GET', '/shares/after/files/zip')
  t.equal(String((await unzipped(zip.body))['a.bin']), 'y'.repeat(100_000))
  t.ok(fileId)
  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)
})
