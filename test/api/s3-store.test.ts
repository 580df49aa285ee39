import t from 'tap'
import { s3Store } from '../../src/storage/s3.ts'
import { objectStoreSuite } from '../support/object-store-suite.ts'
import { noS3, testBucket } from '../support/s3.ts'

if (noS3) t.plan(0, noS3)
else {
  const settings = await testBucket(t)
  t.test('the contract', async (t) => objectStoreSuite(t, async () => s3Store(settings)))
}
