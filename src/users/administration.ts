import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'
import { enqueueWrittenMails } from '../mail/service.ts'
import { type ConfirmContext, confirm } from './confirm.ts'
import type { NewUser, UserChanges } from './contract.ts'
import { bumpVersion, revokeAccess } from './credentials.ts'
import { logEvent } from './events.ts'
import { writeNotice } from './notices.ts'
import { newPasswordHash, setPassword } from './passwords.ts'
import { demote, lockedUser, requireUser, type User, updateUser } from './queries.ts'
import { addUser, removeUser, rename, writeInvitation } from './service.ts'

type AdministrationContext = ConfirmContext & Pick<Context, 'env' | 'sealer' | 'log'>

/**
 * Creates a user. Without a password, the user is invited by email.
 * @throws {AppError} username_taken, email_taken
 * @throws {AppError} smtp_disabled: without a password
 * @throws {AppError} validation_failed, password_too_common: as `newPasswordHash`
 * @throws {AppError} forbidden: when an API token creates an administrator
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: for an
 *   administrator, as `confirm`
 */
export async function createUser(
  ctx: Context,
  caller: Caller,
  { username, email, password, isAdmin = false, currentPassword }: NewUser,
  base: string,
): Promise<User> {
  if (isAdmin) {
    requireAuthority(caller, { isAdmin })
    await confirm(ctx, caller, currentPassword)
  }
  const by = caller.userId
  const passwordHash = password === undefined ? null : await newPasswordHash(ctx, password, { username, email })
  const { user, mails } = await ctx.db.transaction().execute(async (db) => {
    const user = await addUser(db, { username, email, passwordHash, isAdmin, createdAt: ctx.now() })
    return { user, mails: passwordHash === null ? [await writeInvitation({ ...ctx, db }, user, base, by)] : [] }
  })
  logEvent(ctx, 'user_created', { userId: user.id, by, how: 'administrator' })
  await enqueueWrittenMails(ctx, mails)
  return user
}

/**
 * Changes another user atomically. A new password or a demotion ends the user's sessions and API
 * tokens.
 * @throws {AppError} forbidden, user_not_found, last_admin, username_taken, email_taken
 * @throws {AppError} validation_failed, password_too_common: as `newPasswordHash`
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function changeUser(
  ctx: AdministrationContext,
  caller: Caller,
  userId: string,
  { currentPassword, ...changes }: UserChanges,
): Promise<User> {
  const { username, email, password, isAdmin } = changes
  const by = caller.userId
  const current = await findOther(ctx.db, caller, userId)
  requireAuthority(caller, current, isAdmin)
  if (isCredentialChange(current, changes)) await confirm(ctx, caller, currentPassword)
  const names = { username: username ?? current.username, email: email ?? current.email }
  const passwordHash = password === undefined ? null : await newPasswordHash(ctx, password, names)
  return ctx.db.transaction().execute(async (db) => {
    if (isAdmin === false) await revokeAdmin({ ...ctx, db }, userId, by)
    const before = await lockedUser(db, userId)
    if (before) requireAuthority(caller, before, isAdmin)
    let user = await rename({ ...ctx, db }, userId, { username, email }, by)
    if (isAdmin && !before?.isAdmin) {
      user = await grantAdmin(db, userId)
      logEvent(ctx, 'admin_granted', { userId, by })
    }
    if (passwordHash === null) return user
    logEvent(ctx, 'password_changed', { userId, by, how: 'administrator' })
    await writeNotice({ ...ctx, db }, user, 'password_changed')
    return setPassword(db, userId, passwordHash)
  })
}

/**
 * Deletes another user with their shares.
 * @throws {AppError} forbidden, user_not_found, last_admin
 */
export async function deleteOther(ctx: Pick<Context, 'db' | 'log'>, caller: Caller, userId: string): Promise<User> {
  requireAuthority(caller, await findOther(ctx.db, caller, userId))
  return removeUser(ctx, userId, caller.userId)
}

/**
 * Ends every session and unfinished sign-in of another user, immediately on every replica. API
 * tokens stay.
 * @throws {AppError} forbidden, user_not_found
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function endSessionsOfOther(
  ctx: AdministrationContext,
  caller: Caller,
  userId: string,
  currentPassword: string | undefined,
): Promise<void> {
  requireAuthority(caller, await findOther(ctx.db, caller, userId))
  await confirm(ctx, caller, currentPassword)
  await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('user_not_found')
    requireAuthority(caller, user)
    await bumpVersion(db, userId)
    await db.deleteFrom('session').where('userId', '=', userId).execute()
  })
  logEvent(ctx, 'session_revoked', { userId, by: caller.userId, how: 'administrator' })
}

/**
 * Returns another user. Callers change their own account with other routes, which always require a
 * confirmation.
 */
async function findOther(db: Db, caller: Caller, userId: string): Promise<User> {
  if (userId === caller.userId) throw new AppError('forbidden', { message: 'Use /api/users/me and /api/auth for your own account.' })
  return requireUser(db, userId)
}

/**
 * Prevents API tokens from changing or creating administrators, so that a leaked token can't become
 * an administrator's session.
 */
function requireAuthority({ scopes }: Caller, user: { isAdmin: boolean }, isAdmin = false): void {
  if (scopes && (user.isAdmin || isAdmin))
    throw new AppError('forbidden', { message: 'API tokens cannot do this to an administrator. Sign in instead.' })
}

function isCredentialChange(user: User, { username, email, password, isAdmin }: UserChanges): boolean {
  const differs = <T>(change: T | undefined, current: T) => change !== undefined && change !== current
  return password !== undefined || differs(username, user.username) || differs(email, user.email) || differs(isAdmin, user.isAdmin)
}

type ChangeContext = Pick<Context, 'log'> & { db: Db }

/** Must take the transaction's first lock, because it locks all administrators. */
async function revokeAdmin(ctx: ChangeContext, userId: string, by: string): Promise<void> {
  if (await demote(ctx.db, userId)) {
    await revokeAccess(ctx.db, userId)
    logEvent(ctx, 'admin_revoked', { userId, by })
  } else if ((await lockedUser(ctx.db, userId))?.isAdmin) {
    throw new AppError('last_admin')
  }
}

/**
 * Makes a user an administrator.
 * @throws {AppError} user_not_found
 */
export async function grantAdmin(db: Db, userId: string): Promise<User> {
  const user = await updateUser(db, userId, { isAdmin: true })
  if (!user) throw new AppError('user_not_found')
  return user
}
