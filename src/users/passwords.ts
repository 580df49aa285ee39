import { readSettings, type SettingsSource } from '../config/service.ts'
import { hashPassword } from '../crypto/passwords.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { revokeAccess } from './credentials.ts'
import { isGuessable } from './guessable.ts'
import { passwordMaxLength } from './limits.ts'
import type { User } from './queries.ts'

/**
 * Hashes the new password of a user. The contract checks its length in characters.
 * @throws {AppError} validation_failed: when it has more than 512 bytes
 * @throws {AppError} password_too_common: when it is easy to guess
 */
export async function newPasswordHash(source: SettingsSource, password: string, user: Pick<User, 'username' | 'email'>): Promise<string> {
  if (Buffer.byteLength(password) > passwordMaxLength) {
    const issue = { path: 'password', message: `must NOT have more than ${passwordMaxLength} bytes`, rule: 'maxLength' }
    throw new AppError('validation_failed', { issues: [{ ...issue, params: { limit: passwordMaxLength } }] })
  }
  const appName = (await readSettings(source))['general.appName']
  if (await isGuessable(password, { ...user, appName })) throw new AppError('password_too_common', { field: 'password' })
  return hashPassword(password, 'new-password')
}

/**
 * Sets a user's password and ends all sessions, API tokens and links. Requires a transaction that
 * has locked the user.
 */
export async function setPassword(db: Db, userId: string, passwordHash: string): Promise<User> {
  await revokeAccess(db, userId)
  return db.updateTable('user').set({ passwordHash }).where('id', '=', userId).returningAll().executeTakeFirstOrThrow()
}
