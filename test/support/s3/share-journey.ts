import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { ObjectStore } from '../../../src/storage/object-store.ts'
import { testApp } from '../app/app.ts'
import { signUp } from '../people/people.ts'
import { ok, sharing } from '../sharing.ts'

/** Tests a share from upload to deletion with a store that holds nothing else. */
export async function shareJourney(t: Test, store: ObjectStore): Promise<void> {
  await store.check()
  const { app } = await testApp(t, { storage: store })
  const owner = sharing(app, await signUp(app, 'owner'))
  const content = randomBytes(9_000_000)
  const [id] = await owner.share('photos', { 'noise.bin': content, empty: Buffer.alloc(0) })
  const visitor = sharing(app, await owner.unlock('photos'))
  t.ok(ok(await visitor.call('GET', `/photos/files/${id}`)).rawPayload.equals(content))
  ok(await visitor.call('GET', '/photos/files/zip'))
  ok(await owner.call('DELETE', '/photos'))
  t.equal(await store.sweepTemporary!(0), 0)
}
