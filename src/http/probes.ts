import type { FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../errors.ts'
import { callerOf } from './guards.ts'
import { networkAttempts } from './networks.ts'
import { type Attempt, consumeAttempt, type Limiters } from './rate-limit.ts'

/** Requests of one user for links that do not exist. */
export const probesOfUser = { name: 'probe-user', attempts: 600, seconds: 600 }
/** The same for visitors from one network. A school of a thousand mistypes far fewer links. */
export const probesOfAddress = {
  name: 'probe-address',
  address: { attempts: 600, seconds: 600 },
  site: { attempts: 1200, seconds: 600 },
  network: { attempts: 3000, seconds: 600 },
}

interface Limited {
  limiters: Limiters
}

const blockedMax = 10_000 // per process
/**
 * When each block ends, in ms. A process learns of a block at its own first refusal, so that a link
 * that exists needs no additional statement.
 */
const blockedOf = new WeakMap<Limiters, Map<string, number>>()

/**
 * Counts a request for a link that does not exist, or a query whether one does.
 * @throws {AppError} too_many_requests: the limit is reached; `retryAfter` is in seconds
 */
export async function consumeProbe(ctx: Limited, request: FastifyRequest): Promise<void> {
  for (const [limit, key] of await countersOf(request)) {
    try {
      await consumeAttempt(ctx, limit, key)
    } catch (error) {
      if (error instanceof AppError) block(ctx, nameOf(limit.name, key), Number(error.details.retryAfter))
      throw error
    }
  }
}

const taken: ErrorCode[] = ['share_id_taken', 'reverse_share_token_taken']

/**
 * Runs `work`, which takes an id for a new link, for callers who are not blocked. An id that is taken
 * counts as a probe, because the refusal tells that it exists.
 * @throws the errors of `work`
 * @throws {AppError} too_many_requests: the caller probes links; `retryAfter` is in seconds
 */
export async function countingTaken<T>(ctx: Limited, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  await refuseProbers(ctx, request)
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && taken.includes(error.code)) await consumeProbe(ctx, request)
    throw error
  }
}

/**
 * Refuses callers who have probed too many links. This includes links that exist, because the
 * difference would reveal them.
 * @throws {AppError} too_many_requests: the caller is blocked; `retryAfter` is in seconds
 */
export async function refuseProbers({ limiters }: Limited, request: FastifyRequest): Promise<void> {
  const blocked = blockedOf.get(limiters)
  if (!blocked) return
  for (const [limit, key] of await countersOf(request)) {
    const remaining = (blocked.get(nameOf(limit.name, key)) ?? 0) - Date.now()
    if (remaining > 0) throw new AppError('too_many_requests', { retryAfter: Math.ceil(remaining / 1000) })
  }
}

async function countersOf(request: FastifyRequest): Promise<Attempt[]> {
  const caller = await callerOf(request)
  return caller ? [[probesOfUser, caller.userId]] : networkAttempts(probesOfAddress, request.ip)
}

function block({ limiters }: Limited, name: string, seconds: number): void {
  const now = Date.now()
  const others = [...(blockedOf.get(limiters) ?? [])].filter(([, until]) => until > now)
  blockedOf.set(limiters, new Map([...others.slice(1 - blockedMax), [name, now + seconds * 1000]]))
}

const nameOf = (limit: string, key: string) => `${limit} ${key}`
