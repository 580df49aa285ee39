import pg from 'pg'
import type { Db } from '../db/schema.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { UserDTO } from './contract.ts'
import { insertUser, type NewUser, type User } from './queries.ts'

const takenBy: Record<string, ErrorCode> = { user_username_key_key: 'username_taken', user_email_key_key: 'email_taken' }

/** Stores a user; throws `username_taken` or `email_taken`. Inside a transaction the error ends it. */
export async function addUser(db: Db, user: NewUser): Promise<User> {
  try {
    return await insertUser(db, user)
  } catch (error) {
    const code = error instanceof pg.DatabaseError && takenBy[error.constraint ?? '']
    throw code ? new AppError(code) : error
  }
}

/** A user as everybody who may see one sees them. */
export function toUserDTO(user: User): UserDTO {
  const { id, username, email, isAdmin, totpVerified } = user
  return { id, username, email, isAdmin, totpVerified, hasPassword: user.passwordHash !== null, createdAt: user.createdAt.toISOString() }
}
