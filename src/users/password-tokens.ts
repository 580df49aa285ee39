import { hashToken, newToken } from '../crypto/tokens.ts'
import type { Db, PasswordTokenTable } from '../db/schema.ts'
import { invitationLifetime, resetLifetime } from './limits.ts'

const lifetimes = { reset: resetLifetime, invitation: invitationLifetime }

/**
 * Creates a link to set a password and returns its URL. It works for an hour, or in an invitation
 * for 7 days. `base` is the site's URL.
 */
export async function newPasswordLink(
  db: Db,
  base: string,
  { userId, purpose, now }: { userId: string; purpose: PasswordTokenTable['purpose']; now: Date },
): Promise<string> {
  const token = newToken()
  const expiresAt = new Date(now.getTime() + lifetimes[purpose] * 1000)
  await db
    .insertInto('passwordToken')
    .values({ tokenHash: hashToken(token), userId, purpose, createdAt: now, expiresAt })
    .execute()
  return `${base}/auth/resetPassword/${token}`
}

/** Returns the id of the user of a token; undefined when the token is unknown, used or expired. */
export async function userOfPasswordToken(db: Db, token: string, now: Date): Promise<string | undefined> {
  const query = db.selectFrom('passwordToken').select('userId').where('tokenHash', '=', hashToken(token)).where('expiresAt', '>', now)
  return (await query.executeTakeFirst())?.userId
}

/** Deletes a token and returns whether it was valid. Of concurrent uses only one succeeds. */
export async function consumePasswordToken(db: Db, token: string, now: Date): Promise<boolean> {
  const query = db.deleteFrom('passwordToken').where('tokenHash', '=', hashToken(token)).where('expiresAt', '>', now)
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

/**
 * Deletes all password links of a user, which were sent to an address that is no longer the user's.
 */
export async function endPasswordLinks(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('passwordToken').where('userId', '=', userId).execute()
}
