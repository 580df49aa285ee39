import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Database, Db, ReverseShareTable } from '../../db/schema.ts'

export type ReverseShare = Selectable<ReverseShareTable>

/** A reverse share that is not used up and has not expired, with its owner's name. */
export function usableReverseShare(db: Db, token: string, now: Date): Promise<(ReverseShare & { username: string }) | undefined> {
  return db
    .selectFrom('reverseShare')
    .innerJoin('user', 'user.id', 'reverseShare.ownerId')
    .selectAll('reverseShare')
    .select('user.username')
    .where('token', '=', token)
    .where('uses', '<', sql.ref<number>('max_uses'))
    .where(isUnexpiredLink(now))
    .executeTakeFirst()
}

/** Takes one use; false when none was left. One statement: two senders on two replicas cannot both take the last one. A trigger gives it back. */
export async function consumeUse(db: Db, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ uses: sql`uses + 1` })
    .where('id', '=', id)
    .where('uses', '<', sql.ref<number>('max_uses'))
    .where(isUnexpiredLink(now))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The kinds of files that a reverse share takes; none when it takes every kind, or is gone. */
export async function allowedTypesOf(db: Db, id: string): Promise<string[]> {
  const row = await db.selectFrom('reverseShare').select('allowedTypes').where('id', '=', id).executeTakeFirst()
  return row?.allowedTypes ?? []
}

/** Notes what has arrived, for the next e-mail to the owner; false when they want none. */
export async function recordReceived(db: Db, id: string, link: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ arrivals: sql`array_append(arrivals, ${link})` })
    .where('id', '=', id)
    .where('sendEmailNotification', '=', true)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Records a change for the next e-mail to the owner; false when they want none, or have had none yet about the share at `link`. */
export async function noteChange(db: Db, id: string, link: string, text: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ arrivals: sql`array_append(arrivals, ${text})` })
    .where('id', '=', id)
    .where('sendEmailNotification', '=', true)
    .where('notifiedAt', 'is not', null)
    .where(sql<boolean>`not (${link} = any(arrivals)) and not (${text} = any(arrivals))`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

interface Taking {
  now: Date
  before: Date
  /** Of this reverse share only. */
  id?: string
  limit: number
}

/** Takes what has arrived at up to `limit` reverse shares whose owners had no e-mail about it since `before`. One statement: of two workers one gets it. */
export async function claimReceived(db: Db, { now, before, id, limit }: Taking) {
  const { rows } = await sql<{ email: string; links: string[] }>`
    with due as (
      select id, owner_id, arrivals from reverse_share
      where arrivals <> '{}' and (notified_at is null or notified_at <= ${before}) and (${id ?? null}::uuid is null or id = ${id ?? null})
      limit ${limit} for update skip locked
    ), taken as (
      update reverse_share set arrivals = '{}', notified_at = ${now} from due where reverse_share.id = due.id
    )
    select "user".email, due.arrivals as links from due join "user" on "user".id = due.owner_id`.execute(db)
  return rows
}

/** Links that can still be found: until they expire. */
export function isUnexpiredLink(now: Date) {
  return (eb: ExpressionBuilder<Database, 'reverseShare'>) =>
    eb.or([eb('reverseShare.expiresAt', 'is', null), eb('reverseShare.expiresAt', '>', now)])
}

/** Returns whether there is any reverse share, usable or not. */
export async function anyReverseShare(db: Db): Promise<boolean> {
  return (await db.selectFrom('reverseShare').select('id').limit(1).executeTakeFirst()) !== undefined
}
