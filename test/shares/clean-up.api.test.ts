import { Readable } from 'node:stream'
import t from 'tap'
import { StoreUnavailable } from '../../src/storage/object-store.ts'
import { cleanUp } from '../../worker/clean-up.ts'
import { testApp } from '../support/app/app.ts'
import { keptLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { storedFiles } from '../support/app/worker.ts'
import { signUp } from '../support/people/people.ts'
import { reversing } from '../support/reverse.ts'
import { afterUndo, cookiesOf, destroy, ok, set, sharing } from '../support/sharing.ts'

const HOUR = 3_600_000
const running = () => new AbortController().signal

async function setUp(t: Parameters<typeof testApp>[0]) {
  const queue = waitingJobs()
  const log = keptLog()
  const { app, ctx } = await testApp(t, { queue, log })
  const headers = await signUp(app, 'owner')
  const owner = sharing(app, headers)
  return {
    app,
    ctx,
    owner,
    links: reversing(app, headers),
    queue,
    log,
    cleanUp: (more: Partial<typeof ctx> = {}) => cleanUp({ ...ctx, ...more }, {}, running()),
  }
}

/** Returns a clock that is `hours` ahead. */
const ahead = (hours: number) => ({ now: () => new Date(Date.now() + hours * HOUR) })
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

t.test('removes the bytes of expired and deleted shares and keeps those of others', async (t) => {
  const { ctx, owner, cleanUp } = await setUp(t)
  await set(ctx, 'share.graceDays', 0)
  await owner.share('expires', { 'a.txt': 'a', 'b.txt': 'b' }, { expiration: '1-hour' })
  await owner.share('deleted', { 'c.txt': 'c' })
  await owner.share('stays', { 'd.txt': 'd' }, { expiration: '1-day' })
  ok(await owner.call('DELETE', '/deleted'))
  await cleanUp()
  t.equal((await storedFiles(ctx)).length, 4)
  await cleanUp(afterUndo(ctx))
  t.equal((await storedFiles(ctx)).length, 3)
  await cleanUp(ahead(2))
  const { objectKey } = await ctx.db.selectFrom('file').select('objectKey').executeTakeFirstOrThrow()
  t.same(await storedFiles(ctx), [objectKey])
  t.same(await ctx.db.selectFrom('share').select('id').execute(), [{ id: 'stays' }])
  t.same(await ctx.db.selectFrom('deletedObject').selectAll().execute(), [])
  await cleanUp(ahead(2))
  t.same(await storedFiles(ctx), [objectKey], 'a second run changes nothing')
})

t.test('abandons an upload after a day without activity, and never an active one', async (t) => {
  const { ctx, owner, cleanUp } = await setUp(t)
  const half = Buffer.alloc(8 * 1_048_576)
  for (const id of ['dead', 'live']) {
    ok(await owner.create(id, { expiration: '7-days' }))
    const { id: fileId } = ok(await owner.announce(id, 'big.bin', 2 * half.length)).json()
    ok(await owner.part(id, fileId, 1, half))
  }
  await ctx.db
    .updateTable('share')
    .set({ activeAt: new Date(Date.now() + 2 * HOUR) })
    .where('id', '=', 'live')
    .execute()
  await cleanUp(ahead(23.9))
  t.same((await ctx.db.selectFrom('share').select('id').orderBy('id').execute()).length, 2)
  await cleanUp(ahead(24.1))
  t.same(await ctx.db.selectFrom('share').select('id').execute(), [{ id: 'live' }])
  const { uploadId } = await ctx.db.selectFrom('file').select('uploadId').executeTakeFirstOrThrow()
  const left = await storedFiles(ctx)
  t.ok(left.length > 0 && left.every((file) => file.includes(uploadId!)), `only the active upload is left: ${left}`)
})

t.test('removes an unfinished file from a completed share and releases its size', async (t) => {
  const { ctx, owner, cleanUp } = await setUp(t)
  await owner.share('photos', { 'a.txt': '12345' }, { expiration: 'never' })
  const share = await ctx.db.selectFrom('share').select(['uid', 'reserved']).executeTakeFirstOrThrow()
  t.equal(share.reserved, 5)
  await ctx.db.updateTable('share').set({ uploadOpen: true }).execute()
  ok(await owner.announce('photos', 'late.bin', 1000))
  await cleanUp(ahead(23))
  t.equal((await ctx.db.selectFrom('file').select('id').execute()).length, 2)
  await cleanUp(ahead(25))
  t.same(await ctx.db.selectFrom('file').select('name').execute(), [{ name: 'a.txt' }])
  t.same(await ctx.db.selectFrom('share').select('reserved').execute(), [{ reserved: 5 }])
  t.equal((await storedFiles(ctx)).length, 1)
})

t.test('removes more objects than fit in one batch', async (t) => {
  const { ctx, cleanUp } = await setUp(t)
  const keys = Array.from({ length: 1_201 }, (_, n) => `shares/${uuid(1)}/${uuid(n)}`)
  await ctx.storage.write(keys[0]!, Readable.from(['first']))
  await ctx.storage.write(keys[1_200]!, Readable.from(['last']))
  await ctx.db
    .insertInto('deletedObject')
    .values(keys.map((key) => ({ key })))
    .execute()
  await cleanUp()
  t.same(await storedFiles(ctx), [])
  t.same(await ctx.db.selectFrom('deletedObject').select('key').execute(), [])
})

t.test('forgets nothing while the store is down, and does all other work', async (t) => {
  const { ctx, owner, log, cleanUp } = await setUp(t)
  await owner.share('photos', { 'a.txt': 'a' })
  await destroy(ctx, owner, 'photos')
  const session = await ctx.db.selectFrom('session').select('id').executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('session')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .execute()
  const remove = async () => {
    throw new StoreUnavailable('down')
  }
  await t.rejects(cleanUp({ storage: { ...ctx.storage, remove } }), AggregateError)
  t.equal((await ctx.db.selectFrom('deletedObject').select('key').execute()).length, 1)
  t.same(await ctx.db.selectFrom('session').select('id').where('id', '=', session.id).execute(), [])
  t.match(
    log.lines.filter(({ level }) => level === 'error'),
    [{ details: { step: 'deleted objects' } }],
  )
  await cleanUp(ahead(0.1))
  t.same(await storedFiles(ctx), [])
  t.same(await ctx.db.selectFrom('deletedObject').select('key').execute(), [])
})

t.test('removes the other objects when one cannot be removed', async (t) => {
  const { ctx, owner, cleanUp } = await setUp(t)
  await owner.share('photos', { 'a.txt': 'a', 'b.txt': 'b' })
  await destroy(ctx, owner, 'photos')
  await ctx.db.insertInto('deletedObject').values({ key: 'no key of this store' }).execute()
  await cleanUp()
  t.same(await storedFiles(ctx), [])
  t.same(await ctx.db.selectFrom('deletedObject').select('key').execute(), [{ key: 'no key of this store' }])
})

t.test('removes no object twice when two clean-ups run at once', async (t) => {
  const { ctx, cleanUp } = await setUp(t)
  const keys = Array.from({ length: 2_000 }, (_, n) => `shares/${uuid(2)}/${uuid(n)}`)
  await ctx.db
    .insertInto('deletedObject')
    .values(keys.map((key) => ({ key })))
    .execute()
  const removed: string[] = []
  const storage = {
    ...ctx.storage,
    async remove(batch: string[]) {
      removed.push(...batch)
      await ctx.storage.remove(batch)
    },
  }
  await Promise.all([cleanUp({ storage }), cleanUp({ storage })])
  t.same(removed.sort(), keys)
})

t.test('deletes ended sessions and old attempts', async (t) => {
  const { ctx, app, cleanUp } = await setUp(t)
  const signIn = () => app.inject({ method: 'POST', url: '/api/auth/signIn', payload: { username: 'owner', password: 'wrong' } })
  t.equal((await signIn()).statusCode, 401)
  t.ok((await ctx.db.selectFrom('rateLimit').select('key').execute()).length > 0)
  await cleanUp()
  t.equal((await ctx.db.selectFrom('session').select('id').execute()).length, 1)
  t.ok((await ctx.db.selectFrom('rateLimit').select('key').execute()).length > 0)
  await cleanUp(ahead(24 * 366))
  t.same(await ctx.db.selectFrom('session').select('id').execute(), [])
  t.same(await ctx.db.selectFrom('rateLimit').select('key').execute(), [])
})

t.test('enqueues a zip once more when its job was lost', async (t) => {
  const { ctx, owner, queue, cleanUp } = await setUp(t)
  await set(ctx, 'share.zipCompressionLevel', 6)
  await owner.share('photos', { 'a.txt': 'a' })
  const { id } = queue.jobs.find(({ name }) => name === 'build-zip')!
  queue.jobs.length = 0
  await cleanUp()
  await cleanUp()
  t.same(queue.jobs, [{ name: 'build-zip', payload: { shareId: 'photos', revision: 1 }, id }])
})

t.test('stops when it is asked to', async (t) => {
  const { ctx } = await setUp(t)
  const stopping = new AbortController()
  stopping.abort()
  await t.rejects(cleanUp(ctx, {}, stopping.signal), { name: 'AbortError' })
})

t.test('keeps a share that is being edited, and removes only files without progress for a day', async (t) => {
  const { ctx, owner, cleanUp } = await setUp(t)
  const [a] = await owner.share('edited', { 'a.txt': 'a', 'b.txt': 'bb' }, { expiration: 'never' })
  ok(await owner.call('DELETE', '/edited/complete'))
  await owner.file('edited', 'c.txt', 'ccc')
  ok(await owner.announce('edited', 'never-comes.bin', 100))
  ok(await owner.call('DELETE', `/edited/files/${a}`))
  await cleanUp(ahead(23.9))
  const names = async () => (await ctx.db.selectFrom('file').select('name').orderBy('name').execute()).map(({ name }) => name)
  t.same(await names(), ['a.txt', 'b.txt', 'c.txt', 'never-comes.bin'])
  await cleanUp(ahead(24.1))
  await cleanUp(ahead(24 * 20))
  t.same(await names(), ['a.txt', 'b.txt', 'c.txt'])
  t.match(await ctx.db.selectFrom('share').selectAll().executeTakeFirstOrThrow(), { uploadOpen: true, reserved: 5 })
  ok(await owner.call('POST', '/edited/complete'))
  t.same(await names(), ['b.txt', 'c.txt'])
})

t.test('refunds the use of an abandoned upload, and deletes expired reverse shares with their received shares', async (t) => {
  const { app, ctx, links, cleanUp } = await setUp(t)
  await links.link('weekly', { shareExpiration: '7-days', maxUseCount: 2 })
  const sender = async (id: string) => sharing(app, cookiesOf(ok(await sharing(app).call('POST', '', { id, reverseShareToken: 'weekly' }))))
  await sender('abandoned')
  const arrives = await sender('arrives')
  await arrives.file('arrives', 'a.txt', 'a')
  ok(await arrives.call('POST', '/arrives/complete'))
  t.equal((await links.mine('weekly')).remainingUses, 0)
  await cleanUp(ahead(24.1))
  t.equal((await links.mine('weekly')).remainingUses, 1)
  t.same(await ctx.db.selectFrom('share').select('id').execute(), [{ id: 'arrives' }])
  await cleanUp(ahead(6 * 24))
  t.equal((await links.mine('weekly')).shares.length, 1)
  await cleanUp(ahead(7 * 24 + 1))
  t.same(await ctx.db.selectFrom('reverseShare').select('id').execute(), [])
  t.same(await ctx.db.selectFrom('share').select('id').execute(), [{ id: 'arrives' }], 'its receiver can reopen it')
  await cleanUp(ahead(14 * 24 + 1))
  t.same(await ctx.db.selectFrom('share').select('id').execute(), [])
  t.same(await storedFiles(ctx), [])
})
