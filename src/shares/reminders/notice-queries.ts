import { sql } from 'kysely'
import { downloadsOf, hasFetchedAll, publishedFiles } from '../../activity/fetched.ts'
import type { Db } from '../../db/schema.ts'
import type { Share } from '../queries.ts'
import type { Claim } from './queries.ts'

/**
 * Records up to `limit` shares whose senders want emails about downloads and whose recipients, at
 * least two, have all downloaded everything, and returns them. Each is returned once.
 */
export function claimFetchedByAll(db: Db, { now, limit }: Claim): Promise<Share[]> {
  const due = db
    .selectFrom('share')
    .select('uid')
    .where('deletedAt', 'is', null)
    .where('ownerId', 'is not', null)
    .where('receiverId', 'is', null)
    .where('everyoneNotifiedAt', 'is', null)
    .where(sql<boolean>`notify <> 'none'`)
    .where(sql<boolean>`(select count(*) from share_recipient where share_id = share.id) >= 2`)
    .where(
      sql<boolean>`not exists(
        select from share_recipient, ${publishedFiles} files, ${downloadsOf('complete')} got
        where share_recipient.share_id = share.id and not ${hasFetchedAll('complete')})`,
    )
    .orderBy(sql`random()`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db.updateTable('share').set({ everyoneNotifiedAt: now }).where('uid', 'in', due).returningAll().execute()
}

/** Lets the email that all recipients have downloaded a share be written later. */
export async function postponeFetchedByAll(db: Db, { uid }: Share): Promise<void> {
  await db.updateTable('share').set({ everyoneNotifiedAt: null }).where('uid', '=', uid).execute()
}

/**
 * Records up to `limit` shares with downloads that their senders want to be notified of, and returns
 * them as they were before. Skips shares that were reported since `before`. Call it in a
 * transaction.
 */
export async function claimNotices(db: Db, { now, before, limit }: Claim & { before: Date }): Promise<Share[]> {
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
