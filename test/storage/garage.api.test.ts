import t from 'tap'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { noGarage, startGarage } from '../support/s3/garage.ts'
import { objectStoreSuite } from '../support/s3/object-store-suite.ts'
import { shareJourney } from '../support/s3/share-journey.ts'

// The S3 server of docker-compose.yml, with its configuration and command.

if (noGarage) t.plan(0, noGarage)
else {
  const settings = await startGarage(t)
  t.test('Garage implements the contract of an object store', async (t) =>
    objectStoreSuite(t, async () => s3Store(settings), 'Garage forgets the first part'),
  )

  t.test('supports a share from upload to deletion', async (t) => shareJourney(t, s3Store(settings)))

  t.test('passes the test of direct transfers', async (t) => {
    const store = s3Store({ ...settings, direct: true, appUrl: 'http://share.example.org' })
    t.teardown(() => store.close())
    t.equal(await store.testDirect(), null)
    t.equal(store.direct?.origin, settings.endpoint)
  })
}
