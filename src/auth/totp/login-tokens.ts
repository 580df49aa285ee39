import type { Context } from '../../context.ts'
import { hashToken, newToken } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import type { User } from '../../users/queries.ts'
import { loginTokenAttempts, loginTokenLifetime } from '../limits.ts'

/** What stands for the first factor until the second has been given. */
export interface LoginToken {
  loginToken: string
  expiresAt: Date
}

/** A token for 5 minutes and 5 tries. Throws `session_ended` when a password or a second factor of the user has changed since `user` was read. */
export async function newLoginToken(
  db: Db,
  { id, credentialVersion }: Pick<User, 'id' | 'credentialVersion'>,
  now: Date,
): Promise<LoginToken> {
  const loginToken = newToken()
  const expiresAt = new Date(now.getTime() + loginTokenLifetime * 1000)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('loginToken')
    .columns(['tokenHash', 'userId', 'createdAt', 'expiresAt'])
    .expression((eb) =>
      eb
        .selectFrom('user')
        .select([
          eb.val(hashToken(loginToken)).as('tokenHash'),
          'id as userId',
          eb.val(now).as('createdAt'),
          eb.val(expiresAt).as('expiresAt'),
        ])
        .where('id', '=', id)
        .where('credentialVersion', '=', credentialVersion)
        .forShare(),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw new AppError('session_ended')
  return { loginToken, expiresAt }
}

/** Counts a try on a login token, before it is made; answers whose it is. Throws `token_expired`, or `invalid_login_token` when it is none or had its five. */
export async function countAttempt({ db, now }: Pick<Context, 'db' | 'now'>, loginToken: string): Promise<string> {
  const claimed = await db
    .updateTable('loginToken')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('tokenHash', '=', hashToken(loginToken))
    .where('tries', '<', loginTokenAttempts)
    .where('expiresAt', '>', now())
    .returning('userId')
    .executeTakeFirst()
  return claimed?.userId ?? refuse(db, loginToken)
}

/** Whose login token it is. Throws as `countAttempt`. */
export async function userOfLoginToken({ db, now }: Pick<Context, 'db' | 'now'>, loginToken: string): Promise<string> {
  const found = await db
    .selectFrom('loginToken')
    .select('userId')
    .where('tokenHash', '=', hashToken(loginToken))
    .where('tries', '<', loginTokenAttempts)
    .where('expiresAt', '>', now())
    .executeTakeFirst()
  return found?.userId ?? refuse(db, loginToken)
}

async function refuse(db: Db, loginToken: string): Promise<never> {
  const old = await db.selectFrom('loginToken').select('tries').where('tokenHash', '=', hashToken(loginToken)).executeTakeFirst()
  throw new AppError(old && old.tries < loginTokenAttempts ? 'token_expired' : 'invalid_login_token')
}

/** Takes a login token for its only use; false when another was faster, or a change of the account has ended it. */
export async function consumeLoginToken(db: Db, loginToken: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('loginToken').where('tokenHash', '=', hashToken(loginToken)).executeTakeFirst()
  return numDeletedRows === 1n
}
