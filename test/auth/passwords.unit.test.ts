import t from 'tap'
import { hashPassword, verifyPassword } from '../../src/crypto/passwords.ts'
import { AppError } from '../../src/errors.ts'

t.test('hashes with argon2id in PHC form, salted, with OWASP parameters', async (t) => {
  const [one, two] = await Promise.all([hashPassword('correct horse', 'share'), hashPassword('correct horse', 'share')])
  t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.not(one, two)
  t.equal(await verifyPassword('correct horse', one, 'sign-in'), true)
  t.equal(await verifyPassword('correct horsf', one, 'sign-in'), false)
  t.equal(await verifyPassword('', one, 'sign-in'), false)
})

t.test('treats composed and decomposed forms of a password as the same', async (t) => {
  t.equal(await verifyPassword('pa\u0308sswort', await hashPassword('p\u00e4sswort', 'new-password'), 'sign-in'), true)
})

t.test('returns false without a hash, after the same work', async (t) => {
  const hash = await hashPassword('correct horse', 'new-password')
  const work = async (phc: string | null) => {
    const before = process.cpuUsage()
    for (let round = 0; round < 5; round++) t.equal(await verifyPassword('wrong horse', phc, 'sign-in'), false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await work(hash)
  // The least of five, because the process does other work at times.
  const least = async (phc: string | null) => {
    const figures: number[] = []
    for (let n = 0; n < 5; n++) figures.push(await work(phc))
    return Math.min(...figures)
  }
  const [known, unknown] = [await least(hash), await least(null)]
  t.ok(unknown > known / 3 && unknown < known * 3, `${unknown} µs of CPU for nobody, ${known} µs for a user`)
})

const isRefused = (result: PromiseSettledResult<unknown>) => result.status === 'rejected' && result.reason instanceof AppError

t.test('queues 256 sign-ins behind two, refuses the rest, and serves the queued ones', async (t) => {
  const results = await Promise.allSettled(Array.from({ length: 262 }, () => verifyPassword('x', 'not a hash', 'sign-in')))
  const refused = results.filter(isRefused)
  t.equal(refused.length, 4)
  t.match((refused[0] as PromiseRejectedResult).reason, { code: 'unavailable', details: { retryAfter: 3 } })
  t.equal(await verifyPassword('after the rush', null, 'sign-in'), false, 'slots were released')
})

t.test('does not delay sign-ins when share passwords fill their queue', async (t) => {
  const ended: string[] = []
  const shares = Array.from({ length: 100 }, () => hashPassword('abcd', 'share').then(() => ended.push('share')))
  const signIns = Array.from({ length: 2 }, () => verifyPassword('x', null, 'sign-in').then(() => ended.push('sign-in')))
  const results = Promise.allSettled(shares)
  await Promise.all(signIns)
  t.ok(ended.filter((purpose) => purpose === 'share').length <= 4, `the sign-ins waited for ${ended.length - 2} share passwords`)
  t.equal((await results).filter(isRefused).length, 35, 'one runs and 64 wait')
})

t.test('does not delay share passwords for long when sign-ins fill their queue', async (t) => {
  const ended: string[] = []
  const signIns = Promise.all(Array.from({ length: 40 }, () => verifyPassword('x', null, 'sign-in').then(() => ended.push('sign-in'))))
  await hashPassword('abcd', 'share').then(() => ended.push('share'))
  t.ok(ended.length <= 6, `the share password waited for ${ended.length - 1} sign-ins`)
  await signIns
})
