import type { Redis } from 'ioredis'
import type pg from 'pg'
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../errors.ts'

/**
 * Allows `attempts` in a window of `seconds` that starts with the first attempt. Counters are
 * separate for each name.
 */
export interface AttemptLimit {
  name: string
  attempts: number
  seconds: number
}

/** Returns the counters of one limit. */
export type Limiters = (limit: AttemptLimit) => RateLimiterAbstract
interface Limited {
  limiters: Limiters
}

/**
 * Creates counters that all replicas share: in Redis if there is one, otherwise in PostgreSQL.
 * While Redis doesn't respond, new counters in PostgreSQL replace it.
 */
export function createLimiters({ pool, redis }: { pool: pg.Pool; redis?: Redis }): Limiters {
  const created = new Map<string, RateLimiterAbstract>()
  return (limit) => {
    const existing = created.get(limit.name)
    if (existing) return existing
    const options = { keyPrefix: limit.name, points: limit.attempts, duration: limit.seconds }
    const inPostgres = new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
    })
    const limiter = redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: inPostgres }) : inPostgres
    created.set(limit.name, limiter)
    return limiter
  }
}

/** One attempt: the limit that it counts towards, and its key. */
export type Attempt = readonly [limit: AttemptLimit, key: string]

/**
 * Counts an attempt. Call it before the attempt, so that parallel attempts can't exceed the limit.
 * @throws {AppError} too_many_requests: the limit is reached; `retryAfter` is in seconds
 */
export async function consumeAttempt({ limiters }: Limited, limit: AttemptLimit, key: string): Promise<void> {
  try {
    await limiters(limit).consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    throw new AppError('too_many_requests', { retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) })
  }
}

/** Refunds an attempt that succeeded. */
export async function refundAttempt({ limiters }: Limited, limit: AttemptLimit, key: string): Promise<void> {
  await limiters(limit).reward(key)
}

/** Clears the counter of `key`. */
export async function resetAttempts({ limiters }: Limited, limit: AttemptLimit, key: string): Promise<void> {
  await limiters(limit).delete(key)
}

/**
 * Counts one attempt towards several limits, in order, and stops at the first that refuses it.
 * @throws {AppError} too_many_requests: a limit is reached; `retryAfter` is in seconds
 */
export async function consumeAttempts(ctx: Limited, attempts: readonly Attempt[]): Promise<void> {
  for (const [limit, key] of attempts) await consumeAttempt(ctx, limit, key)
}

/**
 * Counts one attempt towards several limits, in order, or towards none if one refuses it.
 * @throws {AppError} too_many_requests: a limit is reached; `retryAfter` is in seconds
 */
export async function consumeAllOrNone(ctx: Limited, attempts: readonly Attempt[]): Promise<void> {
  const consumed: Attempt[] = []
  try {
    for (const attempt of attempts) {
      await consumeAttempt(ctx, ...attempt)
      consumed.push(attempt)
    }
  } catch (error) {
    await refundAttempts(ctx, consumed)
    throw error
  }
}

/** Refunds one attempt to each of several limits. */
export async function refundAttempts(ctx: Limited, attempts: readonly Attempt[]): Promise<void> {
  await Promise.all(attempts.map(([limit, key]) => refundAttempt(ctx, limit, key)))
}
