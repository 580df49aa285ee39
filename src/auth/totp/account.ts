import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/guards.ts'
import { consumeAttempt, refundAttempt } from '../../http/rate-limit.ts'
import { confirmByPassword } from '../../users/confirm.ts'
import { bumpVersion } from '../../users/credentials.ts'
import { logEvent } from '../../users/events.ts'
import { writeNotice } from '../../users/notices.ts'
import { lockedUser, type User } from '../../users/queries.ts'
import { totpAttemptsPerAccount } from '../limits.ts'
import { endOtherSessions } from '../sessions/queries.ts'
import { sessionIdOf } from '../sessions/sessions.ts'
import { requireOwnPasskey } from '../sign-in-methods.ts'
import { deleteRecoveryCodes, renewRecoveryCodes } from './recovery-codes.ts'
import { consumeTotpCode, isTotp, matchingStep, newTotpSecret } from './totp.ts'

type TotpContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>
interface Proof {
  code: string
  password?: string
}

/**
 * Starts to set up an authenticator. The new secret takes effect when `verifyTotp` has confirmed
 * it.
 * @throws {AppError} totp_already_enabled
 * @throws {AppError} second_factor_required: as `requireOwnPasskey`
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as
 *   `confirmByPassword`
 */
export async function beginTotpSetup(ctx: TotpContext, caller: Caller, password: string | undefined) {
  await requireOwnPasskey(ctx.db, caller)
  const { id, username } = await confirmByPassword(ctx, caller, password)
  const setup = await newTotpSecret((await readSettings(ctx))['general.appName'], username)
  const { numUpdatedRows } = await ctx.db
    .updateTable('user')
    .set({ totpSecret: ctx.sealer.seal(setup.totpSecret) })
    .where('id', '=', id)
    .where('totpVerified', '=', false)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new AppError('totp_already_enabled')
  return setup
}

/**
 * Turns TOTP on, ends the user's other sessions, which began without it, and returns the recovery
 * codes. API tokens stay.
 * @throws {AppError} totp_not_in_progress: when no setup was started, or TOTP is already on
 * @throws {AppError} invalid_totp
 * @throws {AppError} second_factor_required: as `requireOwnPasskey`
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as
 *   `confirmByPassword`
 */
export async function verifyTotp(ctx: TotpContext, caller: Caller, { code, password }: Proof): Promise<string[]> {
  await requireOwnPasskey(ctx.db, caller)
  await confirmByPassword(ctx, caller, password)
  const codes = await withUser(ctx, caller, async (db, user) => {
    if (user.totpVerified || user.totpSecret === null) throw new AppError('totp_not_in_progress')
    const step = matchingStep(ctx, user, code)
    if (step === null) throw new AppError('invalid_totp')
    await db.updateTable('user').set({ totpVerified: true, totpLastStep: step }).where('id', '=', user.id).execute()
    await bumpVersion(db, user.id)
    await endOtherSessions(db, user.id, sessionIdOf(caller))
    await writeNotice({ ...ctx, db }, user, 'totp_enabled')
    return renewRecoveryCodes(db, ctx.sealer, user.id)
  })
  logEvent(ctx, 'totp_enabled', { userId: caller.userId, by: caller.userId })
  return codes
}

/**
 * Replaces the recovery codes and returns the new ones.
 * @throws {AppError} totp_not_enabled
 * @throws {AppError} invalid_totp
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as
 *   `confirmByPassword`
 */
export async function newRecoveryCodes(ctx: TotpContext, caller: Caller, { code, password }: Proof): Promise<string[]> {
  await confirmByPassword(ctx, caller, password)
  const codes = await withCode(ctx, caller, code, async (db, user) => {
    await writeNotice({ ...ctx, db }, user, 'recovery_codes_renewed')
    return renewRecoveryCodes(db, ctx.sealer, user.id)
  })
  logEvent(ctx, 'recovery_codes_renewed', { userId: caller.userId, by: caller.userId })
  return codes
}

/**
 * Turns TOTP off.
 * @throws {AppError} totp_not_enabled
 * @throws {AppError} invalid_totp
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as
 *   `confirmByPassword`
 */
export async function disableTotp(ctx: TotpContext, caller: Caller, { code, password }: Proof): Promise<void> {
  await confirmByPassword(ctx, caller, password)
  await withCode(ctx, caller, code, async (db, user) => {
    await writeNotice({ ...ctx, db }, user, 'totp_disabled')
    await clearTotp(db, user.id)
  })
  logEvent(ctx, 'totp_disabled', { userId: caller.userId, by: caller.userId })
}

/**
 * Removes a user's second factor and recovery codes. Requires a transaction that has locked the
 * user.
 */
export async function clearTotp(db: Db, userId: string): Promise<void> {
  await db.updateTable('user').set({ totpSecret: null, totpVerified: false, totpLastStep: null }).where('id', '=', userId).execute()
  await deleteRecoveryCodes(db, userId)
  await bumpVersion(db, userId)
}

/** Runs `work` if the code is right. The code is consumed only when the work succeeds. */
async function withCode<T>(ctx: TotpContext, caller: Caller, code: string, work: (db: Db, user: User) => Promise<T>): Promise<T> {
  if (isTotp(code)) await consumeAttempt(ctx, totpAttemptsPerAccount, caller.userId)
  const result = await withUser(ctx, caller, async (db, user) => {
    if (!user.totpVerified) throw new AppError('totp_not_enabled')
    if (!(await consumeTotpCode({ ...ctx, db }, user, code))) throw new AppError('invalid_totp')
    return work(db, user)
  })
  if (isTotp(code)) await refundAttempt(ctx, totpAttemptsPerAccount, caller.userId)
  return result
}

function withUser<T>(ctx: TotpContext, { userId }: Caller, work: (db: Db, user: User) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('unauthorized')
    return work(db, user)
  })
}
