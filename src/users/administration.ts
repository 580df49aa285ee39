import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { sendSoon } from '../mail/service.ts'
import type { NewUser, UserChanges } from './contract.ts'
import { endAccess } from './credentials.ts'
import { logEvent } from './events.ts'
import { newPasswordHash, setPassword } from './passwords.ts'
import { demote, lockedUser, type User, updateUser } from './queries.ts'
import { addUser, rename, writeInvitation } from './service.ts'

/** Makes a user; without a password they are invited by e-mail. Throws `username_taken`, `email_taken` or `smtp_disabled`. */
export async function createUser(
  ctx: Context,
  { username, email, password, isAdmin = false }: NewUser,
  base: string,
  by: string,
): Promise<User> {
  const passwordHash = password === undefined ? null : await newPasswordHash(password)
  const { user, mails } = await ctx.db.transaction().execute(async (db) => {
    const user = await addUser(db, { username, email, passwordHash, isAdmin, createdAt: ctx.now() })
    return { user, mails: passwordHash === null ? [await writeInvitation({ ...ctx, db }, user, base, by)] : [] }
  })
  logEvent(ctx, 'user_created', { userId: user.id, by, how: 'administrator' })
  await sendSoon(ctx, mails)
  return user
}

/** Changes a user, all or nothing. A new password and a demotion end their access. Throws `user_not_found`, `last_admin`, `username_taken` or `email_taken`. */
export async function changeUser(
  ctx: Pick<Context, 'db' | 'log'>,
  userId: string,
  { username, email, password, isAdmin }: UserChanges,
  by: string,
): Promise<User> {
  const passwordHash = password === undefined ? null : await newPasswordHash(password)
  return ctx.db.transaction().execute(async (db) => {
    if (isAdmin === false) await takeRights({ ...ctx, db }, userId, by)
    const before = await lockedUser(db, userId)
    let user = await rename({ ...ctx, db }, userId, { username, email }, by)
    if (isAdmin && !before?.isAdmin) {
      user = await giveRights(db, userId)
      logEvent(ctx, 'admin_granted', { userId, by })
    }
    if (passwordHash === null) return user
    logEvent(ctx, 'password_changed', { userId, by, how: 'administrator' })
    return setPassword(db, userId, passwordHash)
  })
}

type ChangeContext = Pick<Context, 'log'> & { db: Db }

/** The first of the transaction's locks, as it locks all administrators. */
async function takeRights(ctx: ChangeContext, userId: string, by: string): Promise<void> {
  if (await demote(ctx.db, userId)) {
    await endAccess(ctx.db, userId)
    logEvent(ctx, 'admin_revoked', { userId, by })
  } else if ((await lockedUser(ctx.db, userId))?.isAdmin) {
    throw new AppError('last_admin')
  }
}

/** Makes a user an administrator. Throws `user_not_found`. */
export async function giveRights(db: Db, userId: string): Promise<User> {
  const user = await updateUser(db, userId, { isAdmin: true })
  if (!user) throw new AppError('user_not_found')
  return user
}
