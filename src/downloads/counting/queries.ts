import { type RawBuilder, sql } from 'kysely'
import type { SentRange } from '../../activity/queries.ts'
import type { Db } from '../../db/schema.ts'
import { hiddenValues } from '../../shares/deletion/queries.ts'
import type { ShareAccess } from '../queries.ts'

type Link = Pick<ShareAccess, 'uid' | 'linkUid'>

/**
 * Ends a range of a limited file or zip. It is used up once all but a small rest was sent: 1 % or
 * 64 KiB, whichever is more, but at most half. The rest can still be fetched, until about twice the
 * size was sent. Returns whether the download is closed, so that the next byte belongs to another
 * one; undefined if it isn't used up.
 */
export async function endRange(db: Db, id: number): Promise<boolean | undefined> {
  const nearlyAll = sql`size - least(greatest(size / 100, 65536), size / 2)`
  const { rows } = await sql<{ isClosed: boolean }>`
    update download
    set complete_at = coalesce(complete_at, case when bytes_sent >= 2 * (${nearlyAll}) then updated_at end)
    where id = ${id} and (complete_at is not null
      or (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(ranges) as part) >= ${nearlyAll})
    returning complete_at is not null as is_closed`.execute(db)
  return rows[0]?.isClosed
}

/** Marks the file or zip that has used up one download. */
export async function markUse(db: Db, id: number): Promise<void> {
  await db.updateTable('download').set({ usesLimit: true }).where('id', '=', id).execute()
}

/** What a visitor has received under a limit. */
export interface Received {
  /** How many downloads of the limit the visitor has used up. */
  uses: number
  /** How often the visitor has received this file or zip, alone or in a zip. */
  times: number
  /** Whether the visitor received it so recently that the end may not have arrived. */
  isRecent: boolean
}

/** Returns what a visitor has received of a link under a limit. A zip counts for all files. */
export async function receivedBy(
  db: Db,
  { uid, linkUid }: Link,
  { visitor, item, isZip }: Pick<SentRange, 'visitor' | 'item' | 'isZip'>,
): Promise<Received> {
  const { rows } = await sql<Received>`
    with received as (
      select item, is_zip, complete_at from download
      where share_uid = ${uid} and link_uid = ${linkUid} and visitor = ${visitor} and complete_at is not null
    )
    select (select count(*) from download
        where share_uid = ${uid} and link_uid = ${linkUid} and visitor = ${visitor} and uses_limit)::integer as uses,
      ((select count(*) from received where is_zip) + coalesce((
        select max(times) from (
          select count(*) as times from received where not is_zip and (${isZip}::boolean or item = ${item}) group by item
        ) each), 0))::integer as times,
      exists(select from received where item = ${item} and complete_at > now() - interval '2 minutes') as is_recent`.execute(db)
  return rows[0] ?? { uses: 0, times: 0, isRecent: false }
}

/** Returns whether a visitor has used up a download of a link under its limit. */
export async function hasUsedDownload(db: Db, { uid, linkUid }: Link, visitor: string): Promise<boolean> {
  const use = db.selectFrom('download').select('id').where('shareUid', '=', uid).where('linkUid', '=', linkUid)
  return (await use.where('visitor', '=', visitor).where('usesLimit', '=', true).limit(1).executeTakeFirst()) !== undefined
}

/** Milliseconds after the last byte in which a share is kept for a visitor who lacks files. */
const activeFor = 3_600_000

/** Keeps a share for a visitor who has used up a download, while bytes flow. */
export async function keepForVisitor(db: Db, { uid, linkUid }: Link, visitor: string, now: Date): Promise<void> {
  await sql`
    update download set updated_at = ${now} where id = (
      select max(id) from download where share_uid = ${uid} and link_uid = ${linkUid} and visitor = ${visitor} and uses_limit)`.execute(db)
}

/** Selects whether a visitor has received all files of the row of `share`. */
const hasAll = (visitor: RawBuilder<unknown>) => sql`(
  exists(select from download had where had.share_uid = share.uid and had.visitor = ${visitor} and had.is_zip and had.complete_at is not null)
  or not exists(select from file where share_id = share.id and published and not exists(
    select from download had
    where had.share_uid = share.uid and had.visitor = ${visitor} and had.item = file.id::text and had.complete_at is not null)))`

/**
 * Deletes a share whose links have no download left, if its owner wants that, the visitor has
 * received all of it, and no other one who has used up a download lacks files and was active in the
 * last hour. The owner can undo it for 30 seconds. Returns whether it was deleted.
 */
export async function deleteUsedUp(db: Db, { uid }: Link, visitor: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set(usedUpValues(now))
    .where('uid', '=', uid)
    .where(isUsedUp(now))
    .where(sql<boolean>`${hasAll(sql`${visitor}`)}`)
    .where(
      sql<boolean>`not exists(
        select from (select download.visitor from download where share_uid = share.uid and download.visitor <> ${visitor}
          group by download.visitor having bool_or(uses_limit) and max(updated_at) > ${new Date(now.getTime() - activeFor)}) other
        where not ${hasAll(sql`other.visitor`)})`,
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes such shares of which nothing was downloaded since `before`. Returns their number. */
export async function deleteUsedUpShares(db: Db, { now, before }: { now: Date; before: Date }): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set(usedUpValues(now))
    .where(isUsedUp(now))
    .where(sql<boolean>`not exists(select from download where share_uid = share.uid and updated_at > ${before})`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The values that hide a share until the one who received or sent it undoes that. */
function usedUpValues(now: Date) {
  return { ...hiddenValues(now), deletedBy: sql<string | null>`coalesce(receiver_id, owner_id)` }
}

/** Selects shares to delete after the last download, which no link has left. */
function isUsedUp(now: Date) {
  return sql<boolean>`(delete_after_downloads and deleted_at is null and completed_at is not null
    and (max_downloads <= downloads or not link_enabled)
    and not exists(select from share_link link where link.share_id = share.id and link.enabled
      and (link.expires_at is null or link.expires_at > ${now}) and (link.max_downloads is null or link.downloads < link.max_downloads))
    and (max_downloads is not null or exists(select from share_link link where link.share_id = share.id and link.max_downloads <= link.downloads)))`
}

/**
 * Returns the ids of those of these links that were turned off, replaced or deleted, or whose share
 * was removed.
 */
export async function closedLinks(db: Db, links: readonly (Link & Pick<ShareAccess, 'linkId'>)[]): Promise<string[]> {
  const { rows } = await sql<{ linkId: string }>`
    select running."linkId" as link_id
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as running(uid uuid, "linkUid" uuid, "linkId" text)
    join share on share.uid = running.uid
    left join share_link on share_link.uid = running."linkUid" and share_link.id = running."linkId"
    where share.removed_reason is not null
      or not coalesce(case when running.uid = running."linkUid" then share.link_enabled else share_link.enabled end, false)`.execute(db)
  return rows.map(({ linkId }) => linkId)
}
