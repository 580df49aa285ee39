import { type Insertable, sql } from 'kysely'
import type { Db, ReverseShareTable } from '../db/schema.ts'
import type { SharedFile } from '../shares/contract.ts'
import { filesOf } from '../shares/queries.ts'
import { type ReverseShare, unexpiredLink } from '../shares/reverse-queries.ts'

/** Inserts a reverse share; undefined when its link is taken. The link of one that has expired is free. One statement decides: of many at once one gets it. */
export async function insertReverseShare(db: Db, row: Insertable<ReverseShareTable>, now: Date): Promise<ReverseShare | undefined> {
  await db.deleteFrom('reverseShare').where('token', '=', row.token).where('expiresAt', '<=', now).execute()
  return db
    .insertInto('reverseShare')
    .values(row)
    .onConflict((conflict) => conflict.column('token').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Whether a link leads to a reverse share, used up or not. */
export async function isTokenTaken(db: Db, token: string, now: Date): Promise<boolean> {
  const row = await db.selectFrom('reverseShare').select('id').where('token', '=', token).where(unexpiredLink(now)).executeTakeFirst()
  return row !== undefined
}

/** A user's reverse shares that have not expired, newest first. */
export function reverseSharesOf(db: Db, ownerId: string, now: Date): Promise<ReverseShare[]> {
  return db
    .selectFrom('reverseShare')
    .selectAll()
    .where('ownerId', '=', ownerId)
    .where(unexpiredLink(now))
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
}

/** What has come through a user's reverse shares and was not taken over: completed shares, newest first. */
export function receivedShares(db: Db, receiverId: string, now: Date) {
  return db
    .selectFrom('share')
    .select(['id', 'reverseShareId', 'name', 'description', 'expiresAt', 'createdAt', 'completedAt', 'size', 'views'])
    .select(['senderName', 'senderEmail', 'senderMessage'])
    .select((eb) => [
      eb.selectFrom('user').select('username').whereRef('user.id', '=', 'share.ownerId').as('username'),
      filesOf(eb).as('files'),
    ])
    .where('receiverId', '=', receiverId)
    .where('completedAt', 'is not', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .orderBy('completedAt', 'desc')
    .orderBy('id')
    .$narrowType<{ completedAt: Date; files: SharedFile[] }>()
    .execute()
}

export function reverseShareById(db: Db, id: string): Promise<ReverseShare | undefined> {
  return db.selectFrom('reverseShare').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Deletes a reverse share with all that came through it; false when it was gone. In a transaction. Shares before their link, as whatever else deletes shares
 * locks them; then once more those that came while the link was waited for.
 */
export async function deleteReverseShare(db: Db, id: string): Promise<boolean> {
  const deleteShares = () => db.deleteFrom('share').where('reverseShareId', '=', id).execute()
  await deleteShares()
  await sql`select id from reverse_share where id = ${id} for update`.execute(db)
  await deleteShares()
  const { numDeletedRows } = await db.deleteFrom('reverseShare').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
