import { readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { hashToken, newToken } from '../crypto/tokens.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'
import { withMails } from '../mail/allowance.ts'
import { languageOf } from '../mail/languages.ts'
import { mailedUrl } from '../mail/mailed-url.ts'
import { enqueueWrittenMails, storeMail } from '../mail/service.ts'
import { renderFixed } from '../mail/templates.ts'
import { logEvent } from './events.ts'
import { emailTokenLifetime } from './limits.ts'
import { lockedUser, requireUser, type User } from './queries.ts'

/**
 * Marks a user's email address as not verified and writes an email with a link to verify it, which
 * replaces earlier ones. Returns the email's id for `enqueueWrittenMails`. Requires a transaction.
 * The link uses the configured URL, never the Host header, which an attacker could choose.
 */
export async function beginVerification(
  ctx: Pick<Context, 'sealer' | 'now'> & { db: Db },
  settings: Settings,
  user: Pick<User, 'id' | 'username' | 'email' | 'language'>,
): Promise<string> {
  const { id, username, email } = user
  const token = newToken()
  const createdAt = ctx.now()
  const expiresAt = new Date(createdAt.getTime() + emailTokenLifetime * 1000)
  await setEmailVerified(ctx.db, id, false)
  await ctx.db
    .insertInto('emailToken')
    .values({ tokenHash: hashToken(token), userId: id, createdAt, expiresAt })
    .execute()
  const url = mailedUrl(settings, `/auth/verifyEmail/${token}`)
  const text = renderFixed(languageOf(settings, user), 'verification', { app: settings['general.appName'], username, url })
  return storeMail(ctx, { kind: 'verification', to: email, ...text })
}

/** Records whether a user's email address is verified, and ends links that were sent to it. */
export async function setEmailVerified(db: Db, userId: string, emailVerified: boolean): Promise<void> {
  await db.updateTable('user').set({ emailVerified }).where('id', '=', userId).execute()
  await db.deleteFrom('emailToken').where('userId', '=', userId).execute()
}

/**
 * Sends the caller another link to verify their email address; none if it is verified.
 * @throws {AppError} smtp_disabled
 * @throws {AppError} too_many_emails: with `retryAfter` in seconds
 */
export async function resendVerification(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'queue'>,
  caller: Caller,
): Promise<void> {
  const settings = await readSettings(ctx)
  if (!settings['smtp.enabled']) throw new AppError('smtp_disabled')
  const { email, emailVerified } = await requireUser(ctx.db, caller.userId)
  if (emailVerified) return
  const mails = await withMails(ctx, caller, [email], () =>
    ctx.db.transaction().execute(async (db) => {
      const user = await lockedUser(db, caller.userId)
      return user && !user.emailVerified && user.email === email ? [await beginVerification({ ...ctx, db }, settings, user)] : []
    }),
  )
  await enqueueWrittenMails(ctx, mails)
}

/**
 * Marks the email address as verified that a link was sent to. It signs no one in.
 * @throws {AppError} invalid_token: unknown, used, replaced or expired
 */
export async function verifyEmail(ctx: Pick<Context, 'db' | 'now' | 'log'>, token: string): Promise<void> {
  const userId = await ctx.db.transaction().execute(async (db) => {
    const userId = await userOfToken(db, token, ctx.now())
    if (!userId || !(await lockedUser(db, userId))) throw new AppError('invalid_token')
    if (!(await userOfToken(db, token, ctx.now()))) throw new AppError('invalid_token') // used or replaced meanwhile
    await setEmailVerified(db, userId, true)
    return userId
  })
  logEvent(ctx, 'email_verified', { userId, by: userId, how: 'link' })
}

async function userOfToken(db: Db, token: string, now: Date): Promise<string | undefined> {
  const query = db.selectFrom('emailToken').select('userId').where('tokenHash', '=', hashToken(token)).where('expiresAt', '>', now)
  return (await query.executeTakeFirst())?.userId
}
