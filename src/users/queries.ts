import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, UserTable } from '../db/schema.ts'
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

/** The user of this username or e-mail address; a username holds no `@`, so that at most one is found. */
export function userByLogin(db: Db, login: string): Promise<User | undefined> {
  const key = nameKey(login)
  return db
    .selectFrom('user')
    .selectAll()
    .where((eb) => eb.or([eb('usernameKey', '=', key), eb('emailKey', '=', key)]))
    .executeTakeFirst()
}

export function userById(db: Db, id: string): Promise<User | undefined> {
  return db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function anyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Whether the user that this transaction is going to store is the first one. When so, others that ask wait until the transaction has ended: of two
 * first sign-ups at the same time, one is told true.
 */
export async function isFirstUser(transaction: Db): Promise<boolean> {
  if (await anyUser(transaction)) return false
  await sql`select pg_advisory_xact_lock(hashtext('razorbill first user'))`.execute(transaction)
  return !(await anyUser(transaction))
}
