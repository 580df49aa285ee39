import { sql } from 'kysely'
import type { SentRange } from '../../activity/queries.ts'
import type { Db } from '../../db/schema.ts'
import { hiddenValues } from '../../shares/deletion/queries.ts'
import { linkTable, type ShareAccess } from '../queries.ts'

type Link = Pick<ShareAccess, 'uid' | 'linkUid'>

/** Milliseconds after the last byte until an unfinished download no longer uses up a limit. */
export const leaseDuration = 120_000

// Leases are kept in the row of the link, so that one update decides, and are timed by the database,
// so that the clocks of replicas don't matter. `idle`: no bytes flow now.
const nowMs = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const isLive = sql`(value->>'until')::bigint > ${nowMs}`
const liveLeases = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(download_leases) where ${isLive})`
const leaseOf = (visitor: string, idle: boolean) =>
  sql`jsonb_build_object(${visitor}::text, jsonb_build_object('until', ${nowMs} + ${sql.lit(leaseDuration)}, 'idle', ${idle}::boolean))`

/**
 * Reserves one download of a link for a visitor, or extends the visitor's lease. Without `resumes`,
 * a visitor whose bytes are flowing gets none, because it may be another one behind the same
 * address. Returns false if no download is left or none is free now.
 */
export async function reserveDownload(db: Db, link: Link, visitor: string, resumes: boolean): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update ${linkTable(link)} set download_leases = ${liveLeases} || ${leaseOf(visitor, false)}
    where uid = ${link.linkUid} and (
      max_downloads is null
      or case when ${liveLeases} ? ${visitor}::text
        then ${resumes}::boolean or (download_leases->${visitor}::text->>'idle')::boolean
        else downloads + (select count(*) from jsonb_each(download_leases) where ${isLive}) < max_downloads end)`.execute(db)
  return numAffectedRows === 1n
}

/** Extends a visitor's lease while bytes flow. */
export async function renewLease(db: Db, link: Link, visitor: string): Promise<void> {
  await sql`
    update ${linkTable(link)} set download_leases = download_leases || ${leaseOf(visitor, false)}
    where uid = ${link.linkUid} and download_leases ? ${visitor}::text`.execute(db)
}

/** Keeps a visitor's lease for a while, in which an interrupted download can be resumed. */
export async function idleLease(db: Db, link: Link, visitor: string): Promise<void> {
  await sql`
    update ${linkTable(link)} set download_leases = download_leases || ${leaseOf(visitor, true)}
    where uid = ${link.linkUid} and download_leases ? ${visitor}::text`.execute(db)
}

/** Ends a visitor's lease without counting a download. */
export async function releaseLease(db: Db, link: Link, visitor: string): Promise<void> {
  await sql`
    update ${linkTable(link)} set download_leases = download_leases - ${visitor}::text where uid = ${link.linkUid}`.execute(db)
}

/**
 * Counts the download of a visitor who has a lease, and ends the lease. Returns false if the visitor
 * has none, because another file of the same download was complete before.
 */
export async function commitDownload(db: Db, link: Link, visitor: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update ${linkTable(link)}
    set download_leases = download_leases - ${visitor}::text, downloads = least(downloads::bigint + 1, 2147483647)::integer
    where uid = ${link.linkUid} and download_leases ? ${visitor}::text`.execute(db)
  return numAffectedRows === 1n
}

/** Marks the file or zip whose completion has used up one download. */
export async function markUse(db: Db, id: number): Promise<void> {
  await db.updateTable('download').set({ usesLimit: true }).where('id', '=', id).execute()
}

/** What a link has left for downloads. */
export interface Remaining {
  /** Whether all downloads are used up. */
  isUsed: boolean
  /** Seconds until the next lease can end. */
  freeIn: number
}

/** Returns what a link has left for downloads; undefined if the link was deleted. */
export async function remainingDownloads(db: Db, link: Link): Promise<Remaining | undefined> {
  const { rows } = await sql<Remaining>`
    select max_downloads is not null and downloads >= max_downloads as is_used,
      greatest(1, ceil(coalesce((select min((value->>'until')::bigint) from jsonb_each(download_leases) where ${isLive}) - ${nowMs}, 0)
        / 1000.0))::integer as free_in
    from ${linkTable(link)} where uid = ${link.linkUid}`.execute(db)
  return rows[0]
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
      select item, is_zip, uses_limit, complete_at from download
      where share_uid = ${uid} and link_uid = ${linkUid} and visitor = ${visitor} and complete_at is not null
    )
    select (select count(*) from received where uses_limit)::integer as uses,
      ((select count(*) from received where is_zip) + coalesce((
        select max(times) from (
          select count(*) as times from received where not is_zip and (${isZip}::boolean or item = ${item}) group by item
        ) each), 0))::integer as times,
      exists(select from received where item = ${item} and complete_at > now() - interval '2 minutes') as is_recent`.execute(db)
  return rows[0] ?? { uses: 0, times: 0, isRecent: false }
}

/**
 * Deletes a share whose links have no download left, if its owner wants that and the visitor has
 * received all of it. The owner can undo it for 30 seconds. Returns whether it was deleted.
 */
export async function deleteUsedUp(db: Db, { uid }: Link, visitor: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set((eb) => ({ ...hiddenValues(now), deletedBy: eb.ref('ownerId') }))
    .where('uid', '=', uid)
    .where(isUsedUp(now))
    .where(
      sql<boolean>`(exists(select from download where share_uid = share.uid and visitor = ${visitor} and is_zip and complete_at is not null)
        or not exists(select from file where share_id = share.id and published and not exists(
          select from download where share_uid = share.uid and visitor = ${visitor} and item = file.id::text and complete_at is not null)))`,
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes such shares of which nothing was downloaded since `before`. Returns their number. */
export async function deleteUsedUpShares(db: Db, { now, before }: { now: Date; before: Date }): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set((eb) => ({ ...hiddenValues(now), deletedBy: eb.ref('ownerId') }))
    .where(isUsedUp(now))
    .where(sql<boolean>`not exists(select from download where share_uid = share.uid and updated_at > ${before})`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Selects shares to delete after the last download, which no link has left. */
function isUsedUp(now: Date) {
  return sql<boolean>`(delete_after_downloads and deleted_at is null and completed_at is not null
    and (max_downloads <= downloads or not link_enabled)
    and not exists(select from share_link link where link.share_id = share.id and link.enabled
      and (link.expires_at is null or link.expires_at > ${now}) and (link.max_downloads is null or link.downloads < link.max_downloads))
    and (max_downloads is not null or exists(select from share_link link where link.share_id = share.id and link.max_downloads <= link.downloads)))`
}

/** Returns the uids of those of these links that were turned off or deleted. */
export async function closedLinks(db: Db, links: readonly Link[]): Promise<string[]> {
  const { rows } = await sql<{ linkUid: string }>`
    select running."linkUid" as link_uid from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as running(uid uuid, "linkUid" uuid)
    join share on share.uid = running.uid
    left join share_link on share_link.uid = running."linkUid"
    where not coalesce(case when running.uid = running."linkUid" then share.link_enabled else share_link.enabled end, false)`.execute(db)
  return rows.map(({ linkUid }) => linkUid)
}
