import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Database, Db, ReverseShareTable } from '../../db/schema.ts'
import { usedBytes } from '../used-bytes.ts'

export type ReverseShare = Selectable<ReverseShareTable>

/**
 * Returns a reverse share with its owner's name, if it hasn't expired and has uses left. It may be
 * turned off.
 */
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

/**
 * Returns a reverse share that exists but can't be used, and why. `expired` and `used_up` are not
 * codes of errors, because visitors are not shown the difference.
 */
export async function closedReverseShare(
  db: Db,
  token: string,
  now: Date,
): Promise<{ id: string; reason: 'expired' | 'used_up' | 'link_turned_off' } | undefined> {
  const found = await db
    .selectFrom('reverseShare')
    .select(['id', 'expiresAt', 'uses', 'maxUses', 'enabled'])
    .where('token', '=', token)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  if (!found) return undefined
  const { id, expiresAt, uses, maxUses, enabled } = found
  if (expiresAt !== null && expiresAt <= now) return { id, reason: 'expired' }
  if (uses >= maxUses) return { id, reason: 'used_up' }
  return enabled ? undefined : { id, reason: 'link_turned_off' }
}

/** Returns whether a reverse share is turned off. */
export async function isTurnedOff(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('reverseShare').select('enabled').where('id', '=', id).executeTakeFirst()
  return row?.enabled === false
}

/**
 * Locks a reverse share until the transaction ends; false if it was deleted. Without the lock, a
 * concurrent deletion makes the insert of its share fail by the foreign key, or deadlocks with
 * `consumeUse`.
 */
export async function lockReverseShare(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('reverseShare').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  return row !== undefined
}

/**
 * Consumes one use; false if none is left. One statement, so two senders can't both consume the
 * last use. A trigger refunds it.
 */
export async function consumeUse(db: Db, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ uses: sql`uses + 1` })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where('uses', '<', sql.ref<number>('max_uses'))
    .where(isUnexpiredLink(now))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Returns how many bytes a reverse share may receive in total; null if it has no such limit. */
export async function maxTotalOf(db: Db, id: string): Promise<number | null> {
  const row = await db.selectFrom('reverseShare').select('maxTotalSize').where('id', '=', id).executeTakeFirst()
  return row?.maxTotalSize ?? null
}

/**
 * Returns how many bytes the shares use that were received through a reverse share and not adopted.
 * The share `uid` may replace its files.
 */
export async function receivedBytes(db: Db, id: string, uid: string | null = null): Promise<number> {
  const { used } = await db.selectFrom('share').select(usedBytes(uid).as('used')).where('reverseShareId', '=', id).executeTakeFirstOrThrow()
  return used
}

/** Lets transactions that reserve bytes of a reverse share through in turn. */
export async function lockTotal(db: Db, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`total of ${id}`}, 0))`.execute(db)
}

/** Returns the file types that a reverse share accepts; empty if it accepts all, or was deleted. */
export async function allowedTypesOf(db: Db, id: string): Promise<string[]> {
  const row = await db.selectFrom('reverseShare').select('allowedTypes').where('id', '=', id).executeTakeFirst()
  return row?.allowedTypes ?? []
}

/**
 * Records a received share for the next email to the owner; false if the owner has turned off these
 * emails.
 */
export async function recordReceived(db: Db, id: string, link: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ arrivals: sql`array_append(arrivals, ${link})` })
    .where('id', '=', id)
    .where('sendEmailNotification', '=', true)
    .where(hasVerifiedOwner)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Records a change for the next email to the owner. Returns false if the owner has turned off these
 * emails, or hasn't had one about the share at `link` yet.
 */
export async function recordChange(db: Db, id: string, link: string, text: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ arrivals: sql`array_append(arrivals, ${text})` })
    .where('id', '=', id)
    .where('sendEmailNotification', '=', true)
    .where(hasVerifiedOwner)
    .where('notifiedAt', 'is not', null)
    .where(sql<boolean>`not (${link} = any(arrivals)) and not (${text} = any(arrivals))`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

interface ClaimOptions {
  now: Date
  /** Skips reverse shares with an email after this time. */
  before: Date
  /** Claims only those of this reverse share. */
  id?: string
  limit: number
}

/**
 * Claims the recorded shares of up to `limit` reverse shares, without deleted ones, which may be
 * restored. One statement, so only one of two workers gets each.
 */
export async function claimReceived(db: Db, { now, before, id, limit }: ClaimOptions) {
  const { rows } = await sql<{ id: string; email: string; language: string | null; links: string[] }>`
    with due as (
      select id, owner_id, arrivals from reverse_share
      where arrivals <> '{}' and deleted_at is null and (notified_at is null or notified_at <= ${before}) and (${id ?? null}::uuid is null or id = ${id ?? null})
      limit ${limit} for update skip locked
    ), claimed as (
      update reverse_share set arrivals = '{}', notified_at = ${now} from due where reverse_share.id = due.id
    )
    select due.id, "user".email, "user".language, due.arrivals as links from due join "user" on "user".id = due.owner_id where "user".email_verified`.execute(
    db,
  )
  return rows
}

/**
 * Turns off the emails about shares received through a reverse share, also those that wait. Returns
 * false if it was deleted.
 */
export async function turnReceivedNoticesOff(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set({ sendEmailNotification: false, arrivals: sql`'{}'` })
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Returns the names of the senders of shares: as they have entered it, their username or their
 * email address; null for a sender who is not known.
 */
export async function sendersOf(db: Db, ids: readonly string[]): Promise<(string | null)[]> {
  if (ids.length === 0) return [null]
  const senders = await db
    .selectFrom('share')
    .leftJoin('user', 'user.id', 'share.ownerId')
    .select((eb) => eb.fn.coalesce('share.senderName', 'user.username', 'share.senderEmail').as('name'))
    .where('share.id', 'in', ids)
    .orderBy('share.createdAt')
    .execute()
  return senders.map(({ name }) => name)
}

/** Emails are not sent to addresses that their users have not verified. */
function hasVerifiedOwner(eb: ExpressionBuilder<Database, 'reverseShare'>) {
  return eb.exists(
    eb.selectFrom('user').select('user.id').whereRef('user.id', '=', 'reverseShare.ownerId').where('user.emailVerified', '=', true),
  )
}

/** Selects reverse shares that haven't expired. */
export function isUnexpiredLink(now: Date) {
  return (eb: ExpressionBuilder<Database, 'reverseShare'>) =>
    eb.or([eb('reverseShare.expiresAt', 'is', null), eb('reverseShare.expiresAt', '>', now)])
}

/** Whether any reverse share exists, usable or not. */
export async function anyReverseShare(db: Db): Promise<boolean> {
  return (await db.selectFrom('reverseShare').select('id').limit(1).executeTakeFirst()) !== undefined
}
