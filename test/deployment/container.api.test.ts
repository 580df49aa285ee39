import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import { halfUpload, person, ready, signUp } from '../support/people/person.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { overTcp } from '../support/postgres-over-tcp.ts'

// As in a container of a cluster: an arbitrary user without a home or a name, on code that it
// cannot write to.

const user = 12_345
const asAnotherUser = process.getuid!() === 0 ? user : undefined

interface Test {
  teardown(work: () => Promise<unknown>): void
}

async function setUp(t: Test) {
  const dataDir = await mkdtemp(join(tmpdir(), 'razorbill-container-'))
  t.teardown(() => rm(dataDir, { recursive: true }))
  if (asAnotherUser) await chown(dataDir, asAnotherUser, 0)
  return {
    DATA_DIR: dataDir,
    DATABASE_URL: await overTcp(t, await emptyDatabase()),
    SECRET_KEY: 'x'.repeat(32),
    WORKER: 'off',
    NODE_ENV: 'production',
  }
}

t.test('runs server and worker as any user', { skip: asAnotherUser ? false : 'only root can start them as another user' }, async (t) => {
  const environment = await setUp(t)
  const server = startProcess(t, environment, 'src/server.ts', asAnotherUser)
  await server.says('Razorbill is ready')
  const worker = startProcess(t, environment, 'worker/main.ts', asAnotherUser)
  await worker.says('worker is ready')
  t.match(await ready(server), { code: 200 })
  const admin = person(server, await signUp(server))
  await admin.good('PATCH', '/configs/admin', [{ key: 'share.zipCompressionLevel', value: 1 }])
  const file = await admin.share('photos', Buffer.from('some text'))
  t.equal(String((await admin.good('GET', `/shares/photos/files/${file}`)).body), 'some text')
  const built = async () => JSON.parse(String((await admin.good('GET', '/shares/photos/metaData')).body)).isZipReady
  await eventually(built, 'the worker builds the zip')
  for (const process of [server, worker]) {
    process.child.kill('SIGTERM')
    t.equal(await process.ended, 0)
    const complaints = process.output().match(/.*"level":"(warn|error|fatal)".*/g) ?? []
    t.same(
      complaints.filter((line) => !line.includes('no account exists')),
      [],
    )
  }
})

t.test('cuts unfinished requests when DRAIN_SECONDS are over', async (t) => {
  const server = startProcess(t, { ...(await setUp(t)), DRAIN_SECONDS: '1' })
  await server.says('Razorbill is ready')
  const cookie = await signUp(server)
  await person(server, cookie).good('POST', '/shares', { id: 'photos', expiration: 'never' })
  const file = await person(server, cookie).announce('photos', 'a.bin', 4_000_000)
  await halfUpload(server, cookie, `/shares/photos/files/${file.id}/parts/1`, Buffer.alloc(4_000_000))
  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)
})
