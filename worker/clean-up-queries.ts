import { sql } from 'kysely'
import type { Db } from '../src/db/schema.ts'
import type { Grace } from '../src/shares/deletion/grace.ts'
import { isOver, isShareOver } from '../src/shares/deletion/queries.ts'

// Each function deletes up to `limit` rows and returns their number. Rows that another clean-up is
// deleting are skipped. Triggers schedule the objects for removal.

/** Deletes shares that have expired or were deleted, and can be neither reopened nor restored. */
export async function deleteExpiredShares(db: Db, grace: Grace, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('share')
    .where('id', 'in', (eb) => eb.selectFrom('share').select('id').where(isShareOver(grace)).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Deletes reverse shares that have expired or were deleted, and can't be restored. Shares received
 * through them remain.
 */
export async function deleteExpiredReverseShares(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('reverseShare')
    .where('id', 'in', (eb) => eb.selectFrom('reverseShare').select('id').where(isOver(now)).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes shares that were never completed and have had no upload activity since `before`. */
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

/**
 * Deletes unfinished files of completed shares without upload activity since `before`, and releases
 * their reserved size.
 */
export async function deleteAbandonedFiles(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    with deleted as (
      delete from file where id in (
        select file.id from file join share on share.id = file.share_id
        where file.completed_at is null and share.completed_at is not null and share.active_at < ${before}
        limit ${limit} for update skip locked
      ) returning share_id, size
    ), released as (
      update share set reserved = greatest(0, reserved - freed.size)
      from (select share_id, sum(size)::bigint as size from deleted group by share_id) freed where share.id = freed.share_id
    )
    select count(*)::integer as files from deleted`.execute(db)
  return rows[0]?.files ?? 0
}

/** Deletes sessions that have expired. */
export async function deleteEndedSessions(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('id', 'in', (eb) => eb.selectFrom('session').select('id').where('expiresAt', '<=', now).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes counters of attempts whose window has ended. */
export async function deleteExpiredAttempts(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('rateLimit')
    .where('key', 'in', (eb) =>
      eb.selectFrom('rateLimit').select('key').where('expire', '<=', now.getTime()).limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

const tokenKeys = {
  loginToken: 'tokenHash',
  passwordToken: 'tokenHash',
  emailToken: 'tokenHash',
  passkeyChallenge: 'challengeHash',
  emailCode: 'linkUid',
} as const

/**
 * Deletes tokens that expired before `before`: unfinished sign-ins, password and email links,
 * passkey challenges, codes by email.
 */
export async function deleteOldTokens(db: Db, table: keyof typeof tokenKeys, before: Date, limit: number): Promise<number> {
  const key = tokenKeys[table]
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where(key, 'in', (eb) => eb.selectFrom(table).select(key).where('expiresAt', '<=', before).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes activity, or downloads, that were last recorded before `before`. */
export async function deleteOldRecords(db: Db, table: 'activity' | 'download', before: Date, limit: number): Promise<number> {
  const time = table === 'activity' ? 'at' : 'updatedAt'
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('id', 'in', (eb) => eb.selectFrom(table).select('id').where(sql.ref(time), '<', before).limit(limit).forUpdate().skipLocked())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes what recipients have opened and downloaded. */
export async function deleteRecipientActivity(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from recipient_download where ctid = any(array(select ctid from recipient_download limit ${limit} for update skip locked)) returning 1
    ), unopened as (
      update share_recipient set opened_at = null
      where id in (select id from share_recipient where opened_at is not null limit ${limit} for update skip locked) returning 1
    )
    select greatest((select count(*) from deleted), (select count(*) from unopened))::integer as count`.execute(db)
  return rows[0]?.count ?? 0
}
