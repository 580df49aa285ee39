import type { Context } from '../../context.ts'
import { hashToken, newToken } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import type { User } from '../../users/queries.ts'
import { loginTokenAttempts, loginTokenLifetime } from '../limits.ts'

/** Proof of the first factor, to be sent with the second one. */
export interface LoginToken {
  loginToken: string
  expiresAt: Date
}

/**
 * Creates a login token, valid for 5 minutes and 5 attempts.
 * @throws {AppError} session_ended: when the user's credentials have changed since `user` was read
 */
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

/**
 * Counts an attempt on a login token before it is made, and returns the token's user id.
 * @throws {AppError} token_expired
 * @throws {AppError} invalid_login_token: when it is unknown, was used, or has no attempts left
 */
export async function countAttempt({ db, now }: Pick<Context, 'db' | 'now'>, loginToken: string): Promise<string> {
  const counted = await db
    .updateTable('loginToken')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('tokenHash', '=', hashToken(loginToken))
    .where('tries', '<', loginTokenAttempts)
    .where('expiresAt', '>', now())
    .returning('userId')
    .executeTakeFirst()
  return counted?.userId ?? refuse(db, loginToken)
}

/**
 * Returns the user id of a login token.
 * @throws {AppError} token_expired
 * @throws {AppError} invalid_login_token: when it is unknown, was used, or has no attempts left
 */
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
  const token = await db.selectFrom('loginToken').select('tries').where('tokenHash', '=', hashToken(loginToken)).executeTakeFirst()
  throw new AppError(token && token.tries < loginTokenAttempts ? 'token_expired' : 'invalid_login_token')
}

/**
 * Deletes a login token and returns whether it still existed. A concurrent use or a change of
 * credentials may have ended it.
 */
export async function consumeLoginToken(db: Db, loginToken: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('loginToken').where('tokenHash', '=', hashToken(loginToken)).executeTakeFirst()
  return numDeletedRows === 1n
}
