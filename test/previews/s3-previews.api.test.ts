import t from 'tap'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { signUp } from '../support/people/people.ts'
import { picture, runPreviewJobs, video, withoutFfmpeg } from '../support/previews.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'
import { afterUndo, ok, sharing } from '../support/sharing.ts'

const missing = noS3 || withoutFfmpeg
if (missing) t.plan(0, missing)
else {
  t.test('keeps previews in the bucket and deletes them with their files', async (t) => {
    const bucket = await testBucket(t)
    const queue = waitingJobs()
    const { app, ctx } = await testApp(t, { queue, storage: s3Store(bucket) })
    const owner = sharing(app, await signUp(app, 'owner'))
    const [photo, movie] = await owner.share('media', { 'a.jpg': picture('jpg', [800, 600]), 'b.mp4': video('mp4') })
    await runPreviewJobs(ctx, queue)
    const { files } = ok(await owner.call('GET', '/media/from-owner')).json()
    t.match(files, [{ preview: { kind: 'image', width: 800 } }, { preview: { kind: 'video', width: 320 } }])
    for (const id of [photo, movie])
      for (const size of ['thumbnail', 'preview']) {
        const reply = ok(await owner.call('GET', `/media/files/${id}/${size}`))
        t.equal(reply.rawPayload.toString('latin1', 8, 12), 'WEBP')
      }
    const client = plainClient(bucket)
    const { objects } = await contentOf(client, bucket.bucket)
    t.equal(objects.filter((key) => key.startsWith('previews/')).length, 4)
    ok(await owner.call('DELETE', '/media'))
    await cleanUp(afterUndo(ctx), {}, new AbortController().signal)
    t.same(await contentOf(client, bucket.bucket), { objects: [], uploads: [] })
    client.destroy()
  })
}
