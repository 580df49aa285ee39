import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { callerOf } from './guards.ts'
import { networkAttempts } from './networks.ts'
import { type Attempt, consumeAttempt, type Limiters } from './rate-limit.ts'

/** Links that one user has asked for in vain. */
export const probesOfUser = { name: 'probe-user', attempts: 600, seconds: 600 }
/** Links that visitors from one network have asked for in vain. A school of a thousand behind one address mistypes far fewer. */
export const probesOfAddress = {
  name: 'probe-address',
  address: { attempts: 600, seconds: 600 },
  site: { attempts: 1200, seconds: 600 },
  network: { attempts: 3000, seconds: 600 },
}

interface Limited {
  limiters: Limiters
}

const blockedMax = 10_000 // of a process
/** Until when, in ms, probers are refused. A process learns of each at its own first refusal, so that links that are found cost no statement more. */
const blockedOf = new WeakMap<Limiters, Map<string, number>>()

/**
 * Counts a link that was asked for in vain, or asked about.
 * @throws `too_many_requests` with `retryAfter` in seconds.
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

/**
 * Refuses callers who have probed too many links, also for links that exist: they would tell them apart by the answer.
 * @throws `too_many_requests` with `retryAfter` in seconds.
 */
export async function refuseProbers({ limiters }: Limited, request: FastifyRequest): Promise<void> {
  const blocked = blockedOf.get(limiters)
  if (!blocked) return
  for (const [limit, key] of await countersOf(request)) {
    const left = (blocked.get(nameOf(limit.name, key)) ?? 0) - Date.now()
    if (left > 0) throw new AppError('too_many_requests', { retryAfter: Math.ceil(left / 1000) })
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
