import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Who did something through which link. */
export interface Visit {
  shareUid: string
  linkUid: string
  /** The id that the link has now. */
  link: string
  visitor: string
  at: Date
  device: string | null
  address: string | null
}

/** A range of a file or zip that was sent to a visitor. */
export interface SentRange extends Visit {
  /** The id of the file, or the validator of the zip. */
  item: string
  isZip: boolean
  /** The name of the file; null for a zip. */
  file: string | null
  size: number
  start: number
  /** The position after the last byte that was sent. */
  end: number
  /** Whether a complete download is counted; false under a limit, which counts it itself. */
  counts: boolean
}

/** An event that is recorded once. */
export interface VisitEvent extends Visit {
  kind: 'opened' | 'refused' | 'handed-out'
  file?: string | null
  isZip?: boolean
  size?: number
  /** The code of the error. */
  reason?: string
}

export interface RecordedDownload {
  /** null: it was sent whole without a limit, and has no row. */
  id: number | null
  complete: boolean
}

/** Entries of one share within an hour; more are not kept, so that no visitor can fill the database. */
const hourlyMax = 10_000

/** Selects shares of which an hour before `time` has not yet filled the activity or the downloads. */
const hasRoom = (table: 'activity' | 'download', column: 'at' | 'updated_at') =>
  sql`(select count(*) from (
    select from ${sql.table(table)} recent where recent.share_uid = share.uid and recent.${sql.ref(column)} > sent.at - interval '1 hour'
    limit ${sql.lit(hourlyMax)}
  ) counted) < ${sql.lit(hourlyMax)}`

/**
 * Records ranges in one statement: joins them with those sent before to the same visitor, counts
 * what is complete, and updates the activity if `activity`. What was sent whole needs no row, unless
 * it is limited or was begun before. Ranges of deleted shares are ignored. The shares are locked in
 * order, so that the batches of two replicas don't wait for each other.
 */
export async function recordRanges(db: Db, ranges: readonly SentRange[], activity: boolean): Promise<RecordedDownload[]> {
  const { rows } = await sql<RecordedDownload>`
    with locked as (
      select uid from share where uid = any(${ranges.map(({ shareUid }) => shareUid)}::uuid[]) order by uid for no key update
    ), incoming as (
      select "shareUid" as share_uid, "linkUid" as link_uid, sent.visitor, sent.item, bool_and("isZip") as is_zip, max(sent.size) as size,
        range_agg(int8range(sent.start, sent."end")) as ranges, min(sent.at) as first_at, max(sent.at) as at, bool_and(sent.counts) as counts,
        sum(sent."end" - sent.start) as bytes_sent,
        range_agg(int8range(sent.start, sent."end")) @> int8range(0, max(sent.size)) as is_whole,
        max(sent.link) as link, max(sent.file) as file, max(sent.device) as device, max(sent.address) as address
      from jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) as sent("shareUid" uuid, "linkUid" uuid, link text, visitor text, item text,
        "isZip" boolean, file text, size bigint, start bigint, "end" bigint, at timestamptz, counts boolean, device text, address text)
      join locked on locked.uid = sent."shareUid"
      group by 1, 2, 3, 4
    ), finished as (
      update download set ranges = download.ranges + incoming.ranges, bytes_sent = download.bytes_sent + incoming.bytes_sent,
        updated_at = incoming.at, complete_at = incoming.at
      from incoming
      where is_whole and download.complete_at is null and (download.share_uid, download.link_uid, download.visitor, download.item)
        = (incoming.share_uid, incoming.link_uid, incoming.visitor, incoming.item)
      returning download.*
    ), room as (
      select share.uid as share_uid, ${hasRoom('activity', 'at')} as for_activity, ${hasRoom('download', 'updated_at')} as for_downloads
      from (select share_uid, max(at) as at from incoming group by 1) sent join share on share.uid = sent.share_uid
    ), merged as (
      insert into download (share_uid, link_uid, visitor, item, is_zip, size, ranges, bytes_sent, started_at, updated_at, complete_at)
      select share_uid, link_uid, visitor, item, is_zip, size, ranges, bytes_sent, first_at, at, case when is_whole then at end
      from incoming join room using (share_uid) where case when counts then not is_whole and for_downloads
        else (share_uid, link_uid, visitor, item) not in (select share_uid, link_uid, visitor, item from finished) end
      on conflict (share_uid, link_uid, visitor, item) where complete_at is null do update set
        ranges = download.ranges + excluded.ranges,
        bytes_sent = download.bytes_sent + excluded.bytes_sent,
        updated_at = excluded.updated_at,
        complete_at = case when download.ranges + excluded.ranges @> int8range(0, download.size) then excluded.updated_at end
      returning *
    ), recorded as (
      select merged.id, merged.complete_at is not null as complete, merged.ranges as all_ranges, incoming.*
      from (select * from merged union all select * from finished) merged join incoming using (share_uid, link_uid, visitor, item)
      union all select null, true, ranges, incoming.* from incoming
      where counts and is_whole and (share_uid, link_uid, visitor, item) not in (select share_uid, link_uid, visitor, item from finished)
    ), complete as (
      select link_uid, count(*) as downloads from recorded where complete and counts group by 1
    ), counted_first as (
      update share set downloads = least(share.downloads + complete.downloads, 2147483647)::integer
      from complete where share.uid = complete.link_uid
    ), counted_further as (
      update share_link set downloads = least(share_link.downloads + complete.downloads, 2147483647)::integer
      from complete where share_link.uid = complete.link_uid
    ), shown as (
      insert into activity (share_uid, link, at, kind, visitor, file, is_zip, bytes, size, complete, device, address, download_id)
      select share_uid, link, at, case when complete then 'downloaded' else 'partly' end, visitor, file, is_zip,
        (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(all_ranges) as part), size, complete, device, address, id
      from recorded join room using (share_uid) where ${activity}::boolean and for_activity
      on conflict (download_id) do update set
        at = excluded.at, kind = excluded.kind, bytes = excluded.bytes, complete = excluded.complete
    )
    select id, complete from recorded`.execute(db)
  return rows
}

/**
 * Records events in one statement. Of the same events of one visitor within a minute, only the first
 * is kept. Events of deleted shares are ignored.
 */
export async function recordEvents(db: Db, events: readonly VisitEvent[]): Promise<void> {
  await sql`
    with sent as (
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as sent("shareUid" uuid, link text, at timestamptz, kind text,
        visitor text, file text, "isZip" boolean, size bigint, reason text, device text, address text)
    ), roomy as (
      select share.uid from (select "shareUid" as uid, max(at) as at from sent group by 1) sent
      join share on share.uid = sent.uid where ${hasRoom('activity', 'at')}
    )
    insert into activity (share_uid, link, at, kind, visitor, file, is_zip, size, reason, device, address)
    select distinct on (sent."shareUid", sent.link, sent.kind, sent.visitor, sent.file, sent.reason)
      sent."shareUid", sent.link, sent.at, sent.kind, sent.visitor, sent.file, coalesce(sent."isZip", false), sent.size,
      sent.reason, sent.device, sent.address
    from sent join roomy on roomy.uid = sent."shareUid"
    where not exists (
      select from activity known
      where known.share_uid = sent."shareUid" and known.at > sent.at - interval '1 minute' and known.link = sent.link
        and known.kind = sent.kind and known.visitor = sent.visitor and known.file is not distinct from sent.file
        and known.reason is not distinct from sent.reason)`.execute(db)
}

/** Returns what happened through the links of a share, the newest first. */
export function activityOf(db: Db, shareUid: string, { limit, offset }: { limit: number; offset: number }) {
  return db
    .selectFrom('activity')
    .select(['link', 'at', 'kind', 'visitor', 'file', 'isZip', 'bytes', 'size', 'complete', 'reason', 'device', 'address'])
    .where('shareUid', '=', shareUid)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** Counts what happened through the links of a share, by kind. */
export function activityCounts(db: Db, shareUid: string) {
  return db
    .selectFrom('activity')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('count')])
    .where('shareUid', '=', shareUid)
    .groupBy('kind')
    .execute()
}

/** Counts the activity of a share. */
export async function countActivity(db: Db, shareUid: string): Promise<number> {
  const { count } = await db
    .selectFrom('activity')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('shareUid', '=', shareUid)
    .executeTakeFirstOrThrow()
  return count
}
