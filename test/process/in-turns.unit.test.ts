import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { inTurns } from '../../src/process/in-turns.ts'
import { atOnce, type Steps } from '../../src/process/steps.ts'

const step = 1 // ms

function* work(steps: number): Steps<number> {
  for (let done = 0; done < steps; done++) {
    const end = performance.now() + step
    while (performance.now() < end);
    yield
  }
  return steps
}

t.test('leaves time to the event loop during long work, no matter how many tasks run', async (t) => {
  let isRunning = true
  let turns = 0
  const others = (async () => {
    for (; isRunning; turns++) await nextTurn()
  })()
  t.same(await Promise.all([inTurns(work(60)), inTurns(work(60)), inTurns(work(60))]), [60, 60, 60])
  isRunning = false
  await others
  t.ok(turns >= 10, `${turns} turns in 180 ms`)
})

t.test('completes short work at once', async (t) => {
  t.equal(await inTurns(work(0)), 0)
  t.equal(atOnce(work(3)), 3)
})

t.test('passes errors of the work on', async (t) => {
  function* failing(): Steps<void> {
    yield
    throw new RangeError('no')
  }
  await t.rejects(inTurns(failing()), RangeError)
  t.throws(() => atOnce(failing()), RangeError)
})
