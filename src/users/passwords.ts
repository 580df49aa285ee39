import { hashPassword } from '../crypto/passwords.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { endAccess } from './credentials.ts'
import { passwordMaxLength } from './limits.ts'
import type { User } from './queries.ts'

/** Hashes a password that a user is to have. Throws `validation_failed` when it has more than 512 bytes; how long it must be is the contract's matter. */
export function newPasswordHash(password: string): Promise<string> {
  if (Buffer.byteLength(password) > passwordMaxLength) {
    const issue = { path: 'password', message: `must NOT have more than ${passwordMaxLength} bytes`, rule: 'maxLength' }
    throw new AppError('validation_failed', { issues: [{ ...issue, params: { limit: passwordMaxLength } }] })
  }
  return hashPassword(password, 'new-password')
}

/** Gives a user another password; everything that lets somebody in to the account ends. In a transaction that has locked the user. */
export async function setPassword(db: Db, userId: string, passwordHash: string): Promise<User> {
  await endAccess(db, userId)
  return db.updateTable('user').set({ passwordHash }).where('id', '=', userId).returningAll().executeTakeFirstOrThrow()
}
