import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { mergedRanges, unfinishedOf, withinBudget } from './budgets.ts'
import { isReported } from './notices.ts'

/** Who did something through which link. */
export interface Visit {
  shareUid: string
  linkUid: string
  /** The id that the link has now. */
  link: string
  visitor: string
  /** A name of the visitor's address, which differs between links. */
  network: string
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
  /** What was handed out: the id of the file, or the validator of the zip. */
  item?: string
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
  /** Whether something of it was not kept, because too much was sent. */
  isDropped: boolean
}

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
        max(sent.network) as network,
        range_agg(int8range(sent.start, sent."end")) as ranges, min(sent.at) as first_at, max(sent.at) as at, bool_and(sent.counts) as counts,
        sum(sent."end" - sent.start) as bytes_sent,
        range_agg(int8range(sent.start, sent."end")) @> int8range(0, max(sent.size)) as is_whole,
        max(sent.link) as link, max(sent.file) as file, max(sent.device) as device, max(sent.address) as address
      from jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) as sent("shareUid" uuid, "linkUid" uuid, link text, visitor text, network text, item text,
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
    ), ${unfinishedOf('incoming')}, merged as (
      insert into download (share_uid, link_uid, visitor, network, item, is_zip, size, ranges, bytes_sent, started_at, updated_at, complete_at)
      select share_uid, link_uid, visitor, network, item, is_zip, size, ranges, bytes_sent, first_at, at, case when is_whole then at end
      from incoming where case
        when counts then not is_whole and (share_uid, link_uid, visitor, item) in (select share_uid, link_uid, visitor, item from unfinished)
        else (share_uid, link_uid, visitor, item) not in (select share_uid, link_uid, visitor, item from finished) end
      on conflict (share_uid, link_uid, visitor, item) where complete_at is null do update set
        ranges = ${mergedRanges},
        bytes_sent = download.bytes_sent + excluded.bytes_sent,
        updated_at = excluded.updated_at,
        complete_at = case when ${mergedRanges} @> int8range(0, download.size) then excluded.updated_at end
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
    ), noticed as (
      insert into download_notice (share_uid, item, file, is_handed_out)
      select distinct on (share_uid, 2) share_uid, case when recorded.is_zip then '' else item end, file, false
      from recorded join share on share.uid = share_uid
      where complete and ${isReported} order by 1, 2
      on conflict do nothing
    ), entries as (
      select recorded.*, case when complete then 'downloaded' else 'partly' end as kind,
        exists(select from activity where download_id = recorded.id) as is_known
      from recorded where ${activity}::boolean
    ), ${withinBudget('entries')}, shown as (
      insert into activity (share_uid, link, at, kind, visitor, network, file, is_zip, bytes, size, complete, device, address, download_id)
      select share_uid, link, at, kind, visitor, network, file, is_zip,
        (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(all_ranges) as part), size, complete, device, address, id
      from within_budget
      on conflict (download_id) do update set
        at = excluded.at, kind = excluded.kind, bytes = excluded.bytes, complete = excluded.complete
    )
    select recorded.id, coalesce(recorded.complete, false) as complete,
      recorded.item is null or not recorded.all_ranges @> incoming.ranges or (${activity}::boolean and within_budget.item is null) as is_dropped
    from incoming
    left join recorded using (share_uid, link_uid, visitor, item)
    left join within_budget using (share_uid, link_uid, visitor, item)`.execute(db)
  return rows
}

/**
 * Records events in one statement. Of the same events of one address within a minute, only the first
 * is kept. Files that are handed out are told apart by visitor. Events of deleted shares are ignored.
 * Returns how many were not kept because a share has too many.
 */
export async function recordEvents(db: Db, events: readonly VisitEvent[]): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    with sent as (
      select *, case when kind = 'handed-out' then visitor else network end as sender
      from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as sent("shareUid" uuid, link text, at timestamptz, kind text,
        visitor text, network text, file text, "isZip" boolean, size bigint, reason text, device text, address text)
    ), entries as (
      select distinct on ("shareUid", sent.link, sent.kind, sent.sender, sent.file, sent.reason)
        "shareUid" as share_uid, sent.*, false as is_known
      from sent join share on share.uid = sent."shareUid"
      where not exists (
        select from activity known
        where known.share_uid = sent."shareUid" and known.at > sent.at - interval '1 minute' and known.link = sent.link
          and known.kind = sent.kind and case when known.kind = 'handed-out' then known.visitor else known.network end = sent.sender
          and known.file is not distinct from sent.file and known.reason is not distinct from sent.reason)
      order by "shareUid", sent.link, sent.kind, sent.sender, sent.file, sent.reason, sent.at
    ), ${withinBudget('entries')}, shown as (
      insert into activity (share_uid, link, at, kind, visitor, network, file, is_zip, size, reason, device, address)
      select share_uid, link, at, kind, visitor, network, file, coalesce("isZip", false), size, reason, device, address from within_budget
    )
    select ((select count(*) from entries) - (select count(*) from within_budget))::integer as dropped`.execute(db)
  return rows[0]?.dropped ?? 0
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
