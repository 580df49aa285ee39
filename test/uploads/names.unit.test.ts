import t from 'tap'
import { emailFormat } from '../../src/http/formats.ts'
import { addressKey } from '../../src/http/networks.ts'
import { nameKey } from '../../src/users/queries.ts'

t.test('maps names that differ only in case or Unicode form to one key', async (t) => {
  for (const [one, other] of [
    ['Alice', 'aLICE'],
    ['\uff41lice', 'alice'], // full width
    ['Zo\u00eb@example.com', 'zoe\u0308@EXAMPLE.com'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u03bf\u03b4\u03cc\u03c2', '\u039f\u0394\u038c\u03a3'], // final sigma
    ['\u212aelvin', 'kelvin'],
  ]) {
    t.equal(nameKey(one!), nameKey(other!), `${one} = ${other}`)
  }
  t.not(nameKey('alice'), nameKey('\u0430lice'), 'a Cyrillic letter is a different letter')
})

t.test('validates email addresses', async (t) => {
  for (const good of [
    'a@b.co',
    'first.last+tag@sub.example.com',
    "o'neil@example.com",
    'zo\u00eb@ex\u00e4mple.de',
    '\u7528\u6237@\u4f8b\u5b50.\u5e7f\u544a',
  ]) {
    t.match(good, emailFormat)
  }
  for (const bad of [
    '',
    'a',
    'a@',
    '@b.co',
    'a@b',
    'a@b@c.de',
    'a b@c.de',
    '.a@b.co',
    'a..b@c.de',
    'a@-b.co',
    'a@b-.co',
    'a@b..co',
    'a@b.co\nBcc: x@y.zz',
    '<a@b.co>',
    'a,b@c.de',
    '"a"@b.co',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    'a\u0000@b.co',
  ]) {
    t.notMatch(bad, emailFormat)
  }
})

t.test('counts attempts by IPv4 address and by IPv6 /64', async (t) => {
  t.equal(addressKey('192.0.2.7'), '192.0.2.7')
  t.equal(addressKey('::ffff:192.0.2.7'), '192.0.2.7')
  t.equal(addressKey('192.0.2.7:50123'), '192.0.2.7')
  t.equal(addressKey('[2001:db8:1:2::9]:443'), addressKey('2001:db8:1:2::1'))
  t.equal(addressKey('unknown'), 'unknown')
  t.ok(addressKey('x'.repeat(5000)).length < 100)
  t.equal(addressKey('2001:db8:1:2:3:4:5:6'), addressKey('2001:DB8:1:2::9'))
  t.not(addressKey('2001:db8:1:2::9'), addressKey('2001:db8:1:3::9'))
  t.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0::/64')
  t.equal(addressKey('::1'), '0:0:0:0::/64')
})
