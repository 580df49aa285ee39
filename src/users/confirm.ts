import type { Context } from '../context.ts'
import { verifyPassword } from '../crypto/passwords.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { consumeAttempt, resetAttempts } from '../http/rate-limit.ts'
import { logAccess, orLockedOut } from '../http/security-events.ts'
import { confirmAttempts, recentSignIn } from './limits.ts'
import { type User, userById } from './queries.ts'

export type ConfirmContext = Pick<Context, 'db' | 'limiters' | 'now' | 'log'>

/**
 * Confirms a change with which an attacker could take over the account, and returns the user. It
 * requires the password, or for a user without one a sign-in within the last 15 minutes.
 * @throws {AppError} unauthorized: when the account was deleted
 * @throws {AppError} wrong_password, too_many_requests
 * @throws {AppError} confirmation_required: without the password, or for a user without one after
 *   15 minutes
 */
export async function confirmByPassword(ctx: ConfirmContext, caller: Caller, password: string | undefined): Promise<User> {
  const user = await userOfCaller(ctx, caller)
  if (user.passwordHash === null) requireRecentSignIn(ctx, caller, user)
  else if (password === undefined) throw confirmationRequired(user)
  else await requirePassword(ctx, user, password)
  return user
}

/**
 * Confirms a change of credentials by the password or by a sign-in within the last 15 minutes, and
 * returns the user. API tokens never sign in, so they need the password of their user.
 * @throws {AppError} unauthorized: when the account was deleted
 * @throws {AppError} wrong_password, too_many_requests
 * @throws {AppError} confirmation_required: without the password after 15 minutes
 */
export async function confirm(ctx: ConfirmContext, caller: Caller, password: string | undefined): Promise<User> {
  const user = await userOfCaller(ctx, caller)
  if (user.passwordHash === null || password === undefined) requireRecentSignIn(ctx, caller, user)
  else await requirePassword(ctx, user, password)
  return user
}

async function userOfCaller({ db }: ConfirmContext, { userId }: Caller): Promise<User> {
  const user = await userById(db, userId)
  if (!user) throw new AppError('unauthorized')
  return user
}

function requireRecentSignIn({ now }: ConfirmContext, { signedInAt }: Caller, user: User): void {
  const isRecent = signedInAt !== null && now().getTime() - signedInAt.getTime() < recentSignIn * 1000
  if (!isRecent) throw confirmationRequired(user)
}

function confirmationRequired({ passwordHash }: User): AppError {
  return new AppError('confirmation_required', { hasPassword: passwordHash !== null })
}

async function requirePassword(ctx: ConfirmContext, { id, passwordHash }: User, password: string): Promise<void> {
  const details = { userId: id, method: 'password' } as const
  await orLockedOut(ctx, details, consumeAttempt(ctx, confirmAttempts, id))
  await orLockedOut(ctx, details, consumeHash(ctx, 'sign-in', { userId: id }))
  if (!(await verifyPassword(password, passwordHash, 'sign-in'))) {
    logAccess(ctx, 'confirmation_failed', details)
    throw new AppError('wrong_password')
  }
  await resetAttempts(ctx, confirmAttempts, id)
}
