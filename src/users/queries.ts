import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Reader } from '../db/connect.ts'
import { escapeLike } from '../db/like.ts'
import type { Db, UserTable } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Page } from './contract.ts'

export type User = Selectable<UserTable>
export type NewUser = Omit<Insertable<UserTable>, 'usernameKey' | 'emailKey'>

/**
 * Returns the form in which usernames and email addresses are compared.
 * It is the same for texts that differ only in case or Unicode form (NFKC and case folding).
 */
export function nameKey(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

/**
 * Stores a user and returns it. A username or email address that differs from another user's only
 * in case or Unicode form violates a unique constraint.
 */
export function insertUser(db: Db, user: NewUser): Promise<User> {
  const keys = { usernameKey: nameKey(user.username), emailKey: nameKey(user.email) }
  return db
    .insertInto('user')
    .values({ ...user, ...keys })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Changes a user's names, role or language and returns the user, or undefined when there is no such user.
 * Names are unique as in `insertUser`.
 */
export function updateUser(
  db: Db,
  id: string,
  { username, email, isAdmin, language }: Pick<Updateable<UserTable>, 'username' | 'email' | 'isAdmin' | 'language'>,
) {
  const changes = {
    ...(username !== undefined && { username, usernameKey: nameKey(username) }),
    ...(email !== undefined && { email, emailKey: nameKey(email) }),
    ...(isAdmin !== undefined && { isAdmin }),
    ...(language !== undefined && { language }),
  }
  if (Object.keys(changes).length === 0) return userById(db, id)
  return db.updateTable('user').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
}

/**
 * Returns the user with this username or email address. Usernames contain no `@`, so at most one
 * user matches.
 */
export function userByLogin(db: Db, login: string): Promise<User | undefined> {
  const key = nameKey(login)
  return db
    .selectFrom('user')
    .selectAll()
    .where((eb) => eb.or([eb('usernameKey', '=', key), eb('emailKey', '=', key)]))
    .executeTakeFirst()
}

/** Returns the user with this email address. */
export function userByEmail(db: Db, email: string): Promise<User | undefined> {
  return db.selectFrom('user').selectAll().where('emailKey', '=', nameKey(email)).executeTakeFirst()
}

/** Returns the user with this id. */
export function userById(db: Db, id: string): Promise<User | undefined> {
  return db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Returns the user with this id.
 * @throws {AppError} user_not_found
 */
export async function requireUser(db: Db, id: string): Promise<User> {
  const user = await userById(db, id)
  if (!user) throw new AppError('user_not_found')
  return user
}

/**
 * Returns a user and locks their row until the transaction ends. Every change of credentials starts
 * with this.
 */
export function lockedUser(transaction: Db, id: string): Promise<User | undefined> {
  return transaction.selectFrom('user').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/**
 * Returns users sorted by username, whose username or email address contains `search`: one page, or
 * all without page and limit.
 */
export function listUsers(db: Db, { page = 1, limit, search }: Page): Promise<User[]> {
  const users = matchingUsers(db, search).selectAll().orderBy('usernameKey')
  if (page === 1 && limit === undefined) return users.execute()
  const size = limit ?? 50
  return users
    .limit(size)
    .offset((page - 1) * size)
    .execute()
}

/** Returns how many users have a username or email address that contains `search`. */
export async function countUsers(db: Db, search?: string): Promise<number> {
  const { count } = await matchingUsers(db, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function matchingUsers(db: Db, search = '') {
  const users = db.selectFrom('user')
  if (search === '') return users // counted without reading the rows
  const pattern = `%${escapeLike(nameKey(search))}%`
  return users.where((eb) => eb.or([eb('usernameKey', 'like', pattern), eb('emailKey', 'like', pattern)]))
}

/**
 * Revokes a user's administrator rights and returns whether it did: it never demotes the last
 * administrator. One statement that locks all administrators, so that two who demote each other
 * don't both succeed.
 */
export async function demote(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    with admins as (select id from "user" where is_admin order by id for update)
    update "user" set is_admin = false where id = ${id} and is_admin and (select count(*) from admins) > 1 returning id`.execute(db)
  return rows.length === 1
}

/**
 * Deletes a user and returns whether it did: it never deletes the last administrator. The cascade
 * deletes the shares, and triggers queue the deletion of their bytes. Locks as `demote`.
 */
export async function deleteUser(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    with admins as (select id from "user" where is_admin order by id for update)
    delete from "user" where id = ${id} and ((select count(*) from admins) > 1 or not is_admin) returning id`.execute(db)
  return rows.length === 1
}

/** Returns whether any account exists. */
export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Returns whether any account exists, by a prepared statement. */
export async function hasUsersBy(reader: Reader): Promise<boolean> {
  return (await reader.query('any user', 'select 1 from "user" limit 1', [])).length > 0
}

/**
 * Returns whether the user that this transaction is about to store is the first one. If so, it
 * takes a lock until the transaction ends, so that only one of two concurrent sign-ups is the
 * first.
 */
export async function isFirstUser(transaction: Db): Promise<boolean> {
  if (await hasUsers(transaction)) return false
  await sql`select pg_advisory_xact_lock(hashtext('razorbill first user'))`.execute(transaction)
  return !(await hasUsers(transaction))
}

/**
 * Replaces the hash of an unchanged password. Does nothing if the password was changed meanwhile.
 */
export async function replacePasswordHash(db: Db, id: string, { from, to }: { from: string; to: string }): Promise<void> {
  await db.updateTable('user').set({ passwordHash: to }).where('id', '=', id).where('passwordHash', '=', from).execute()
}
