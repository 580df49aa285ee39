import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/guards.ts'
import { addressKey } from '../../http/networks.ts'
import { consumeAttempt } from '../../http/rate-limit.ts'
import { textsFor } from '../../mail/languages.ts'
import { mailedUrl } from '../../mail/mailed-url.ts'
import { enqueueWrittenMails, writeMail } from '../../mail/service.ts'
import { confirmByPassword } from '../../users/confirm.ts'
import { logEvent } from '../../users/events.ts'
import { writeNotice } from '../../users/notices.ts'
import { consumePasswordToken, newPasswordLink, userOfPasswordToken } from '../../users/password-tokens.ts'
import { newPasswordHash, setPassword } from '../../users/passwords.ts'
import { lockedUser, userByEmail, userById } from '../../users/queries.ts'
import { setEmailVerified } from '../../users/verification.ts'
import { resetAttemptsPerAddress, resetMailsPerAccount } from '../limits.ts'
import { type Device, type StartedSession, startSession } from '../sessions/sessions.ts'
import { requirePasswords } from '../sign-in-methods.ts'

/**
 * Changes the caller's password, ends all of their sessions and API tokens, and starts a new
 * session.
 * @throws {AppError} password_sign_in_disabled
 * @throws {AppError} wrong_password: also when the password was changed concurrently
 * @throws {AppError} confirmation_required, too_many_requests: as `confirmByPassword`
 * @throws {AppError} validation_failed, password_too_common: as `newPasswordHash`
 */
export async function changePassword(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>,
  caller: Caller,
  { oldPassword, password }: { oldPassword?: string; password: string },
  device: Device,
): Promise<StartedSession> {
  await requirePasswords(ctx)
  const confirmed = await confirmByPassword(ctx, caller, oldPassword)
  const passwordHash = await newPasswordHash(ctx, password, confirmed)
  const started = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, caller.userId)
    if (user?.passwordHash !== confirmed.passwordHash) throw new AppError('wrong_password')
    await writeNotice({ ...ctx, db }, user, 'password_changed')
    return startSession({ ...ctx, db }, await setPassword(db, caller.userId, passwordHash), device)
  })
  logEvent(ctx, 'password_changed', { userId: caller.userId, by: caller.userId })
  return started
}

/**
 * Ensures that an address may request a password reset link, and counts the request.
 * @throws {AppError} password_sign_in_disabled
 * @throws {AppError} smtp_disabled
 * @throws {AppError} too_many_requests
 */
export async function requireResets(ctx: Pick<Context, 'db' | 'env' | 'limiters'>, address: string): Promise<void> {
  await requirePasswords(ctx)
  if (!(await readSettings(ctx))['smtp.enabled']) throw new AppError('smtp_disabled')
  await consumeAttempt(ctx, resetAttemptsPerAddress, addressKey(address))
}

/**
 * Sends a password reset link if an account has this email address. Responses must not wait for it,
 * because its duration reveals whether the account exists. The link uses the configured URL, never
 * the Host header, with which an attacker could redirect the token to another site.
 */
export async function sendReset(ctx: Context, email: string): Promise<void> {
  const settings = await readSettings(ctx)
  const base = mailedUrl(settings, '')
  if (!base) return ctx.log.error({}, 'password reset links cannot be sent; set APP_URL')
  const found = await userByEmail(ctx.db, email)
  if (!found) return
  await consumeAttempt(ctx, resetMailsPerAccount, found.id)
  const mail = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, found.id)
    if (user?.email !== found.email) return null
    const url = await newPasswordLink(db, base, { userId: user.id, purpose: 'reset', now: ctx.now() })
    return writeMail({ ...ctx, db }, textsFor(settings, user), { to: user.email, kind: 'resetPassword', variables: { url } })
  })
  if (!mail) return
  logEvent(ctx, 'password_link_sent', { userId: found.id, by: null })
  await enqueueWrittenMails(ctx, [mail])
}

/**
 * Sets a new password with the token of a link. It signs no one in, and a second factor stays.
 * @throws {AppError} password_sign_in_disabled
 * @throws {AppError} invalid_token
 * @throws {AppError} validation_failed, password_too_common: as `newPasswordHash`
 */
export async function resetPassword(
  ctx: Pick<Context, 'db' | 'env' | 'sealer' | 'now' | 'log'>,
  { token, password }: { token: string; password: string },
): Promise<void> {
  await requirePasswords(ctx)
  const userId = await userOfPasswordToken(ctx.db, token, ctx.now()) // before the expensive hashing
  if (!userId) throw new AppError('invalid_token')
  const owner = await userById(ctx.db, userId)
  if (!owner) throw new AppError('invalid_token')
  const passwordHash = await newPasswordHash(ctx, password, owner)
  await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user || !(await consumePasswordToken(db, token, ctx.now()))) throw new AppError('invalid_token')
    await setPassword(db, userId, passwordHash)
    await setEmailVerified(db, userId, true) // the link was sent to the address
    await writeNotice({ ...ctx, db }, user, 'password_changed')
  })
  logEvent(ctx, 'password_changed', { userId, by: null, how: 'link' })
}
