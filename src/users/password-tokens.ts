import { hashToken, newToken } from '../crypto/tokens.ts'
import type { Db, PasswordTokenTable } from '../db/schema.ts'
import { invitationLifetime, resetLifetime } from './limits.ts'

const lives = { reset: resetLifetime, invitation: invitationLifetime }

/** A link to a new password for a user: an hour, or an invitation's 7 days. `base` is where this installation is reached. */
export async function newPasswordLink(
  db: Db,
  base: string,
  { userId, purpose, now }: { userId: string; purpose: PasswordTokenTable['purpose']; now: Date },
): Promise<string> {
  const token = newToken()
  const expiresAt = new Date(now.getTime() + lives[purpose] * 1000)
  await db
    .insertInto('passwordToken')
    .values({ tokenHash: hashToken(token), userId, purpose, createdAt: now, expiresAt })
    .execute()
  return `${base}/auth/resetPassword/${token}`
}

/** The user whom a token lets choose a password; undefined when it is none, was used or has run out. */
export async function userOfPasswordToken(db: Db, token: string, now: Date): Promise<string | undefined> {
  const query = db.selectFrom('passwordToken').select('userId').where('tokenHash', '=', hashToken(token)).where('expiresAt', '>', now)
  return (await query.executeTakeFirst())?.userId
}

/** Takes a token for its only use; false when another was faster. */
export async function consumePasswordToken(db: Db, token: string, now: Date): Promise<boolean> {
  const query = db.deleteFrom('passwordToken').where('tokenHash', '=', hashToken(token)).where('expiresAt', '>', now)
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

/** Ends all links of a user: they went to an address that is theirs no more. */
export async function endPasswordLinks(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('passwordToken').where('userId', '=', userId).execute()
}
