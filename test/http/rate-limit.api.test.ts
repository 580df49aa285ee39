import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { consumeAttempt, createLimiters, type Limiters, refundAttempt, resetAttempts } from '../../src/http/rate-limit.ts'
import { testApp } from '../support/app/app.ts'

const { ctx } = await testApp(t)

/**
 * The behavior that does not depend on where the counters are. `replica` creates another process's
 * view of them.
 */
async function holds(t: Test, replica: () => Limiters) {
  const [one, other] = [{ limiters: replica() }, { limiters: replica() }]
  const limit = { name: 'of-this-test', attempts: 3, seconds: 60 }
  const taken = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => consumeAttempt(n % 2 ? one : other, limit, 'key')))
  const refusals = taken.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
  t.equal(refusals.length, 5)
  for (const refusal of refusals) {
    t.match(refusal, { code: 'too_many_requests', statusCode: 429 })
    t.ok(refusal.details.retryAfter > 0 && refusal.details.retryAfter <= 60)
  }
  await consumeAttempt(one, limit, 'another key')
  await consumeAttempt(one, { ...limit, name: 'another-limit' }, 'key')

  await resetAttempts(one, limit, 'key')
  for (let n = 0; n < 3; n++) await consumeAttempt(other, limit, 'key')
  await t.rejects(consumeAttempt(one, limit, 'key'), { code: 'too_many_requests' })
  await refundAttempt(one, limit, 'key')
  await refundAttempt(one, limit, 'key')
  await consumeAttempt(other, limit, 'key')
  await t.rejects(consumeAttempt(one, limit, 'key'), { code: 'too_many_requests' })
}

t.test('counts attempts in PostgreSQL', (t) => holds(t, () => createLimiters({ pool: ctx.pool })))

async function isInstalled(program: string): Promise<boolean> {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = await Promise.allSettled(folders.map((folder) => access(join(folder, program))))
  return found.some(({ status }) => status === 'fulfilled')
}

const withoutRedis = !(await isInstalled('redis-server')) && 'redis-server is not installed'
t.test('counts attempts in Redis', { skip: withoutRedis }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-redis-'))
  const socket = join(folder, 'redis.sock')
  const server = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', ''], { cwd: folder, stdio: 'ignore' })
  const redis = new Redis(socket)
  redis.on('error', () => {}) // until it listens
  t.teardown(async () => {
    redis.disconnect()
    server.kill()
    await once(server, 'exit')
    await rm(folder, { recursive: true })
  })
  await redis.ping()
  await holds(t, () => createLimiters({ pool: ctx.pool, redis }))
})
