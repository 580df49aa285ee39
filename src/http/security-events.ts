import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.ts'
import { requestAddress } from './request-address.ts'

/** How someone proves who they are. */
export type Method = 'password' | 'passkey' | 'totp' | 'recovery_code' | 'oauth' | 'api_token'

const failures = ['sign_in_failed', 'second_factor_failed', 'confirmation_failed', 'locked_out', 'forbidden'] as const
type Failure = (typeof failures)[number]
type AccessEvent = Failure | 'sign_in' | 'sign_out'

interface Details {
  /** null: there is no such account. What was typed is never logged, as it may be a password. */
  userId: string | null
  method?: Method
}

/** Logs one line about access to an account, in the form of docs/security-events.md. Failures are warnings. */
export function logAccess(ctx: { log: Pick<FastifyBaseLogger, 'info' | 'warn'> }, event: AccessEvent, details: Details): void {
  writeEvent(ctx, (failures as readonly string[]).includes(event) ? 'warn' : 'info', { event, ...details })
}

/** Waits for the counting of tries, and logs `locked_out` where it throws `too_many_requests`. */
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

/** Writes an event as one line of the log, with the address of the request that is being served. */
export function writeEvent<L extends 'info' | 'warn'>(
  { log }: { log: Pick<FastifyBaseLogger, L> },
  level: L,
  { event, ...details }: { event: string },
): void {
  log[level]({ event, address: requestAddress(), ...details }, 'security event')
}
