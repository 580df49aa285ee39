import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { recordRanges } from '../../src/activity/queries.ts'
import { openRecorder } from '../../src/activity/recorder.ts'
import { becomes, big, downloading, path } from '../support/downloading.ts'
import { fetchWhole } from '../support/listening.ts'
import { ok } from '../support/sharing.ts'

t.setTimeout(120_000)
const { ctx, port, otherPort, alice, visitor, start, get, downloads, activity, interrupt } = await downloading(t)

t.test('counts a file once all its bytes were sent to one visitor, over ranges and replicas', async (t) => {
  const [file] = await alice.share('ranges', { 'a.bin': Buffer.alloc(3000, 'x') })
  const url = path('ranges', file!)
  const one = await visitor.unlock('ranges')
  const two = await visitor.unlock('ranges')
  await get(url, { ...one, range: 'bytes=0-999' })
  await get(url, { ...two, range: 'bytes=1000-2999' }, otherPort)
  await get(url, { ...one, range: 'bytes=2000-2999' }, otherPort)
  await sleep(2200)
  t.equal(await downloads('ranges'), 0, 'the ranges of two visitors are not one download')
  await get(url, { ...one, range: 'bytes=500-2500' }, otherPort)
  await becomes(t, () => downloads('ranges'), 1)
  const events = await activity('ranges')
  t.match(events, [
    { kind: 'downloaded', file: 'a.bin', bytes: 3000, size: 3000, complete: true, zip: false, link: 'ranges' },
    { kind: 'partly', bytes: 2000, complete: false },
    { kind: 'opened' },
  ])
  t.equal(events.length, 3, 'one address opens it once a minute')
  t.not(events[0].visitor, events[1].visitor)
  await get(url, one)
  await becomes(t, () => downloads('ranges'), 2, 'a second download counts again')
})

t.test('counts a file once that was begun, sent whole, and then resumed', async (t) => {
  const [file] = await alice.share('twice', { 'a.bin': Buffer.alloc(1000, 'x') })
  const headers = await visitor.unlock('twice')
  for (const range of ['bytes=0-499', undefined, 'bytes=500-999']) {
    await get(path('twice', file!), { ...headers, ...(range && { range }) })
    await sleep(1300)
  }
  t.equal(await downloads('twice'), 1)
  t.same(
    (await activity('twice')).map(({ kind }: { kind: string }) => kind),
    ['partly', 'downloaded', 'opened'],
  )
})

t.test('records the batches of two replicas with the same shares, also after the database was away', async (t) => {
  const ids = Array.from({ length: 6 }, (_, n) => `batch-${n}`)
  for (const id of ids) await alice.share(id, { 'a.txt': 'a' })
  const shares = await ctx.db.selectFrom('share').select(['id', 'uid']).where('id', 'in', ids).execute()
  const sent = shares.map(({ id, uid }) => ({
    ...{ shareUid: uid, linkUid: uid, link: id, visitor: 'v', network: 'n', at: new Date(), device: null, address: null },
    ...{ item: 'a', isZip: false, file: 'a.txt', size: 1, start: 0, end: 1, counts: true },
  }))
  const rounds = Array.from({ length: 20 }, (_, n) => recordRanges(ctx.db, n % 2 ? sent : [...sent].reverse(), true))
  await Promise.all(rounds)
  t.equal(await downloads('batch-0'), 20)

  let isAway = true
  const db = new Proxy(ctx.db, {
    get(target, name) {
      if (name === 'getExecutor' && isAway) throw new Error('away')
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const recorder = openRecorder({ ...ctx, db })
  for (const range of sent) recorder.sent(range)
  await recorder.flush()
  t.equal(await downloads('batch-0'), 20)
  isAway = false
  await becomes(t, () => downloads('batch-0'), 21, 'the batch waits for the database')
  await recorder.close()
})

t.test('counts a zip, an empty file, and a client that is resumed without cookies', async (t) => {
  const [empty, file] = await alice.share('kinds', { 'empty.txt': '', 'full.txt': 'full' })
  const headers = await visitor.unlock('kinds')
  await get('/api/shares/kinds/files/zip', headers)
  await becomes(t, () => downloads('kinds'), 1)
  await get(path('kinds', empty!), headers)
  await becomes(t, () => downloads('kinds'), 2)
  await get(path('kinds', file!), { range: 'bytes=0-1', 'user-agent': 'curl/8' })
  await get(path('kinds', file!), { range: 'bytes=2-', 'user-agent': 'curl/8' })
  await becomes(t, () => downloads('kinds'), 3)
  t.match(
    (await activity('kinds')).find((entry: { zip: boolean }) => entry.zip),
    { kind: 'downloaded', complete: true },
  )
})

t.test('counts no HEAD, no probe, no cut download, no file that a page shows, and no owner', async (t) => {
  const [small, large] = await alice.share('nothing', { 'small.txt': 'small', 'large.bin': big })
  const headers = await visitor.unlock('nothing')
  await fetchWhole(port, path('nothing', small!), { method: 'HEAD', headers })
  await get(path('nothing', small!), { ...headers, range: 'bytes=0-0' })
  await get(`${path('nothing', small!)}?download=false`, headers)
  await get(path('nothing', small!), { ...headers, 'sec-purpose': 'prefetch' })
  await get(path('nothing', small!), { ...headers, 'if-none-match': `"${small}"` })
  await interrupt(path('nothing', large!), headers)
  ok(await alice.call('GET', `/nothing/files/${small}`))
  await becomes(t, async () => (await activity('nothing')).map(({ kind }: { kind: string }) => kind), ['partly', 'opened'])
  t.equal(await downloads('nothing'), 0)
  const { bytes, complete } = (await activity('nothing'))[0]
  t.ok(bytes > 0 && bytes < big.length && !complete)
})

t.test('ends a running download within the drain time after its link is turned off', async (t) => {
  const [file] = await alice.share('cut', { 'a.bin': big })
  const answer = await start(path('cut', file!))
  ok(await alice.call('PATCH', '/cut/links/cut', { enabled: false }))
  await sleep(7_000)
  await t.rejects(once(answer.resume(), 'end'), 'cut while the client was reading slowly')
})

t.test('ends running downloads also after their link is replaced, or their share is removed', async (t) => {
  const [file] = await alice.share('swapped', { 'a.bin': big })
  ok(await alice.call('POST', '/swapped/links', { id: 'swapped-2' }))
  const [removed] = await alice.share('removed', { 'a.bin': big })
  const answers = []
  for (const url of [path('swapped-2', file!), path('removed', removed!), path('swapped', file!)]) {
    answers.push(await start(url))
  }
  ok(await alice.call('POST', '/swapped/links/swapped-2/replace', { id: 'swapped-3' }))
  await ctx.db.updateTable('share').set({ removedReason: 'It was spam.' }).where('id', '=', 'removed').execute()
  await sleep(7_000)
  const ends = await Promise.allSettled(answers.map((answer) => once(answer.resume(), 'end')))
  const statuses = ends.map(({ status }) => status)
  t.same(statuses, ['rejected', 'rejected', 'fulfilled'], 'only a download through another link goes on')
})
