import { isIPv6 } from 'node:net'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../errors.ts'

/** At most `tries` in a window of `seconds` that begins with the first try. The name keeps the counters of different limits apart. */
export interface TryLimit {
  name: string
  tries: number
  seconds: number
}

/** The counters of one limit. */
export type Limiters = (limit: TryLimit) => RateLimiterAbstract
interface Limited {
  limiters: Limiters
}

/** Counters that all replicas share: in Redis where there is one, else in PostgreSQL. */
export function createLimiters({ pool, redis }: { pool: pg.Pool; redis?: Redis }): Limiters {
  const made = new Map<string, RateLimiterAbstract>()
  return (limit) => {
    const known = made.get(limit.name)
    if (known) return known
    const options = { keyPrefix: limit.name, points: limit.tries, duration: limit.seconds }
    const limiter = redis
      ? new RateLimiterRedis({ ...options, storeClient: redis })
      : new RateLimiterPostgres({ ...options, storeClient: pool, storeType: 'pool', tableName: 'rate_limit', tableCreated: true })
    made.set(limit.name, limiter)
    return limiter
  }
}

/** Counts a try, before it is made, so that parallel tries cannot slip through; throws `too_many_requests` with `retryAfter` in seconds when none was left. */
export async function takeTry({ limiters }: Limited, limit: TryLimit, key: string): Promise<void> {
  try {
    await limiters(limit).consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    throw new AppError('too_many_requests', { retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) })
  }
}

/** Gives one try back: it was a good one. */
export async function giveBack({ limiters }: Limited, limit: TryLimit, key: string): Promise<void> {
  await limiters(limit).reward(key)
}

/** Forgets all tries of `key`. */
export async function resetTries({ limiters }: Limited, limit: TryLimit, key: string): Promise<void> {
  await limiters(limit).delete(key)
}

/** Longer than any address; what a proxy passes on instead of one is cut. */
const longestName = 64

/** The part of a client's address that tries are counted by: IPv4 whole, of IPv6 the /64 that one customer gets at least (RFC 6177). Without the port that some proxies add. */
export function addressKey(given: string): string {
  const address = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(given)?.slice(1).find(Boolean) ?? given
  if (!isIPv6(address)) return address.slice(0, longestName)
  const groups = expand(address)
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const [plain = ''] = address.split('%')
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const before = head ? head.split(':') : []
  const after = tail ? tail.split(':') : []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
