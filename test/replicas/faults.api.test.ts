import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts'
import { silentLog } from '../support/app/log.ts'
import { lookInto, noReplicas, startReplicas } from '../support/app/replicas.ts'
import { eventually, unzipped } from '../support/app/worker.ts'
import { sample } from '../support/browser/samples.ts'
import { signUp } from '../support/people/person.ts'
import { restartableRedis } from '../support/redis.ts'
import { type Fault, faultProxy } from '../support/s3/fault-proxy.ts'
import { contentOf, plainClient, testBucket } from '../support/s3/s3.ts'
import { metricsOf, sender } from '../support/sender.ts'
import { digestsOf, fileOf, until } from '../support/uploads.ts'

// No byte may be lost on one installation when processes are killed, engines restart and the store
// fails.

const MiB = 1_048_576

t.setTimeout(400_000)
if (noReplicas) t.plan(0, noReplicas)
else {
  const bucket = await testBucket(t)
  const [storeOfAll, storeOfFirstWorker] = [await faultProxy(bucket.endpoint!), await faultProxy(bucket.endpoint!)]
  t.teardown(() => Promise.all([storeOfAll.close(), storeOfFirstWorker.close()]))
  const redis = await restartableRedis(t)
  const postgres = await restartablePostgres(t)
  const { connection: database } = postgres.running()
  const replicas = await startReplicas(t, { database, redisUrl: redis.url, bucket: { ...bucket, endpoint: storeOfAll.url } })
  const firstWorker = await replicas.startWorker({ S3_ENDPOINT: storeOfFirstWorker.url })
  const db = lookInto(t, database)
  const client = plainClient(bucket)
  t.teardown(async () => client.destroy())
  const owner = sender(replicas, await signUp(replicas, replicas.setupCode))
  await owner.patiently('PATCH', '/configs/admin', [{ key: 'share.zipCompressionLevel', value: 1 }])
  /** The expected content of every completed share. */
  const sent: Record<string, ReturnType<typeof fileOf>[]> = {}
  const send = async (id: string, files: ReturnType<typeof fileOf>[]) => {
    await owner.send(id, files)
    sent[id] = files
  }
  const zipState = async (id: string) =>
    (await db.selectFrom('share').select('zipState').where('id', '=', id).executeTakeFirstOrThrow()).zipState

  t.test('survives a worker that dies in the middle of a zip', async (t) => {
    storeOfFirstWorker.trouble = { fault: 'stall', meets: (method, url) => method === 'PUT' && /zips.*partNumber=2/.test(url.href) }
    await send('killed-worker', [fileOf('a.bin', 24 * MiB), fileOf('b.bin', 16 * MiB)])
    await eventually(
      () => storeOfFirstWorker.seen.some((line) => /^PUT .*zips.*partNumber=2/.test(line)),
      'the upload of the zip has started',
    )
    firstWorker.child.kill('SIGKILL')
    await firstWorker.ended
    t.equal(await zipState('killed-worker'), 'preparing')
    t.equal((await contentOf(client, bucket.bucket)).uploads.length, 1, 'it has left an unfinished upload')
    await Promise.all([replicas.startWorker(), replicas.startWorker()])
  })

  t.test('survives an API process that dies in the middle of an upload', async (t) => {
    const file = fileOf('a.bin', 40 * MiB)
    await owner.begin('killed-api')
    const uploader = owner.uploader('killed-api')
    uploader.add([{ source: file }])
    uploader.start()
    await until(uploader, ({ sentBytes, totalBytes }) => sentBytes > totalBytes / 2)
    t.equal(uploader.getSnapshot().state, 'running')
    replicas.apis[0]!.child.kill('SIGKILL')
    await until(uploader, ({ state }) => state === 'completed')
    sent['killed-api'] = [file]
    t.same(await owner.digests('killed-api'), digestsOf([file]), 'the other process serves all of it')
    await replicas.startApi(0)
  })

  t.test('survives a restart of PostgreSQL and Redis during uploads', async (t) => {
    const shares = [1, 2, 3].map((n) => ({
      id: `restart-${n}`,
      files: [fileOf('a.bin', 20 * MiB), fileOf('b.bin', 1000), fileOf('c.bin', 0)],
    }))
    const sending = shares.map(({ id, files }) => send(id, files))
    await eventually(
      () => storeOfAll.seen.some((line) => /^PUT .*partNumber=1/.test(line) && !line.includes('zips')),
      'uploads are in progress',
    )
    await Promise.all([postgres.stop(), redis.kill()])
    t.notOk(
      shares.some(({ id }) => id in sent),
      'in the middle',
    )
    await Promise.all([postgres.start(), redis.start()])
    await Promise.all(sending)
  })

  t.test('survives a store that throttles, disconnects, stalls and contradicts itself', async (t) => {
    const part = (method: string, url: URL) => method === 'PUT' && url.searchParams.has('partNumber') && url.pathname.includes('shares/')
    const finish = (method: string, url: URL) => method === 'POST' && url.searchParams.has('uploadId') && url.pathname.includes('shares/')
    const troubles: [fault: Fault, meets: typeof part, times: number][] = [
      ['slow down', part, 4],
      ['cut request', part, 2],
      ['stall', part, 1],
      ['done, then stall', part, 1],
      ['cut answer', part, 1],
      ['error in 200', finish, 1],
      ['done, then error', finish, 1],
      ['slow down', finish, 3],
    ]
    for (const [at, [fault, meets, times]] of troubles.entries()) {
      storeOfAll.trouble = { fault, meets, times }
      await send(`trouble-${at}`, [fileOf('a.bin', 9 * MiB)])
      t.equal(storeOfAll.trouble, undefined, `${fault} has occurred`)
    }
  })

  t.test('has complete shares and zips in the end', async (t) => {
    for (const [id, files] of Object.entries(sent)) t.same(await owner.digests(id), digestsOf(files), id)
    for (const id of Object.keys(sent)) await eventually(async () => (await zipState(id)) === 'ready', `the zip of ${id} is built`)
    const zip = await owner.patiently('GET', '/shares/killed-worker/files/zip')
    const entries = Object.entries(await unzipped(zip.body)).map(([name, bytes]) => ({ name, size: bytes.length }))
    t.same(entries, [
      { name: 'a.bin', size: 24 * MiB },
      { name: 'b.bin', size: 16 * MiB },
    ])
  })

  t.test('has no objects without rows in the store, and none after the rows are deleted', async (t) => {
    const files = await db.selectFrom('file').select('objectKey').execute()
    const zips = await db.selectFrom('share').select(['uid', 'revision']).where('zipState', '=', 'ready').execute()
    const named = [...files.map(({ objectKey }) => objectKey), ...zips.map(({ uid, revision }) => `zips/${uid}/${revision}`)]
    await eventually(async () => {
      const { objects, uploads } = await contentOf(client, bucket.bucket)
      return objects.sort().join() === named.sort().join() && uploads.every(({ key }) => named.includes(key))
    }, 'objects and rows are the same')
    for (const id of Object.keys(sent)) t.equal((await owner.patiently('DELETE', `/shares/${id}`)).status, 200)
    await db
      .updateTable('share')
      .set({ deletedAt: new Date(0) })
      .where('deletedAt', 'is not', null)
      .execute()
    await eventually(async () => (await db.selectFrom('share').select('id').execute()).length === 0, 'the rows are deleted')
    await eventually(async () => (await db.selectFrom('deletedObject').select('key').execute()).length === 0, 'it is cleaned up')
    t.same(await contentOf(client, bucket.bucket), { objects: [], uploads: [] })
  })

  t.test('leaves no request hanging', async () => {
    for (const api of replicas.apis) {
      await eventually(async () => sample(await metricsOf(api), 'razorbill_http_requests_active') === 0, 'all requests have completed')
    }
  })
}

async function restartablePostgres(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-faults-'))
  const start = () => startEmbedded({ dataDir: join(folder, 'data'), log: silentLog, durable: false })
  let embedded: Embedded = await start()
  t.teardown(async () => {
    await embedded.stop()
    await rm(folder, { recursive: true })
  })
  return {
    running: () => embedded,
    stop: () => embedded.stop(),
    async start() {
      embedded = await start()
    },
  }
}
