import t from 'tap'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { objectStoreSuite } from '../support/s3/object-store-suite.ts'
import { testBucket } from '../support/s3/s3.ts'
import { shareJourney } from '../support/s3/share-journey.ts'
import { noVersityGw, startVersityGw } from '../support/s3/versitygw.ts'

// A second S3 server beside Ceph: its wording, errors and rules differ.

if (noVersityGw) t.plan(0, noVersityGw)
else {
  const server = await startVersityGw(t)
  const settings = await testBucket(t, server)
  t.test('VersityGW implements the contract of an object store', async (t) =>
    objectStoreSuite(t, async () => s3Store(settings), 'VersityGW forgets the first part'),
  )

  t.test('supports a share from upload to deletion', async (t) => shareJourney(t, s3Store(await testBucket(t, server))))
}
