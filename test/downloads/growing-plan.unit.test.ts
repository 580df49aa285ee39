import t from 'tap'
import type { ZipPlanSummary } from '../../src/db/schema.ts'
import { zipEtag } from '../../src/downloads/zip/etag.ts'
import { GrowingPlan } from '../../src/downloads/zip/growing-plan.ts'
import { planZip, type StoredEntry } from '../../src/downloads/zip/layout.ts'
import { sendZip } from '../../src/downloads/zip/stream.ts'
import { Collector, generatedEntry, generatedStore } from '../support/s3/generated-store.ts'

const entries = Array.from({ length: 300 }, (_, index) => generatedEntry(`${index}`, 200 + index, { seed: index }))
const summaryOf = (files: readonly StoredEntry[]): ZipPlanSummary => {
  const plan = planZip(files)
  return { revision: 1, files: files.length, size: plan.size, etag: zipEtag(plan) }
}

/** A plan whose pages of 100 entries arrive one by one: each call of `next` adds one. */
function arriving(summary: ZipPlanSummary, files: readonly StoredEntry[]) {
  const gates = Array.from({ length: Math.ceil(files.length / 100) }, () => Promise.withResolvers<void>())
  async function* pages() {
    for (const [index, gate] of gates.entries()) {
      await gate.promise
      yield files.slice(100 * index, 100 * (index + 1))
    }
  }
  let opened = 0
  return { plan: new GrowingPlan(summary, pages()), next: () => gates[opened++]?.resolve() }
}

async function send(plan: GrowingPlan, start = 0): Promise<Buffer> {
  const to = new Collector()
  await sendZip(generatedStore, plan, { start, end: plan.size - 1 }, to)
  return to.bytes
}

t.test('sends the first entries before the others are known, and the same bytes in the end', async (t) => {
  const whole = planZip(entries)
  const expected = new Collector()
  await sendZip(generatedStore, whole, { start: 0, end: whole.size - 1 }, expected)
  const { plan, next } = arriving(summaryOf(entries), entries)
  t.equal(plan.size, whole.size)
  next()
  const first = new Collector()
  const end = whole.offsets[50]! - 1
  await sendZip(generatedStore, plan, { start: 0, end }, first)
  t.ok(first.bytes.equals(expected.bytes.subarray(0, end + 1)))
  const [all, rest] = [send(plan), send(plan, whole.offsets[200]! + 7)]
  next()
  next()
  t.ok((await all).equals(expected.bytes))
  t.ok((await rest).equals(expected.bytes.subarray(whole.offsets[200]! + 7)))
  t.ok((await send(plan)).equals(expected.bytes), 'also when all entries are known')
})

t.test('never completes an archive of other files than the summary describes', async (t) => {
  const outdated = { message: /planned/ }
  const changed = entries.map((entry, index) => (index === 250 ? { ...entry, modified: new Date(0) } : entry))
  const cases: [string, readonly StoredEntry[]][] = [
    ['fewer', entries.slice(0, 299)],
    ['more', [...entries, generatedEntry('more', 1)]],
    ['changed', changed],
    ['none', []],
  ]
  for (const [name, files] of cases) {
    const { plan, next } = arriving(summaryOf(entries), files)
    const sent = send(plan)
    for (let page = 0; page < 4; page++) next()
    await t.rejects(sent, outdated, name)
    await t.rejects(plan.whole, outdated, name)
    await t.rejects(send(plan), outdated, `${name}: later requests too`)
  }
})
