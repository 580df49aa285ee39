import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { lookInto, noReplicas, startReplicas } from '../support/app/replicas.ts'
import { eventually, unzipped } from '../support/app/worker.ts'
import type { Reply } from '../support/listening.ts'
import { password } from '../support/people/people.ts'
import { cookiesOf, person, signUp } from '../support/people/person.ts'
import { codeAt } from '../support/people/totp.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { contentOf, plainClient, testBucket } from '../support/s3/s3.ts'

// Two API processes and two workers; a proxy alternates between the API processes.

t.setTimeout(300_000)
if (noReplicas) t.plan(0, noReplicas)
else {
  const [bucket, redisUrl, database] = [await testBucket(t), await startRedis(t), await emptyDatabase()]
  const replicas = await startReplicas(t, { database, redisUrl, bucket })
  const workers = await Promise.all([replicas.startWorker(), replicas.startWorker()])
  const db = lookInto(t, database)
  const client = plainClient(bucket)
  t.teardown(async () => client.destroy())
  const admin = person(replicas, await signUp(replicas, replicas.setupCode))
  const stranger = person(replicas)

  const replicaOf = ({ headers }: Reply) => headers['x-replica']
  const json = ({ body }: Reply) => JSON.parse(String(body))
  /** Sends the same request twice in a row, so that it reaches both. */
  const both = async (t: Test, ask: () => Promise<Reply>) => {
    const replies = [await ask(), await ask()]
    t.not(replicaOf(replies[0]!), replicaOf(replies[1]!))
    return replies
  }

  t.test('applies a session and a setting on both at once', async (t) => {
    for (const reply of await both(t, () => admin.good('GET', '/users/me'))) t.match(json(reply), { username: 'admin', isAdmin: true })
    await admin.good('PATCH', '/configs/admin', [
      { key: 'general.appName', value: 'Flock' },
      { key: 'share.zipCompressionLevel', value: 1 },
    ])
    for (const reply of await both(t, () => stranger.good('GET', '/configs'))) {
      t.equal(json(reply).find(({ key }: { key: string }) => key === 'general.appName').value, 'Flock')
    }
  })

  t.test('accepts parts of one file on both, and serves the file from either', async (t) => {
    const content = randomBytes(20 * 1_048_576)
    await admin.good('POST', '/shares', { id: 'photos', expiration: 'never' })
    const { id, partSize } = await admin.announce('photos', 'a.bin', content.length)
    const path = `/shares/photos/files/${id}`
    const send = (number: number) =>
      admin.good('PUT', `${path}/parts/${number}`, content.subarray((number - 1) * partSize, number * partSize))
    const sent = await Promise.all([send(3), send(1)])
    t.equal(new Set(sent.map(replicaOf)).size, 2, 'both have received a part')
    for (const reply of await both(t, () => admin.good('GET', `${path}/parts`))) t.match(json(reply), { partCount: 3, parts: [1, 3] })
    for (const reply of await both(t, () => admin.call('POST', `${path}/complete`))) {
      t.match({ status: reply.status, ...json(reply) }, { status: 400, error: 'upload_incomplete', missing: [2] })
    }
    await send(2)
    for (const reply of await both(t, () => admin.good('POST', `${path}/complete`))) t.match(json(reply), { size: content.length })
    await admin.good('POST', '/shares/photos/complete')

    const visitor = person(replicas, cookiesOf(await stranger.good('POST', '/shares/photos/token', {})))
    for (const reply of await both(t, () => visitor.good('GET', path))) t.ok(content.equals(reply.body))
    const range = { range: 'bytes=8388600-8388620' }
    for (const reply of await both(t, () => visitor.call('GET', path, undefined, range))) {
      t.ok(content.subarray(8_388_600, 8_388_621).equals(reply.body))
    }
    await eventually(async () => json(await visitor.good('GET', '/shares/photos/metaData')).isZipReady, 'a worker has built the zip')
    const [one, other] = await both(t, () => visitor.good('GET', '/shares/photos/files/zip'))
    t.ok(one!.body.equals(other!.body))
    t.ok(content.equals((await unzipped(one!.body))['a.bin']!))
    const built = workers.flatMap((worker) => worker.logged('job done')).filter(({ job }) => job === 'build-zip')
    t.equal(built.length, 1, 'one of the workers')
  })

  t.test('spreads the steps of a sign-in over both, and accepts a code once', async (t) => {
    const totp = json(await admin.good('POST', '/auth/totp/enable', { password })).totpSecret
    await admin.good('POST', '/auth/totp/verify', { code: codeAt(totp, new Date()), password })
    const signIn = () => stranger.good('POST', '/auth/signIn', { username: 'admin', password })
    const begun = await signIn()
    const code = codeAt(totp, new Date(), 1)
    const finish = (reply: Reply) => stranger.call('POST', '/auth/signIn/totp', { totp: code, loginToken: json(reply).loginToken })
    const finished = await finish(begun)
    t.not(replicaOf(begun), replicaOf(finished))
    t.equal(finished.status, 200)
    const again = await signIn()
    await stranger.good('GET', '/version') // so that the next request reaches the other process
    t.match(json(await finish(again)), { error: 'invalid_totp' })
  })

  t.test('counts limits together', async (t) => {
    await admin.good('POST', '/shares', { id: 'one-view', expiration: 'never', security: { maxViews: 1 } })
    const file = await admin.announce('one-view', 'a.txt', 4)
    await admin.good('PUT', `/shares/one-view/files/${file.id}/parts/1`, Buffer.from('four'))
    await admin.good('POST', `/shares/one-view/files/${file.id}/complete`)
    await admin.good('POST', '/shares/one-view/complete')
    const views = await Promise.all([1, 2, 3, 4].map(() => stranger.call('POST', '/shares/one-view/token', {})))
    t.same(views.map(({ status }) => status).sort(), [200, 403, 403, 403])
    t.equal(new Set(views.map(replicaOf)).size, 2)

    const guess = () => stranger.call('POST', '/auth/signIn', { username: 'nobody', password: 'a wrong password' })
    const guesses: Reply[] = []
    for (let n = 0; n < 12; n++) guesses.push(await guess())
    t.same(
      guesses.map(({ status }) => status),
      [...Array(10).fill(401), 429, 429],
    )
  })

  t.test('removes everything of deleted shares with a clean-up by either worker', async (t) => {
    await admin.good('POST', '/shares', { id: 'unfinished', expiration: 'never' })
    const file = await admin.announce('unfinished', 'a.bin', 9_000_000)
    await admin.good('PUT', `/shares/unfinished/files/${file.id}/parts/2`, randomBytes(9_000_000 - 8_388_608))
    t.equal((await contentOf(client, bucket.bucket)).uploads.length, 1)
    for (const id of ['photos', 'one-view']) await admin.good('DELETE', `/shares/${id}`)
    await db
      .updateTable('share')
      .set({ deletedAt: new Date(0) })
      .where('deletedAt', 'is not', null)
      .execute()
    await admin.good('DELETE', '/shares/unfinished')
    await eventually(async () => (await db.selectFrom('share').select('id').execute()).length === 0, 'the rows are deleted')
    await eventually(async () => (await db.selectFrom('deletedObject').select('key').execute()).length === 0, 'it is cleaned up')
    t.same(await contentOf(client, bucket.bucket), { objects: [], uploads: [] })
  })

  t.test('stops both cleanly', async (t) => {
    for (const process of [...replicas.apis, ...workers]) process.child.kill('SIGTERM')
    for (const process of [...replicas.apis, ...workers]) t.equal(await process.ended, 0)
    for (const { output } of [...replicas.apis, ...workers]) t.same(output().match(/.*"level":"(error|fatal)".*/g), null)
  })
}
