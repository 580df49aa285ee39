import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { addressKey } from '../../http/networks.ts'
import { consumeAttempt, refundAttempt } from '../../http/rate-limit.ts'
import { logAccess, orLockedOut } from '../../http/security-events.ts'
import { logEvent } from '../../users/events.ts'
import { lockedUser, type User } from '../../users/queries.ts'
import { secondFactorAttemptsPerAddress, totpAttemptsPerAccount } from '../limits.ts'
import { passkeysOf } from '../passkeys/queries.ts'
import { knownDeviceId } from '../sessions/known-devices.ts'
import { type Device, type StartedSession, startSession } from '../sessions/sessions.ts'
import { consumeLoginToken, countAttempt, type LoginToken, newLoginToken } from './login-tokens.ts'
import { consumeTotpCode, isTotp } from './totp.ts'

export type FactorContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>

/** A sign-in that waits for its second factor. */
export interface LoginStep extends LoginToken {
  /** Whether a passkey can replace the code. */
  passkey: boolean
}

/**
 * Continues a sign-in after the first factor: starts a session, or asks for the second factor if
 * the user has one.
 * @throws {AppError} session_ended: when the user's credentials have changed since `user` was read
 */
export async function afterFirstFactor(ctx: FactorContext, user: User, device: Device): Promise<StartedSession | LoginStep> {
  if (!user.totpVerified) return startSession(ctx, user, device)
  const passkeys = await passkeysOf(ctx.db, user.id)
  return { ...(await newLoginToken(ctx.db, user, ctx.now())), passkey: passkeys.length > 0 }
}

/**
 * Completes a sign-in with a code or a recovery code.
 * @throws {AppError} invalid_login_token, token_expired: as `countAttempt`
 * @throws {AppError} invalid_totp
 * @throws {AppError} too_many_requests
 */
export async function signInWithTotp(
  ctx: FactorContext,
  { totp, loginToken }: { totp: string; loginToken: string },
  device: Device,
): Promise<StartedSession> {
  const from = addressKey(device.address)
  await orLockedOut(ctx, { userId: null, method: 'totp' }, consumeAttempt(ctx, secondFactorAttemptsPerAddress, from))
  const userId = await countAttempt(ctx, loginToken)
  const account = knownDeviceId(ctx.sealer, device, userId) ?? userId
  const details = { userId, method: isTotp(totp) ? 'totp' : 'recovery_code' } as const
  if (isTotp(totp)) await orLockedOut(ctx, details, consumeAttempt(ctx, totpAttemptsPerAccount, account))
  const started = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user?.totpVerified) throw new AppError('invalid_login_token')
    if (!(await consumeTotpCode({ ...ctx, db }, user, totp))) {
      logAccess(ctx, 'second_factor_failed', details)
      throw new AppError('invalid_totp')
    }
    if (!(await consumeLoginToken(db, loginToken))) throw new AppError('invalid_login_token')
    return startSession({ ...ctx, db }, user, device)
  })
  logAccess(ctx, 'sign_in', details)
  if (!isTotp(totp)) logEvent(ctx, 'recovery_code_used', { userId, by: userId })
  if (isTotp(totp)) await refundAttempt(ctx, totpAttemptsPerAccount, account)
  await refundAttempt(ctx, secondFactorAttemptsPerAddress, from)
  return started
}
