import t from 'tap'
import { hashPassword, verifyPassword } from '../../src/crypto/passwords.ts'
import { AppError } from '../../src/errors.ts'

t.test('a hash is argon2id as OWASP asks, salted, in PHC form', async (t) => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.not(one, two)
  t.equal(await verifyPassword('correct horse', one), true)
  t.equal(await verifyPassword('correct horsf', one), false)
  t.equal(await verifyPassword('', one), false)
})

t.test('one password, however its letters were composed', async (t) => {
  t.equal(await verifyPassword('pa\u0308sswort', await hashPassword('p\u00e4sswort')), true)
})

t.test('without a hash it is false, for the same work', async (t) => {
  const hash = await hashPassword('correct horse')
  const work = async (phc: string | null) => {
    const before = process.cpuUsage()
    for (let round = 0; round < 5; round++) t.equal(await verifyPassword('wrong horse', phc), false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await work(hash)
  const [known, unknown] = [await work(hash), await work(null)]
  t.ok(unknown > known / 3 && unknown < known * 3, `${unknown} µs of CPU for nobody, ${known} µs for a user`)
})

t.test('two at a time; 256 wait; the rest are told to come again, and the waiting ones are served', async (t) => {
  const results = await Promise.allSettled(Array.from({ length: 262 }, () => verifyPassword('x', 'not a hash')))
  const refused = results.filter(
    ({ status, ...rest }) => status === 'rejected' && (rest as PromiseRejectedResult).reason instanceof AppError,
  )
  t.equal(refused.length, 4)
  t.match((refused[0] as PromiseRejectedResult).reason, { code: 'unavailable', details: { retryAfter: 3 } })
  t.equal(await verifyPassword('after the rush', null), false, 'places were handed back')
})
