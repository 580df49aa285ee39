import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { type Grace, hasLink, isInGrace } from '../deletion/grace.ts'
import type { Share } from '../queries.ts'

/**
 * Records that a visitor asks to reopen an expired share. Returns the share, or undefined if that
 * was asked since `before`.
 */
export function claimRequest(db: Db, id: string, grace: Grace, before: Date): Promise<Share | undefined> {
  return db
    .updateTable('share')
    .set({ askedAt: grace.now })
    .where(hasLink(id))
    .where(isInGrace(grace))
    .where((eb) => eb.or([eb('askedAt', 'is', null), eb('askedAt', '<=', before)]))
    .returningAll()
    .executeTakeFirst()
}

const hour = 3_600_000 // ms

/**
 * Records up to `limit` shares of accounts that no one has downloaded and that expire within `hours`,
 * and returns them. Each is returned once for each of its expirations, and never if it was
 * completed or extended within these hours.
 */
export function claimReminders(db: Db, { now, hours, limit }: { now: Date; hours: number; limit: number }): Promise<Share[]> {
  const due = db
    .selectFrom('share')
    .select('uid')
    .where('completedAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .where('removedReason', 'is', null)
    .where('private', '=', false)
    .where('ownerId', 'is not', null)
    .where('receiverId', 'is', null)
    .where('downloads', '=', 0)
    .where(
      sql<boolean>`(not exists(select from share_link where share_id = share.id and share_link.downloads > 0)
        and not exists(select from activity
          where share_uid = share.uid and (activity.kind in ('downloaded', 'handed-out') or (activity.kind = 'opened' and share.kind = 'text'))))`,
    )
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', new Date(now.getTime() + hours * hour))
    .where(sql<boolean>`active_at < expires_at - ${hours} * interval '1 hour'`)
    .where(sql<boolean>`reminded_of is distinct from expires_at`)
    .orderBy(sql`random()`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .updateTable('share')
    .set((eb) => ({ remindedOf: eb.ref('expiresAt') }))
    .where('uid', 'in', due)
    .returningAll()
    .execute()
}

/** Lets a share that was claimed be reminded of later. */
export async function postponeReminder(db: Db, { uid }: Share): Promise<void> {
  await db.updateTable('share').set({ remindedOf: null }).where('uid', '=', uid).execute()
}

/** Returns the addresses of a share's recipients. */
export async function recipientEmails(db: Db, shareId: string): Promise<string[]> {
  const rows = await db.selectFrom('shareRecipient').select('email').where('shareId', '=', shareId).orderBy('email').execute()
  return rows.map(({ email }) => email)
}

/**
 * Records up to `limit` shares with downloads that their senders want to be notified of, and returns
 * them as they were before. Skips shares that were reported since `before`. Call it in a
 * transaction.
 */
export async function claimNotices(db: Db, { now, before, limit }: { now: Date; before: Date; limit: number }): Promise<Share[]> {
  const due = await db
    .selectFrom('share')
    .selectAll()
    .where('deletedAt', 'is', null)
    .where('ownerId', 'is not', null)
    .where('receiverId', 'is', null)
    .where(
      sql<boolean>`(notify <> 'none' and (notified_until is null or (notify = 'every' and notified_until <= ${before}))
        and exists(select from download_notice where share_uid = share.uid))`,
    )
    .orderBy(sql`random()`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  const uids = due.map(({ uid }) => uid)
  if (uids.length > 0) await db.updateTable('share').set({ notifiedUntil: now }).where('uid', 'in', uids).execute()
  return due
}

/** Lets the first notice of a share be written later. What is to be reported is kept. */
export async function postponeNotice(db: Db, { uid, notifiedUntil }: Share): Promise<void> {
  await db.updateTable('share').set({ notifiedUntil }).where('uid', '=', uid).where('notify', '=', 'first').execute()
}

export interface Downloaded {
  isZip: boolean
  isHandedOut: boolean
  /** null for a zip. */
  file: string | null
  /** All files that were downloaded, or handed out, as this one was. */
  total: number
}

/** Deletes the unreported downloads of a share, and returns up to 100 of them, files before zips. */
export async function takeDownloaded(db: Db, uid: string): Promise<Downloaded[]> {
  const { rows } = await sql<Downloaded>`
    with taken as (delete from download_notice where share_uid = ${uid} returning item = '' as is_zip, is_handed_out, file)
    select *, count(*) over (partition by is_handed_out)::integer as total from taken order by is_zip, file, is_handed_out limit 100`.execute(
    db,
  )
  return rows
}

/** Deletes what no one wants to be notified of any more. */
export async function deleteUnwantedNotices(db: Db): Promise<void> {
  await sql`
    delete from download_notice using share
    where share.uid = share_uid and (notify = 'none' or (notify = 'first' and notified_until is not null))`.execute(db)
}

/** Turns off the emails about downloads of a share. Returns false if it was deleted. */
export async function turnNoticesOff(db: Db, uid: string): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('share').set({ notify: 'none' }).where('uid', '=', uid).executeTakeFirst()
  return numUpdatedRows > 0n
}
