import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.ts'
import { requestAddress } from './request-address.ts'

/** How a user is authenticated. */
export type Method = 'password' | 'passkey' | 'totp' | 'recovery_code' | 'oauth' | 'api_token'

const failures = ['sign_in_failed', 'second_factor_failed', 'confirmation_failed', 'locked_out', 'forbidden'] as const
type Failure = (typeof failures)[number]
type AccessEvent = Failure | 'sign_in' | 'sign_out'

interface Details {
  /**
   * null: no such account. The text that was typed is never logged, because it may be a password.
   */
  userId: string | null
  method?: Method
}

/** Logs an account event as docs/security-events.md describes. Failures are warnings. */
export function logAccess(ctx: { log: Pick<FastifyBaseLogger, 'info' | 'warn'> }, event: AccessEvent, details: Details): void {
  writeEvent(ctx, (failures as readonly string[]).includes(event) ? 'warn' : 'info', { event, ...details })
}

/** Awaits `counting` and logs `locked_out` if it throws `too_many_requests`. */
export async function orLockedOut<T>(
  ctx: { log: Pick<FastifyBaseLogger, 'info' | 'warn'> },
  details: Details,
  counting: Promise<T>,
): Promise<T> {
  try {
    return await counting
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many_requests') logAccess(ctx, 'locked_out', details)
    throw error
  }
}

/** Logs a security event as one line, with the address of the current request. */
export function writeEvent<L extends 'info' | 'warn'>(
  { log }: { log: Pick<FastifyBaseLogger, L> },
  level: L,
  { event, ...details }: { event: string },
): void {
  log[level]({ event, address: requestAddress(), ...details }, 'security event')
}
