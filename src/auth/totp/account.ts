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
import { deleteRecoveryCodes, renewRecoveryCodes } from './recovery-codes.ts'
import { consumeTotpCode, isTotp, newTotpSecret, stepOf } from './totp.ts'

type TotpContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>
interface Proof {
  code: string
  password?: string
}

/** Begins to set an authenticator up: a secret that counts once it was verified. Throws `totp_already_enabled`, and as `confirmByPassword`. */
export async function beginTotp(ctx: TotpContext, caller: Caller, password: string | undefined) {
  const { id, username } = await confirmByPassword(ctx, caller, password)
  const made = await newTotpSecret((await readSettings(ctx))['general.appName'], username)
  const { numUpdatedRows } = await ctx.db
    .updateTable('user')
    .set({ totpSecret: ctx.sealer.seal(made.totpSecret) })
    .where('id', '=', id)
    .where('totpVerified', '=', false)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new AppError('totp_already_enabled')
  return made
}

/**
 * Turns TOTP on and ends the user's other sessions, which began without it. API tokens stay. Returns the recovery codes.
 * @throws AppError `totp_not_in_progress` or `invalid_totp`, and as `confirmByPassword`
 */
export async function verifyTotp(ctx: TotpContext, caller: Caller, { code, password }: Proof): Promise<string[]> {
  await confirmByPassword(ctx, caller, password)
  const codes = await withUser(ctx, caller, async (db, user) => {
    if (user.totpVerified || user.totpSecret === null) throw new AppError('totp_not_in_progress')
    const step = stepOf(ctx, user, code)
    if (step === null) throw new AppError('invalid_totp')
    await db.updateTable('user').set({ totpVerified: true, totpLastStep: step }).where('id', '=', user.id).execute()
    await bumpVersion(db, user.id)
    await endOtherSessions(db, user.id, caller.sessionId!)
    await writeNotice({ ...ctx, db }, user, 'totp_enabled')
    return renewRecoveryCodes(db, ctx.sealer, user.id)
  })
  logEvent(ctx, 'totp_enabled', { userId: caller.userId, by: caller.userId })
  return codes
}

/** New recovery codes in place of the old ones. Throws `totp_not_enabled` or `invalid_totp`, and as `confirmByPassword`. */
export async function newRecoveryCodes(ctx: TotpContext, caller: Caller, { code, password }: Proof): Promise<string[]> {
  await confirmByPassword(ctx, caller, password)
  const codes = await withCode(ctx, caller, code, async (db, user) => {
    await writeNotice({ ...ctx, db }, user, 'recovery_codes_renewed')
    return renewRecoveryCodes(db, ctx.sealer, user.id)
  })
  logEvent(ctx, 'recovery_codes_renewed', { userId: caller.userId, by: caller.userId })
  return codes
}

/** Switches TOTP off. Throws `totp_not_enabled` or `invalid_totp`, and as `confirmByPassword`. */
export async function disableTotp(ctx: TotpContext, caller: Caller, { code, password }: Proof): Promise<void> {
  await confirmByPassword(ctx, caller, password)
  await withCode(ctx, caller, code, async (db, user) => {
    await writeNotice({ ...ctx, db }, user, 'totp_disabled')
    await clearTotp(db, user.id)
  })
  logEvent(ctx, 'totp_disabled', { userId: caller.userId, by: caller.userId })
}

/** Takes the second factor from a user, with the recovery codes. In a transaction that has locked them. */
export async function clearTotp(db: Db, userId: string): Promise<void> {
  await db.updateTable('user').set({ totpSecret: null, totpVerified: false, totpLastStep: null }).where('id', '=', userId).execute()
  await deleteRecoveryCodes(db, userId)
  await bumpVersion(db, userId)
}

/** Does the work for whom the code is right; a code is used up only when the work was done. */
async function withCode<T>(ctx: TotpContext, caller: Caller, code: string, work: (db: Db, user: User) => Promise<T>): Promise<T> {
  if (isTotp(code)) await consumeAttempt(ctx, totpAttemptsPerAccount, caller.userId)
  const done = await withUser(ctx, caller, async (db, user) => {
    if (!user.totpVerified) throw new AppError('totp_not_enabled')
    if (!(await consumeTotpCode({ ...ctx, db }, user, code))) throw new AppError('invalid_totp')
    return work(db, user)
  })
  if (isTotp(code)) await refundAttempt(ctx, totpAttemptsPerAccount, caller.userId)
  return done
}

function withUser<T>(ctx: TotpContext, { userId }: Caller, work: (db: Db, user: User) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('unauthorized')
    return work(db, user)
  })
}
