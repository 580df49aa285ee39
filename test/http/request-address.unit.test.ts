import t from 'tap'
import { addressOf } from '../../src/http/request-address.ts'

t.test('an IPv4 address has its plain form', async (t) => {
  t.equal(addressOf({ ip: '::ffff:192.0.2.1' }), '192.0.2.1')
  t.equal(addressOf({ ip: '2001:db8::1' }), '2001:db8::1')
})

t.test('what a proxy passes on is cut', async (t) => {
  t.equal(addressOf({ ip: 'x'.repeat(1000) }).length, 64)
})

t.test('a connection that was reset has no address', async (t) => {
  t.equal(addressOf({}), '')
})
