import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { linkTable, type ShareAccess } from '../queries.ts'

type Link = Pick<ShareAccess, 'uid' | 'linkUid'>

/** One response to a visitor under a limit. */
export interface Transfer {
  id: string
  visitor: string
  /** The id of the file, or the validator of the zip. */
  item: string
  isZip: boolean
}

/** Milliseconds after the last byte until an unfinished download no longer uses up a limit. */
export const leaseDuration = 120_000

// Leases are kept in the row of the link, so that one update decides, and are timed by the database,
// so that the clocks of replicas don't matter. A lease has the id of its transfer as its key while
// bytes flow, and after that the visitor, who can resume. The leases of a visitor reserve one
// download together.
const nowMs = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const isLive = sql`(value->>'until')::bigint > ${nowMs}`
const liveLeases = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(download_leases) where ${isLive})`
const isOf = (visitor: string) => sql`${isLive} and value->>'visitor' = ${visitor}::text`
const leaseOf = (key: string, visitor: string, file: string | null) =>
  sql`jsonb_build_object(${key}::text, jsonb_build_object('visitor', ${visitor}::text, 'until', ${nowMs} + ${sql.lit(leaseDuration)}, 'file', ${file}::text))`
const runningLease = ({ id, visitor, item, isZip }: Transfer) => leaseOf(id, visitor, isZip ? null : item)

/**
 * Reserves one download of a link for a visitor, or lets a transfer join the visitor's reservation.
 * A visitor without a name joins none whose bytes are flowing, because it may be another one behind
 * the same address. Returns false if no download is left or none is free now.
 */
export async function reserveDownload(db: Db, link: Link, transfer: Transfer, isNamed: boolean): Promise<boolean> {
  const { visitor } = transfer
  const { numAffectedRows = 0n } = await sql`
    update ${linkTable(link)} set download_leases = ${liveLeases} || ${runningLease(transfer)}
    where uid = ${link.linkUid} and (
      max_downloads is null
      or case when exists(select from jsonb_each(download_leases) where ${isOf(visitor)})
        then downloads < max_downloads
          and (${isNamed}::boolean or not exists(select from jsonb_each(download_leases) where ${isOf(visitor)} and key <> ${visitor}::text))
        else downloads + (select count(distinct value->>'visitor') from jsonb_each(download_leases) where ${isLive}) < max_downloads end)`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** Extends the lease of a transfer while bytes flow. */
export async function renewLease(db: Db, link: Link, transfer: Transfer): Promise<void> {
  await changeLeases(db, link, transfer, sql`download_leases = download_leases || ${runningLease(transfer)}`)
}

/** Ends the lease of a transfer, and keeps the reservation for a while, in which the visitor can resume. */
export async function idleLease(db: Db, link: Link, transfer: Transfer): Promise<void> {
  const { id, visitor } = transfer
  await changeLeases(db, link, transfer, sql`download_leases = (download_leases - ${id}::text) || ${leaseOf(visitor, visitor, null)}`)
}

/** Ends the lease of a transfer, but none of the same visitor's other ones. */
export async function releaseLease(db: Db, link: Link, transfer: Transfer): Promise<void> {
  await changeLeases(db, link, transfer, sql`download_leases = download_leases - ${transfer.id}::text`)
}

/**
 * Counts the download of a visitor. Ends the lease of the transfer, and those of the same visitor
 * that the counted download includes: of other files, and the one for resuming.
 */
export async function commitDownload(db: Db, link: Link, transfer: Transfer): Promise<void> {
  const { id, visitor, item, isZip } = transfer
  const isIncluded = sql`(key in (${id}::text, ${visitor}::text)
    or not ${isZip}::boolean and value->>'visitor' = ${visitor}::text and coalesce(value->>'file' <> ${item}::text, false))`
  const rest = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(download_leases) where not ${isIncluded})`
  const counted = sql`downloads = least(downloads::bigint + 1, 2147483647)::integer, download_leases = ${rest}`
  await sql`update ${linkTable(link)} set ${counted} where uid = ${link.linkUid}`.execute(db)
  await changeReplacement(db, link, transfer, counted)
}

async function changeLeases(db: Db, link: Link, transfer: Transfer, change: RawBuilder<unknown>): Promise<void> {
  await sql`update ${linkTable(link)} set ${change} where uid = ${link.linkUid} and download_leases ? ${transfer.id}::text`.execute(db)
  await changeReplacement(db, link, transfer, change)
}

/** Changes the link that has replaced the first one since the transfer began, and has its lease too. */
async function changeReplacement(db: Db, { uid, linkUid }: Link, { id }: Transfer, change: RawBuilder<unknown>): Promise<void> {
  if (uid !== linkUid) return
  await sql`
    update share_link set ${change}
    where share_id = (select id from share where uid = ${uid}) and download_leases ? ${id}::text`.execute(db)
}

/**
 * Locks a share until the end of the transaction, so that a visitor's downloads are counted one
 * after the other. Its links are changed only after that, as batches do.
 */
export async function lockLinks(db: Db, { uid }: Link): Promise<void> {
  await sql`select from share where uid = ${uid} for no key update`.execute(db)
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
