import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { keepingResult } from '../../src/db/kept-result.ts'
import type { Db } from '../../src/db/schema.ts'

const db = {} as Db

t.test('runs the query once for calls at the same time, and keeps its result', async (t) => {
  let runs = 0
  const count = keepingResult(async () => ++runs, { keptFor: 60_000 })
  t.same(await Promise.all([count(db), count(db)]), [1, 1])
  t.equal(await count(db), 1)
  t.equal(await count({} as Db), 2, 'another database has results of its own')
})

t.test('keeps no result longer than asked', async (t) => {
  let runs = 0
  const short = keepingResult(async () => ++runs, { keptFor: 1 })
  t.same([await short(db), await sleep(5), await short(db)], [1, undefined, 2])
})

t.test('keeps no result that the caller refuses', async (t) => {
  let runs = 0
  const large = keepingResult(async () => ++runs, { keptFor: 60_000, keeps: (count) => count > 1 })
  t.same([await large(db), await large(db), await large(db)], [1, 2, 2])
})

t.test('keeps no failure', async (t) => {
  let runs = 0
  const failOnce = async () => {
    if (++runs === 1) throw new Error('statement timeout')
    return runs
  }
  const count = keepingResult(failOnce, { keptFor: 60_000 })
  await t.rejects(count(db), { message: 'statement timeout' })
  t.equal(await count(db), 2)
})
