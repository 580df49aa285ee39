import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { StoreUnavailable, WrongLength } from '../../src/storage/object-store.ts'
import { SmallReads } from '../../src/storage/streams/small-reads.ts'

const dir = await mkdtemp(join(tmpdir(), 'small-reads-'))
t.teardown(() => rm(dir, { recursive: true }))
const path = (name: string | number) => join(dir, String(name))

t.test('reads many files at once, each into its own place, and reports missing or short ones', async (t) => {
  const reads = new SmallReads()
  t.teardown(() => reads.close())
  const wanted = Array.from({ length: 200 }, (_, index) => index)
  await Promise.all(wanted.filter((index) => index % 10 !== 3).map((index) => writeFile(path(index), Buffer.alloc(index, index))))
  const block = Buffer.alloc(200 * 200, 0xff)
  const results = await Promise.allSettled(
    wanted.map((index) => reads.read(path(index), 1, block.subarray(index * 200, index * 200 + Math.max(index - 1, 1)))),
  )
  const outcomes = results.map((result) => {
    if (result.status === 'fulfilled') return 'read'
    return result.reason instanceof WrongLength ? 'short' : `${result.reason.syscall} ${result.reason.code}`
  })
  t.same(
    outcomes,
    wanted.map((index) => (index % 10 === 3 ? 'open ENOENT' : index < 2 ? 'short' : 'read')),
  )
  const read = wanted.filter((index) => outcomes[index] === 'read')
  const damaged = read.filter((index) => {
    const expected = Buffer.alloc(200, 0xff).fill(index, 0, index - 1)
    return !block.subarray(index * 200, index * 200 + 200).equals(expected)
  })
  t.same(damaged, [], 'each is complete, and nothing beside it was overwritten')
})

t.test('rejects the reads of a thread that ends, and starts another for the next read', async (t) => {
  const reads = new SmallReads()
  t.teardown(() => reads.close())
  await writeFile(path('a'), 'abc')
  const target = Buffer.alloc(3)
  const cut = reads.read(path('a'), 0, target)
  await new Promise(setImmediate)
  await Promise.all([t.rejects(cut, new StoreUnavailable('The thread that reads small files ended')), reads.close()])
  await reads.read(path('a'), 0, target)
  t.equal(target.toString(), 'abc')
})

t.test('does not keep the process alive with idle threads', async (t) => {
  await writeFile(path('b'), 'abc')
  const module = new URL('../../src/storage/streams/small-reads.ts', import.meta.url).href
  const code = `import(${JSON.stringify(module)}).then(({ SmallReads }) => new SmallReads().read(${JSON.stringify(path('b'))}, 0, Buffer.alloc(3)))`
  const [exitCode] = await new Promise<[number]>((resolve, reject) => {
    new Worker(code, { eval: true, execArgv: [] }).on('exit', (exit) => resolve([exit])).on('error', reject)
  })
  t.equal(exitCode, 0)
})
