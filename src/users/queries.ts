import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, UserTable } from '../db/schema.ts'
import type { Page } from './contract.ts'
import { nameKey } from './keys.ts'

export type User = Selectable<UserTable>
export type NewUser = Omit<Insertable<UserTable>, 'usernameKey' | 'emailKey'>

/** Stores a user. A username or an address that differs from another user's only in case or Unicode form violates a unique constraint. */
export function insertUser(db: Db, user: NewUser): Promise<User> {
  const keys = { usernameKey: nameKey(user.username), emailKey: nameKey(user.email) }
  return db
    .insertInto('user')
    .values({ ...user, ...keys })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes what a user is called, and may do; as for a new one, names are unique. Undefined when there is no such user. */
export function updateUser(
  db: Db,
  id: string,
  { username, email, isAdmin }: Pick<Updateable<UserTable>, 'username' | 'email' | 'isAdmin'>,
) {
  const changes = {
    ...(username !== undefined && { username, usernameKey: nameKey(username) }),
    ...(email !== undefined && { email, emailKey: nameKey(email) }),
    ...(isAdmin !== undefined && { isAdmin }),
  }
  if (Object.keys(changes).length === 0) return userById(db, id)
  return db.updateTable('user').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
}

/** The user of this username or e-mail address; a username holds no `@`, so that at most one is found. */
export function userByLogin(db: Db, login: string): Promise<User | undefined> {
  const key = nameKey(login)
  return db
    .selectFrom('user')
    .selectAll()
    .where((eb) => eb.or([eb('usernameKey', '=', key), eb('emailKey', '=', key)]))
    .executeTakeFirst()
}

export function userByEmail(db: Db, email: string): Promise<User | undefined> {
  return db.selectFrom('user').selectAll().where('emailKey', '=', nameKey(email)).executeTakeFirst()
}

export function userById(db: Db, id: string): Promise<User | undefined> {
  return db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A user as they are now, and stay until the transaction has ended. Whoever changes how an account is signed in to begins with this. */
export function lockedUser(transaction: Db, id: string): Promise<User | undefined> {
  return transaction.selectFrom('user').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** Users by name, those whose name or address holds `search`; a page of them, or all. */
export function listUsers(db: Db, { page = 1, limit, search }: Page): Promise<User[]> {
  const users = found(db, search).selectAll().orderBy('usernameKey')
  if (page === 1 && limit === undefined) return users.execute()
  const size = limit ?? 50
  return users
    .limit(size)
    .offset((page - 1) * size)
    .execute()
}

export async function countUsers(db: Db, search?: string): Promise<number> {
  const { count } = await found(db, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function found(db: Db, search = '') {
  const pattern = `%${nameKey(search).replace(/[\\%_]/g, '\\$&')}%`
  return db.selectFrom('user').where((eb) => eb.or([eb('usernameKey', 'like', pattern), eb('emailKey', 'like', pattern)]))
}

/**
 * Takes the administrator's rights from a user; false when they have none, or are the last to have them. One statement, which locks all administrators:
 * of two that demote each other at the same time one stays.
 */
export async function demote(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    with admins as (select id from "user" where is_admin order by id for update)
    update "user" set is_admin = false where id = ${id} and is_admin and (select count(*) from admins) > 1 returning id`.execute(db)
  return rows.length === 1
}

/** Deletes a user; their shares follow by the cascade, the bytes by the triggers. False when there is none, or they are the last administrator. As `demote`. */
export async function deleteUser(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    with admins as (select id from "user" where is_admin order by id for update)
    delete from "user" where id = ${id} and ((select count(*) from admins) > 1 or not is_admin) returning id`.execute(db)
  return rows.length === 1
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Whether the user that this transaction is going to store is the first one. When so, others that ask wait until the transaction has ended: of two
 * first sign-ups at the same time, one is told true.
 */
export async function isFirstUser(transaction: Db): Promise<boolean> {
  if (await hasUsers(transaction)) return false
  await sql`select pg_advisory_xact_lock(hashtext('razorbill first user'))`.execute(transaction)
  return !(await hasUsers(transaction))
}
