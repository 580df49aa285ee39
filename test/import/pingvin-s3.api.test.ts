import { randomBytes } from 'node:crypto'
import t from 'tap'
import { applyPlan } from '../../src/import/core/apply.ts'
import { planImport } from '../../src/import/core/plan.ts'
import { readPingvin } from '../../src/import/pingvin/read.ts'
import { s3Store } from '../../src/storage/s3/s3-store.ts'
import { testApp } from '../support/app/app.ts'
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
}
