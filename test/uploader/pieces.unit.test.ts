import t from 'tap'
import { backoff } from '../../uploader/backoff.ts'
import { ConcurrencyControl } from '../../uploader/flow.ts'
import { classifyResponse } from '../../uploader/responses.ts'
import { SpeedMeter } from '../../uploader/speed-meter.ts'
import { parseRetryAfter } from '../../uploader/transport.ts'
import type { Problem } from '../../uploader/types.ts'

t.test('doubles the pause before a retry up to its maximum, half of it random', (t) => {
  t.same(
    [1, 2, 3, 6, 40].map((attempt) => backoff(attempt, 1_000, 30_000, 1)),
    [1_000, 2_000, 4_000, 30_000, 30_000],
  )
  t.equal(backoff(3, 1_000, 30_000, 0), 2_000)
  t.end()
})

t.test('parses Retry-After as seconds or a date', (t) => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  t.equal(parseRetryAfter('120', now), 120_000)
  t.equal(parseRetryAfter('Sun, 01 Mar 2026 12:00:30 GMT', now), 30_000)
  t.equal(parseRetryAfter('Sun, 01 Mar 2026 11:00:00 GMT', now), 0)
  t.same([parseRetryAfter(null), parseRetryAfter('soon')], [null, null])
  t.end()
})

t.test('halves the concurrency once per batch for a busy server, and restores it step by step', (t) => {
  const flow = new ConcurrencyControl(5, 1_000, 30_000)
  flow.busy(100, 2_000, 200)
  flow.busy(100, 2_000, 210)
  t.equal(flow.limit, 2)
  t.equal(flow.wait(1_200), 1_010)
  flow.busy(300, null, 400)
  t.equal(flow.limit, 1)
  for (let success = 0; success < 2 + 4 + 6 + 8; success++) flow.succeeded()
  t.equal(flow.limit, 5)
  t.equal(flow.wait(60_000), 0)
  t.end()
})

t.test('measures the speed of the last ten seconds', (t) => {
  const meter = new SpeedMeter()
  t.equal(meter.read(0), null)
  meter.add(500)
  t.equal(meter.read(500), null)
  meter.add(500)
  t.equal(meter.read(1_000), 1_000)
  for (let second = 2; second <= 20; second++) {
    meter.add(5_000)
    meter.read(second * 1_000)
  }
  t.equal(meter.read(20_000), 5_000)
  for (let second = 21; second <= 31; second++) meter.read(second * 1_000)
  t.equal(meter.read(31_000), 0)
  meter.reset()
  t.equal(meter.read(32_000), null)
  t.end()
})

t.test('classifies responses', (t) => {
  const kind = (status: number, error?: string) => classifyResponse({ status, body: error ? { error } : null, retryAfter: null }).kind
  t.equal(kind(204), 'done')
  t.equal(kind(401, 'unauthorized'), 'unauthorized')
  t.same([kind(429), kind(503)], ['busy', 'busy'])
  t.same([kind(500), kind(502), kind(504), kind(408), kind(409, 'upload_in_progress')], ['again', 'again', 'again', 'again', 'again'])
  t.same([kind(413), kind(507), kind(404, 'share_not_found')], ['stop', 'stop', 'stop'])
  t.same([kind(400, 'file_name_invalid'), kind(403, 'forbidden'), kind(404, 'file_not_found')], ['refused', 'refused', 'refused'])
  const { problem } = classifyResponse({
    status: 413,
    body: { statusCode: 413, error: 'share_too_large', message: 'No.', max: 7 },
    retryAfter: null,
  }) as never
  t.match(problem, { code: 'share_too_large', details: { max: 7 } })
  const proxy = [403, 404, 408, 413, 500, 502, 504].map((status) => classifyResponse({ status, body: null, retryAfter: null }) as never)
  t.same(
    proxy.map(({ problem }: { problem: Problem }) => [problem.code, problem.details.status]),
    [
      ['proxy_refusal', 403],
      ['proxy_error', 404],
      ['proxy_timeout', 408],
      ['payload_too_large', 413],
      ['proxy_error', 500],
      ['proxy_error', 502],
      ['proxy_timeout', 504],
    ],
    'a response without a code of ours is from a proxy',
  )
  t.end()
})
