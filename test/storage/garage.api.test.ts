import { randomBytes } from 'node:crypto'
import t from 'tap'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
import { signUp } from '../support/people/people.ts'
import { noGarage, startGarage } from '../support/s3/garage.ts'
import { objectStoreSuite } from '../support/s3/object-store-suite.ts'
import { ok, sharing } from '../support/sharing.ts'

// The S3 server of docker-compose.yml, with its configuration and command.

if (noGarage) t.plan(0, noGarage)
else {
  const settings = await startGarage(t)
  t.test('Garage implements the contract of an object store', async (t) =>
    objectStoreSuite(t, async () => s3Store(settings), 'Garage forgets the first part'),
  )

  t.test('supports a share from upload to deletion', async (t) => {
    const store = s3Store(settings)
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
  })

  t.test('passes the test of direct transfers', async (t) => {
    const store = s3Store({ ...settings, direct: true, appUrl: 'http://share.example.org' })
    t.teardown(() => store.close())
    t.equal(await store.testDirect(), null)
    t.equal(store.direct?.origin, settings.endpoint)
  })
}
