import { randomBytes } from 'node:crypto'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import t from 'tap'
import { applyPlan } from '../../src/import/core/apply.ts'
import { planImport } from '../../src/import/core/plan.ts'
import { readPingvin } from '../../src/import/pingvin/read.ts'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
import { runImport } from '../support/import-command.ts'
import { PingvinFolder } from '../support/pingvin.ts'
import { noS3, testBucket } from '../support/s3/s3.ts'
import { ok, sharing } from '../support/sharing.ts'

const progress = { share() {}, bytes() {} }

if (noS3) t.plan(0, noS3)
else {
  t.test('imports files of every size into a bucket', async (t) => {
    const { app, ctx } = await testApp(t, { storage: s3Store(await testBucket(t)) })
    const folder = new PingvinFolder(t, '1.13')
    const files = { large: randomBytes(20_000_000), small: randomBytes(3), empty: Buffer.alloc(0) }
    const ids = folder.share('everything', files)
    folder.close()
    const pingvin = readPingvin(folder.folder)
    t.same(await applyPlan(ctx, await planImport(ctx, pingvin), progress), [])
    const visitor = sharing(app, await sharing(app).unlock('everything'))
    for (const [index, content] of Object.values(files).entries()) {
      t.ok(ok(await visitor.call('GET', `/everything/files/${ids[index]}`)).rawPayload.equals(content))
    }
    t.equal((await planImport(ctx, pingvin)).existing.shares, 1)
  })

  t.test('imports the files that Pingvin Share keeps in a bucket', async (t) => {
    const app = await testApp(t)
    const { bucket, endpoint, region, credentials } = await testBucket(t)
    const { accessKeyId, secretAccessKey } = credentials!
    const folder = new PingvinFolder(t, '1.13')
    const [id] = folder.share('in-s3', { 'photo of us.jpg': 'one photo', 'lost.txt': 'lost' }, { storageProvider: 'S3' })
    const settings = { endpoint: endpoint!, region, bucketName: bucket, bucketPath: '/shares/', key: accessKeyId, secret: secretAccessKey }
    for (const [name, value] of Object.entries(settings)) folder.set(`s3.${name}`, value)
    folder.close()
    const client = new S3Client({ endpoint: endpoint!, region, credentials: credentials!, forcePathStyle: true })
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'shares/in-s3/photo of us.jpg', Body: 'one photo' }))
    client.destroy()
    const { code, output, errors } = await runImport(app, ['pingvin', folder.folder, '--apply'])
    t.equal(code, 0, errors)
    t.match(output, /shares: in-s3: "lost.txt" does not exist and is skipped/)
    t.notMatch(output, secretAccessKey)
    const visitor = sharing(app.app, await sharing(app.app).unlock('in-s3'))
    t.equal(ok(await visitor.call('GET', `/in-s3/files/${id}`)).body, 'one photo', 'also under its old address')
  })
}
