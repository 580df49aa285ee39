import t from 'tap'
import { formatDistance } from '../../web/lib/format.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const hours = (count: number) => formatDistance(new Date(now + count * 3_600_000).toISOString(), now)

t.test('rounds down, in a unit of which there are at least two', async (t) => {
  const texts = [0.5, 1.5, 2, 30, 47, 48, 13 * 24, 59 * 24, 20 * 30.5 * 24, 3 * 366 * 24].map(hours)
  t.same(texts, [
    'in 30 minutes',
    'in 90 minutes',
    'in 2 hours',
    'in 30 hours',
    'in 47 hours',
    'in 2 days',
    'in 13 days',
    'in 59 days',
    'in 20 months',
    'in 3 years',
  ])
})

t.test('shows an expiration that was set moments ago in full', async (t) => {
  t.equal(hours(7 * 24 - 0.01), 'in 7 days')
  t.equal(hours(7 * 24 - 0.5), 'in 6 days')
})

t.test('shows past times in the same units', async (t) => {
  t.same([-0.001, -0.75, -5.5, -30, -40 * 24].map(hours), ['this minute', '45 minutes ago', '5 hours ago', '30 hours ago', '40 days ago'])
})
