import { requiresVerifiedEmail } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'

/**
 * Refuses users who have yet to verify their email address. Visitors pass, because other settings
 * limit them.
 * @throws {AppError} email_not_verified
 */
export function requireVerifiedEmail(settings: Settings, caller: Caller | null): void {
  if (caller && !caller.emailVerified && requiresVerifiedEmail(settings)) throw new AppError('email_not_verified')
}
