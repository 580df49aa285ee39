import t from 'tap'
import { type KeptPlan, KeptPlans } from '../../src/downloads/zip/kept-plans.ts'

const planOf = (entries: number) => ({ plan: { entries: new Array(entries) }, etag: String(entries) }) as unknown as KeptPlan

/** Returns a function that finds a plan, and the keys of those that were computed. */
function plans() {
  const kept = new KeptPlans()
  const computed: string[] = []
  const find = async (key: string, entries: number) => {
    const compute = async () => {
      computed.push(key)
      return planOf(entries)
    }
    return kept.find(key, compute)
  }
  return { kept, computed, find }
}

t.test('computes the plan of a large archive once, also for requests at the same time', async (t) => {
  const { computed, find } = plans()
  const found = await Promise.all([find('a', 2_000), find('a', 2_000)])
  t.same(new Set([...found, await find('a', 2_000)]).size, 1)
  t.same(computed, ['a'])
})

t.test('keeps neither small plans, nor failures, nor what is not ready', async (t) => {
  const { kept, computed, find } = plans()
  await find('small', 10)
  await find('small', 10)
  t.same(computed, ['small', 'small'])
  await t.rejects(kept.find('failing', () => Promise.reject(new Error('no database'))))
  t.same(await kept.find('failing', async () => ({ progress: 0.5 })), { progress: 0.5 })
  t.match(await kept.find('failing', async () => planOf(3_000)), { etag: '3000' })
})

t.test('drops the plans that were not used for the longest time when they take too much memory', async (t) => {
  const { computed, find } = plans()
  for (const key of ['a', 'b']) await find(key, 90_000)
  await find('a', 90_000)
  await find('c', 90_000)
  computed.length = 0
  for (const key of ['a', 'c', 'b']) await find(key, 90_000)
  t.same(computed, ['b'])
})
