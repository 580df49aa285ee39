import t from 'tap'
import { endOf, expirationChoices, initialExpiration, requestedExpiration } from '../../web/components/share-form/expiration.ts'

const now = new Date('2026-12-05T10:00:00') // in the time zone of this machine
const rules = (preset: string, maxHours = 0) => ({ preset, maxHours })

t.test('offers the usual durations, the default and never, shortest first', async (t) => {
  t.same(expirationChoices(rules('7-days'), now), ['1-days', '7-days', '30-days', 'never'])
  t.same(expirationChoices(rules('12-hours'), now), ['12-hours', '1-days', '7-days', '30-days', 'never'])
  t.same(expirationChoices(rules('1-weeks'), now), ['1-days', '7-days', '30-days', 'never'], 'equal durations once')
})

t.test('offers nothing beyond the maximum, but the maximum itself', async (t) => {
  t.same(expirationChoices(rules('7-days', 48), now), ['1-days', '2-days'])
  t.same(expirationChoices(rules('never', 7 * 24), now), ['1-days', '7-days'])
  t.same(expirationChoices(rules('7-days', 5), now), ['5-hours'])
})

t.test('begins with the default, or with the maximum if that is shorter', async (t) => {
  t.equal(initialExpiration(rules('7-days'), now), '7-days')
  t.equal(initialExpiration(rules('1-week'), now), '7-days')
  t.equal(initialExpiration(rules('never'), now), 'never')
  t.equal(initialExpiration(rules('never', 48), now), '2-days')
  t.equal(initialExpiration(rules('30-days', 5), now), '5-hours')
})

t.test('ends a chosen day in its last minute, or at the latest allowed time', async (t) => {
  t.equal(requestedExpiration('2026-12-05', rules('7-days'), now), `${13 * 60 + 59}-minutes`)
  t.equal(requestedExpiration('2026-12-07', rules('7-days', 48), now), `${48 * 60}-minutes`)
  t.equal(requestedExpiration('2036-12-05', rules('7-days'), now).replace(/^\d+/, ''), '-hours')
  t.equal(requestedExpiration('7-days', rules('7-days'), now), '7-days')
  t.equal(endOf('2026-12-04', rules('7-days'), now), undefined, 'a day in the past')
  t.equal(endOf('', rules('7-days'), now), undefined)
})
