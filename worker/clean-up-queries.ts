import { sql } from 'kysely'
import type { Db } from '../src/db/schema.ts'

// Each deletes up to `limit` rows and answers how many; rows that another clean-up is deleting are left to it. Triggers note the bytes that must follow.

/** Shares whose time is over. */
export async function deleteExpiredShares(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('share')
    .where('id', 'in', (eb) => eb.selectFrom('share').select('id').where('expiresAt', '<=', now).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Links for sending whose time is over; what came through them and lives longer stays. */
export async function deleteExpiredReverseShares(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('reverseShare')
    .where('id', 'in', (eb) =>
      eb.selectFrom('reverseShare').select('id').where('expiresAt', '<=', now).limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Shares that were never completed and have not seen a byte since `before`. */
export async function deleteAbandonedShares(db: Db, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('share')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('share')
        .select('id')
        .where('completedAt', 'is', null)
        .where('activeAt', '<', before)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Files that were never completed, of completed shares that have not seen a byte since `before`; gives their size back to the share's quota. */
export async function deleteAbandonedFiles(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    with gone as (
      delete from file where id in (
        select file.id from file join share on share.id = file.share_id
        where file.completed_at is null and share.completed_at is not null and share.active_at < ${before}
        limit ${limit} for update skip locked
      ) returning share_id, size
    ), given_back as (
      update share set reserved = greatest(0, reserved - freed.size)
      from (select share_id, sum(size)::bigint as size from gone group by share_id) freed where share.id = freed.share_id
    )
    select count(*)::integer as files from gone`.execute(db)
  return rows[0]?.files ?? 0
}

/** Sessions that have expired. */
export async function deleteEndedSessions(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('id', 'in', (eb) => eb.selectFrom('session').select('id').where('expiresAt', '<=', now).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Counters of tries whose window is over. */
export async function deleteExpiredAttempts(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('rateLimit')
    .where('key', 'in', (eb) =>
      eb.selectFrom('rateLimit').select('key').where('expire', '<=', now.getTime()).limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** What is good for minutes or days only and has run out, of one kind: the tokens of half-done sign-ins, links to new passwords, challenges for passkeys. */
export async function deleteOldTokens(
  db: Db,
  table: 'loginToken' | 'passwordToken' | 'passkeyChallenge',
  before: Date,
  limit: number,
): Promise<number> {
  const key = table === 'passkeyChallenge' ? 'challengeHash' : 'tokenHash'
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where(key, 'in', (eb) => eb.selectFrom(table).select(key).where('expiresAt', '<=', before).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}
