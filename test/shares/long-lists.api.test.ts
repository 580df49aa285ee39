import { once } from 'node:events'
import { Readable } from 'node:stream'
import t from 'tap'
import { testApp } from '../support/app/app.ts'
import { answerTo, begin, fetchWhole, listen, type Reply } from '../support/listening.ts'
import { manyFiles, manyShares } from '../support/many.ts'
import { signUp } from '../support/people/people.ts'
import { inDatabase } from '../support/postgres.ts'
import { sharing } from '../support/sharing.ts'

const limit = 4_000 // ms; a quiet machine needs less than 1,000, and tests share theirs
const files = 66_500

const { app, ctx, database } = await testApp(t)
const headers = await signUp(app, 'alice')
await inDatabase(database, async (client) => {
  await manyFiles(client, 'alice', 'large', files, 300)
  await manyShares(client, 'alice', 1_100)
  await client.query(`insert into file (share_id, name, size, object_key, part_size, part_count, published, completed_at, crc32)
    select share.id, 'photo ' || n || ' of the island.jpg', n, 'shares/' || share.uid || '/' || gen_random_uuid(), 8388608, 1, true, now(), 1
    from share, generate_series(1, 28) n where share.id ~ '^s0'`)
  await client.query('analyze')
})
const port = await listen(app)

/**
 * Runs `work` three times; returns the last result and the milliseconds of the fastest, as other
 * tests take CPU time too.
 */
async function fastest<T>(name: string, work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  let [ms, result] = [Number.POSITIVE_INFINITY, undefined as T]
  for (let run = 0; run < 3; run++) {
    const begun = performance.now()
    result = await work()
    ms = Math.min(ms, Math.round(performance.now() - begun))
  }
  t.comment(`${name}: ${ms} ms`)
  return { result, ms }
}

/** Fetches a URL; returns its response, and the milliseconds of the fastest of three. */
async function timed(url: string, more: Record<string, string> = headers): Promise<Reply & { ms: number }> {
  const { result, ms } = await fastest(url, () => fetchWhole(port, url, { headers: more }))
  t.comment(`${url}: ${result.body.length} bytes`)
  return { ...result, ms }
}

/** Returns the share in the start data of a page. */
const startOf = ({ body }: Reply) => JSON.parse(/id="start">(.*?)<\/script>/s.exec(String(body))![1]!).share.share

t.test('lists at most 1,000 shares of 20 files each to callers that name no page', async (t) => {
  const { status, body, headers, ms } = await timed('/api/shares')
  t.equal(status, 200)
  t.equal(headers['x-total-count'], '1101')
  const shares: { id: string; files: unknown[]; fileCount: number }[] = JSON.parse(String(body))
  t.equal(shares.length, 1_000)
  t.match(shares[0], { id: 'large', fileCount: files })
  t.same(new Set(shares.map(({ files }) => files.length)), new Set([20]))
  t.ok(body.length < 3_000_000, `${body.length} bytes`)
  t.ok(ms < limit, `${ms} ms`)
})

t.test('shows a share of 66,500 files to its owner and to visitors without a long wait', async (t) => {
  const visitor = await sharing(app).unlock('large')
  const list = await timed('/api/shares/large', visitor)
  t.equal(JSON.parse(String(list.body)).files.length, files)
  t.ok(list.ms < limit, `list: ${list.ms} ms`)
  const page = await timed('/share/large', { ...visitor, 'sec-fetch-mode': 'navigate' })
  t.equal(page.status, 200)
  t.ok(page.body.length < 200_000, `page: ${page.body.length} bytes`)
  const { overview, ...first } = startOf(page)
  t.same([overview.folder, overview.fileCount, overview.folders.length, first.files], ['', files, 200, []])
  const all: { name: string; size: string }[] = JSON.parse(String(list.body)).files
  const inFirst = all.filter(({ name }) => name.startsWith('Folder 1/'))
  const size = inFirst.reduce((sum, { size }) => sum + Number(size), 0)
  t.same(overview.folders[0], { name: 'Folder 1', count: inFirst.length, size }, 'a folder counts everything in it')
  const folder = startOf(await timed('/share/large?folder=Folder%207', { ...visitor, 'sec-fetch-mode': 'navigate' }))
  t.same(
    folder.files.map(({ name }: { name: string }) => name),
    all.flatMap(({ name }) => (name.startsWith('Folder 7/') ? [name] : [])).slice(0, 200),
  )
  const foreign = startOf(await timed('/share/large?folder=%00%25_', { ...visitor, 'sec-fetch-mode': 'navigate' }))
  t.same([foreign.overview.folders, foreign.files], [[], []], 'a folder that does not exist')
  t.ok(page.ms < limit, `page: ${page.ms} ms`)
  const metaData = await timed('/api/shares/large/metaData', visitor)
  t.equal(metaData.status, 200)
  t.ok(metaData.ms < limit, `state of the zip: ${metaData.ms} ms`)
  const owner = await timed('/api/shares/large/from-owner')
  t.equal(owner.status, 200)
  t.ok(owner.ms < limit, `owner: ${owner.ms} ms`)
})

t.test('sends the first byte of a zip of 66,500 files without a long wait', async (t) => {
  const [first] = await ctx.db
    .selectFrom('file')
    .select(['objectKey', 'size'])
    .where('shareId', '=', 'large')
    .orderBy('name')
    .limit(1)
    .execute()
  await ctx.storage.write(first!.objectKey, Readable.from([Buffer.alloc(first!.size)]))
  const visitor = await sharing(app).unlock('large')
  const { ms } = await fastest('first byte of the zip', async () => {
    const sent = begin(port, '/api/shares/large/files/zip', { headers: visitor })
    sent.end()
    const answer = await answerTo(sent)
    answer.on('error', () => {}) // the other objects are missing
    t.equal(answer.statusCode, 200)
    await once(answer, 'data')
    sent.destroy()
  })
  t.ok(ms < limit, `${ms} ms`)
})

t.test('counts the files of a large share again after a change', async (t) => {
  const page = { ...(await sharing(app).unlock('large')), 'sec-fetch-mode': 'navigate' }
  const folder = async () => startOf(await fetchWhole(port, '/share/large?folder=Folder%207', { headers: page }))
  const before = await folder()
  await ctx.db.deleteFrom('file').where('id', '=', before.files[0].id).execute()
  await ctx.db.updateTable('share').set({ revision: 2 }).where('id', '=', 'large').execute()
  const after = await folder()
  t.equal(after.overview.fileCount, files - 1)
  t.same(after.files.slice(0, 199), before.files.slice(1))
})
