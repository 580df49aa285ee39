import pg from 'pg'
import { readSettings, requiresVerifiedEmail } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { refusedField } from '../http/error-handler.ts'
import type { Caller } from '../http/guards.ts'
import { withMails } from '../mail/allowance.ts'
import { languages } from '../mail/default-texts.ts'
import { enqueueWrittenMails, writeMail } from '../mail/service.ts'
import { confirm, confirmByPassword } from './confirm.ts'
import type { OwnChanges, UserDTO } from './contract.ts'
import { logEvent } from './events.ts'
import { type NoticeContext, writeNotice } from './notices.ts'
import { endPasswordLinks, newPasswordLink } from './password-tokens.ts'
import { deleteUser, insertUser, lockedUser, type NewUser, nameKey, requireUser, type User, updateUser, userById } from './queries.ts'
import { beginVerification, setEmailVerified } from './verification.ts'

const codesByConstraint: Record<string, ErrorCode> = { user_username_key_key: 'username_taken', user_email_key_key: 'email_taken' }

/**
 * Stores a user and returns it. An error aborts the surrounding transaction.
 * @throws {AppError} username_taken, email_taken
 */
export function addUser(db: Db, user: NewUser): Promise<User> {
  return withUniqueNames(insertUser(db, user))
}

/** Converts violations of the unique constraints into errors. */
async function withUniqueNames<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    const code = error instanceof pg.DatabaseError && codesByConstraint[error.constraint ?? '']
    throw code ? new AppError(code) : error
  }
}

/** Returns the public data of a user. */
export function toUserDTO(user: User): UserDTO {
  const { id, username, email, emailVerified, isAdmin, totpVerified, language } = user
  const hasPassword = user.passwordHash !== null
  return { id, username, email, emailVerified, isAdmin, totpVerified, hasPassword, createdAt: user.createdAt.toISOString(), language }
}

/**
 * Changes the caller's username, email address or language. Password reset links are sent to the email
 * address, so changing it needs the password even right after a sign-in. With
 * `share.requireVerifiedEmail`, the user must verify the new address.
 * @throws {AppError} validation_failed: the language is not available
 * @throws {AppError} username_taken, email_taken, too_many_emails
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as
 *   `confirmByPassword`
 */
export async function changeOwn(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log' | 'queue'>,
  caller: Caller,
  { username, email, language, currentPassword }: OwnChanges,
): Promise<User> {
  if (typeof language === 'string' && !languages().includes(language)) throw refusedField('language', 'is not available', 'enum')
  const user = await userById(ctx.db, caller.userId)
  if (email !== undefined && email !== user?.email) await confirmByPassword(ctx, caller, currentPassword)
  else if (username !== undefined && username !== user?.username) await confirm(ctx, caller, currentPassword)
  const settings = await readSettings(ctx)
  const isToVerify = requiresVerifiedEmail(settings)
  const isNew = isToVerify && email !== undefined && email !== user?.email
  const { changed, mails } = await withMails(ctx, caller, isNew ? [email] : [], () =>
    ctx.db.transaction().execute(async (db) => {
      const before = await lockedUser(db, caller.userId) // a concurrent call may have changed the address
      if (language !== undefined) await updateUser(db, caller.userId, { language })
      const changed = await rename({ ...ctx, db }, caller.userId, { username, email }, caller.userId)
      if (!isToVerify || changed.email === before?.email) return { changed, mails: [] }
      const mail = await beginVerification({ ...ctx, db }, settings, changed)
      return { changed: { ...changed, emailVerified: false }, mails: [mail] }
    }),
  )
  await enqueueWrittenMails(ctx, mails)
  return changed
}

/**
 * Changes a user's username or email address and notifies the user at the previous address.
 * A new email address ends links sent to the old one and counts as verified, until
 * `beginVerification`. Requires a transaction.
 * @throws {AppError} user_not_found, username_taken, email_taken
 */
export async function rename(
  ctx: Pick<Context, 'log'> & NoticeContext,
  userId: string,
  { username, email }: { username?: string; email?: string },
  by: string,
): Promise<User> {
  const before = await lockedUser(ctx.db, userId)
  const user = await withUniqueNames(updateUser(ctx.db, userId, { username, email }))
  if (!before || !user) throw new AppError('user_not_found')
  if (user.username !== before.username) {
    logEvent(ctx, 'username_changed', { userId, by })
    await writeNotice(ctx, before, 'username_changed')
  }
  if (user.email !== before.email) {
    logEvent(ctx, 'email_changed', { userId, by })
    await writeNotice(ctx, before, 'email_changed')
    await setEmailVerified(ctx.db, userId, true)
    user.emailVerified = true
  }
  if (nameKey(user.email) !== nameKey(before.email)) await endPasswordLinks(ctx.db, userId)
  return user
}

/**
 * Deletes the caller's account with its shares.
 * @throws {AppError} last_admin
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function deleteOwn(
  ctx: Pick<Context, 'db' | 'limiters' | 'now' | 'log'>,
  caller: Caller,
  currentPassword: string | undefined,
): Promise<void> {
  await confirm(ctx, caller, currentPassword)
  await removeUser(ctx, caller.userId, caller.userId)
}

/**
 * Deletes a user with their shares and returns the user. The clean-up job deletes the bytes.
 * @throws {AppError} user_not_found, last_admin
 */
export async function removeUser(ctx: Pick<Context, 'db' | 'log'>, userId: string, by: string): Promise<User> {
  const user = await requireUser(ctx.db, userId)
  if (!(await deleteUser(ctx.db, userId))) throw new AppError((await userById(ctx.db, userId)) ? 'last_admin' : 'user_not_found')
  logEvent(ctx, 'user_deleted', { userId, by })
  return user
}

type MailContext = Pick<Context, 'env' | 'sealer' | 'now' | 'log'> & { db: Db }

/**
 * Writes an invitation email and returns its id for `enqueueWrittenMails`.
 * It links to a page to set a password, or to the sign-in page if password sign-in is disabled.
 * @throws {AppError} smtp_disabled
 */
export async function writeInvitation(ctx: MailContext, { id, email }: User, base: string, by: string): Promise<string> {
  const settings = await readSettings(ctx)
  if (!settings['smtp.enabled']) throw new AppError('smtp_disabled')
  const url = settings['oauth.disablePassword']
    ? `${base}/auth/signIn`
    : await newPasswordLink(ctx.db, base, { userId: id, purpose: 'invitation', now: ctx.now() })
  logEvent(ctx, 'invitation_sent', { userId: id, by })
  return writeMail(ctx, settings, { to: email, kind: 'invite', variables: { url } })
}

/**
 * Sends a user another invitation.
 * @throws {AppError} user_not_found, smtp_disabled
 */
export async function invite(ctx: Context, userId: string, base: string, by: string): Promise<void> {
  const mail = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('user_not_found')
    return writeInvitation({ ...ctx, db }, user, base, by)
  })
  await enqueueWrittenMails(ctx, [mail])
}
