import type { Redis } from 'ioredis'
import type pg from 'pg'
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../errors.ts'

/** At most `tries` in a window of `seconds` that begins with the first try. The name keeps the counters of different limits apart. */
export interface AttemptLimit {
  name: string
  attempts: number
  seconds: number
}

/** The counters of one limit. */
export type Limiters = (limit: AttemptLimit) => RateLimiterAbstract
interface Limited {
  limiters: Limiters
}

/** Counters that all replicas share: in Redis where there is one, else in PostgreSQL. */
export function createLimiters({ pool, redis }: { pool: pg.Pool; redis?: Redis }): Limiters {
  const made = new Map<string, RateLimiterAbstract>()
  return (limit) => {
    const known = made.get(limit.name)
    if (known) return known
    const options = { keyPrefix: limit.name, points: limit.attempts, duration: limit.seconds }
    const limiter = redis
      ? new RateLimiterRedis({ ...options, storeClient: redis })
      : new RateLimiterPostgres({ ...options, storeClient: pool, storeType: 'pool', tableName: 'rate_limit', tableCreated: true })
    made.set(limit.name, limiter)
    return limiter
  }
}

/** One try: what it counts towards, and by which key. */
export type Attempt = readonly [limit: AttemptLimit, key: string]

/** Counts a try, before it is made, so that parallel tries cannot slip through; throws `too_many_requests` with `retryAfter` in seconds when none was left. */
export async function consumeAttempt({ limiters }: Limited, limit: AttemptLimit, key: string): Promise<void> {
  try {
    await limiters(limit).consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    throw new AppError('too_many_requests', { retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) })
  }
}

/** Gives one try back: it was a good one. */
export async function refundAttempt({ limiters }: Limited, limit: AttemptLimit, key: string): Promise<void> {
  await limiters(limit).reward(key)
}

/** Forgets all tries of `key`. */
export async function resetAttempts({ limiters }: Limited, limit: AttemptLimit, key: string): Promise<void> {
  await limiters(limit).delete(key)
}

/** Counts one try towards several limits, in order: a limit that refuses it keeps it from those after it. Throws as `consumeAttempt`. */
export async function consumeAttempts(ctx: Limited, tries: readonly Attempt[]): Promise<void> {
  for (const [limit, key] of tries) await consumeAttempt(ctx, limit, key)
}

/** Gives one try back to each of several limits. */
export async function refundAttempts(ctx: Limited, tries: readonly Attempt[]): Promise<void> {
  await Promise.all(tries.map(([limit, key]) => refundAttempt(ctx, limit, key)))
}
