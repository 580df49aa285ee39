import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { Jobs } from '../../src/queue/jobs.ts'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { buildZip } from '../../worker/build-zip.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { unzipped } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { objectStoreSuite } from '../support/s3/object-store-suite.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'
import { afterUndo, ok, set, sharing } from '../support/sharing.ts'

if (noS3) t.plan(0, noS3)
else {
  const settings = await testBucket(t)
  t.test('implements the contract of an object store', async (t) => objectStoreSuite(t, async () => s3Store(settings)))

  t.test('supports files and both kinds of archives, and leaves nothing when the share is deleted', async (t) => {
    const bucket = await testBucket(t)
    const queue = waitingJobs()
    const { app, ctx } = await testApp(t, { queue, storage: s3Store(bucket) })
    const owner = sharing(app, await signUp(app, 'owner'))
    const files = {
      'a/letter.txt': Buffer.from('dear reader, '.repeat(50_000)),
      empty: Buffer.alloc(0),
      'noise.bin': randomBytes(9_000_000),
    }
    await set(ctx, 'share.zipCompressionLevel', 6)
    const [, , id] = await owner.share('photos', files)
    const visitor = sharing(app, await owner.unlock('photos'))
    const download = ok(await visitor.call('GET', `/photos/files/${id}`))
    t.ok(files['noise.bin'].equals(download.rawPayload))

    await buildZip(ctx, queue.jobs.find(({ name }) => name === 'build-zip')!.payload as Jobs['build-zip'], new AbortController().signal)
    const built = ok(await visitor.call('GET', '/photos/files/zip'))
    t.ok(built.rawPayload.length < 9_100_000, 'text is compressed')
    await set(ctx, 'share.zipCompressionLevel', 0)
    const planned = ok(await visitor.call('GET', '/photos/files/zip'))
    for (const zip of [built, planned]) t.same(await unzipped(zip.rawPayload), files)

    const client = plainClient(bucket)
    t.equal((await contentOf(client, bucket.bucket)).objects.length, 4)
    ok(await owner.create('unfinished'))
    const { id: open } = ok(await owner.announce('unfinished', 'big.bin', 9_000_000)).json()
    ok(await owner.part('unfinished', open, 1, files['noise.bin'].subarray(0, 8_388_608)))
    ok(await owner.call('DELETE', '/photos'))
    ok(await owner.call('DELETE', '/unfinished'))
    await cleanUp(afterUndo(ctx), {}, new AbortController().signal)
    t.same(await contentOf(client, bucket.bucket), { objects: [], uploads: [] })
    client.destroy()
  })
}
