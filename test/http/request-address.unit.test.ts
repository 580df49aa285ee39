import t from 'tap'
import { addressOf } from '../../src/http/request-address.ts'

t.test('returns an IPv4 address in its plain form', async (t) => {
  t.equal(addressOf({ ip: '::ffff:192.0.2.1' }), '192.0.2.1')
  t.equal(addressOf({ ip: '2001:db8::1' }), '2001:db8::1')
})

t.test('truncates what a proxy forwards', async (t) => {
  t.equal(addressOf({ ip: 'x'.repeat(1000) }).length, 64)
})

t.test('returns no address for a connection that was reset', async (t) => {
  t.equal(addressOf({}), '')
})
